/*===- goldy_host_abi.h - What host kernels and the runtime share
 *------------===*
 *
 * Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/
#ifndef GOLDY_HOST_ABI_H
#define GOLDY_HOST_ABI_H
#include <stdint.h>

/* What a kernel may call while it runs, given by the runtime. Layout is ABI. */
typedef struct goldy_host_services {
  /* Takes one value of `gpu::debug`: the global id of the work-item, the kind
   * of its scalars (goldy_type_kind_t: 1 bool, 2 u32, 3 i32, 4 f32, 5 u64,
   * 6 i64), their number, 1 to 4, and their bits, zero-extended. Called by the
   * thread that runs the group, the values of a work-item in its order. */
  void (*debug)(void *user, const uint32_t *id, uint32_t kind, uint32_t count,
                const uint64_t *bits);
  void *user;
  /* Takes what a work-item of a watched image (docs/Sanitizers.md) is about to
   * do: the linear number of its group in the grid, its own in the group (x
   * fastest), the number of the site, and the site's words. */
  void (*watch)(void *watcher, uint64_t group, uint32_t item, uint32_t site,
                const uint32_t *words);
  void *watcher;
} goldy_host_services;

/* A watched write of more bytes passes 0 for its value: it is not known. */
#define GOLDY_MOST_WATCHED_VALUE_BYTES 256

/* The groups that one call runs: linear group numbers [first, end) of a grid
 * of count[0] x count[1] x count[2] groups, x fastest. Layout is ABI. */
typedef struct goldy_group_range {
  uint32_t count[3];
  /* Bytes of *services; 0: its first two fields. Watched images alone look at
   * it, and run unwatched where `watch` and `watcher` lie beyond. */
  uint32_t services_bytes;
  uint64_t first;
  uint64_t end;
  const goldy_host_services *services; /* NULL: there are none */
  uint64_t item; /* of an item's entry; others do not look at it */
} goldy_group_range;

/* How a tensor lies in its parent, in elements: the entry of a launch's layout
 * table (docs/ABI.md), 48 bytes. Index i is taken apart row-major over `shape`.
 * Axes from `rank` on have extent 1 and stride 0. Layout is ABI. */
typedef struct goldy_tensor_layout {
  uint32_t rank; /* 0 to 4 */
  uint32_t numel;
  uint32_t offset; /* zero in the table: it stands in the parameter block */
  uint32_t flags;  /* bit 0: contiguous */
  uint32_t shape[4];
  uint32_t strides[4];
} goldy_tensor_layout;

/* A kernel's entry. `block` is the parameter block (docs/ABI.md), 8-byte
 * aligned; `scratch` is 64-byte aligned, of the image's scratch size, owned by
 * the calling thread for the call, contents undefined. The caller has set FTZ
 * and DAZ, round to nearest, all exceptions masked. Returns 0. Thread-safe.
 *
 * An item's entry (the artifact's ItemCode) runs the one group `first`, its
 * work-items one after another in the order of their numbers, x fastest. Number
 * `item` has a copy of the code for itself, which is the one that has debug
 * information. */
typedef int32_t (*goldy_host_kernel)(const void *block,
                                     const goldy_group_range *range,
                                     void *scratch);
#endif
