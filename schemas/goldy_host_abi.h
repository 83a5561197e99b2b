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

/* The groups that one call runs: linear group numbers [first, end) of a grid
 * of count[0] x count[1] x count[2] groups, x fastest. Layout is ABI. */
typedef struct goldy_group_range {
  uint32_t count[3];
  uint32_t zero;
  uint64_t first;
  uint64_t end;
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
 * and DAZ, round to nearest, all exceptions masked. Returns 0. Thread-safe. */
typedef int32_t (*goldy_host_kernel)(const void *block,
                                     const goldy_group_range *range,
                                     void *scratch);
#endif
