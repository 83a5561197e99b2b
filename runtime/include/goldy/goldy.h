/*===- goldy.h - The C interface of libgoldyrt
 *--------------------------------===*
 *
 * Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 * Open a device, make buffers, load an artifact (`.gdy`), get a kernel, launch
 * it, wait.
 *
 * Objects. Every goldy_<type>_create and goldy_artifact_load_* gives one object
 * to the caller, who destroys it once; destroying NULL does nothing. Objects
 * keep what they need alive, so the order of destruction is free.
 *
 * Errors. A function that can fail returns goldy_status_t: NULL is success;
 * else the caller owns the status and destroys it. A failed call leaves its
 * `out_` parameters untouched and has no effect, unless it says otherwise. No
 * function aborts, prints, or lets a C++ exception out.
 *
 * Threads. Different objects may be used from different threads at once. A
 * device, an artifact, a kernel and a launch may be used by many threads at
 * once; a buffer's bytes are the caller's to order. Destroying an object while
 * another thread uses it is an error of the caller.
 *
 * Strings are UTF-8. Returned strings belong to the object that gave them.
 *
 *===-----------------------------------------------------------------------===*/
#ifndef GOLDY_GOLDY_H
#define GOLDY_GOLDY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GOLDY_MUST_USE __attribute__((warn_unused_result))
#else
#define GOLDY_MUST_USE
#endif

#define GOLDY_VERSION_MAJOR 0
#define GOLDY_VERSION_MINOR 1
#define GOLDY_VERSION_PATCH 0

/* "0.1.0": of the library that is linked, not of this header. */
const char *goldy_version(void);

/*===-- Status ------------------------------------------------------------===*/

/* What went wrong. The remedy of each code stands in brackets. */
typedef enum goldy_code {
  GOLDY_OK = 0,
  /* [fix first] The call breaks its contract; the message names argument,
   * expected and got. */
  GOLDY_INVALID_ARGUMENT = 1,
  /* [fix first] The artifact is damaged, forged, or of another version. */
  GOLDY_INVALID_ARTIFACT = 2,
  /* [fix first] Nothing of that name; the message lists what there is. */
  GOLDY_NOT_FOUND = 3,
  /* [fix first] The device or this build cannot do it; the message names the
   * missing capability and an alternative. */
  GOLDY_UNSUPPORTED = 4,
  /* [fix first] A size is over a limit; the message names both. */
  GOLDY_LIMIT = 5,
  /* [fix first] Machine code from a source that was not marked trusted. */
  GOLDY_UNTRUSTED = 6,
  /* [fix first] A needed library or device is not on this machine. */
  GOLDY_UNAVAILABLE = 7,
  /* [retry] The operating system refused to read a file. */
  GOLDY_IO = 8,
  /* [retry] Not enough memory; release some, then repeat the call. */
  GOLDY_OUT_OF_MEMORY = 9,
  /* [retry] The time given to a wait passed; the work goes on. */
  GOLDY_TIMEOUT = 10,
  /* [restart] The device is gone; open it again. */
  GOLDY_LOST = 11,
  /* [restart] A fault of this library. */
  GOLDY_INTERNAL = 12,
  /* [fix first] Kernels that were compiled with --sanitize did what they must
   * not; the message tells the first finding. The work is done all the same. */
  GOLDY_FINDINGS = 13
} goldy_code_t;

typedef enum goldy_remedy {
  GOLDY_REMEDY_NONE = 0,   /* nothing is wrong */
  GOLDY_REMEDY_FIX = 1,    /* change the call, the file or the machine first */
  GOLDY_REMEDY_RETRY = 2,  /* the same call may succeed later */
  GOLDY_REMEDY_RESTART = 3 /* destroy the device and open it again */
} goldy_remedy_t;

typedef struct goldy_status *goldy_status_t;

/* GOLDY_OK for NULL. */
goldy_code_t goldy_status_code(goldy_status_t status);
/* Lower case, no full stop; "" for NULL. Valid until the status is destroyed.
 */
const char *goldy_status_message(goldy_status_t status);
void goldy_status_destroy(goldy_status_t status);
/* "invalid argument" and so on; "unknown code" for other numbers. */
const char *goldy_code_name(goldy_code_t code);
goldy_remedy_t goldy_code_remedy(goldy_code_t code);

/*===-- Devices -----------------------------------------------------------===*/

typedef struct goldy_device goldy_device_t;

/* Drivers that this build knows, in order of number. */
typedef struct goldy_driver_info {
  const char *name;        /* "cpu", "vulkan", "cuda", "null" */
  const char *description; /* one line: the device, or why it is unavailable */
  int available;           /* 1 if goldy_device_create can succeed */
} goldy_driver_info_t;
size_t goldy_driver_count(void);
/* `index` is below goldy_driver_count(); else all fields are NULL and 0. The
 * strings live as long as the process. */
goldy_driver_info_t goldy_driver_info(size_t index);

/* The devices that a driver sees on this machine, usable ones first. */
typedef struct goldy_device_list goldy_device_list_t;
typedef struct goldy_device_entry {
  const char *name;        /* "vulkan", "vulkan:1": for goldy_device_create */
  const char *description; /* one line */
  const char *unusable;    /* why it cannot be used; NULL if it can */
} goldy_device_entry_t;
/* `driver` is below goldy_driver_count(). GOLDY_UNAVAILABLE if the driver's
 * library is missing; a list may be empty. */
GOLDY_MUST_USE goldy_status_t
goldy_device_list_create(size_t driver, goldy_device_list_t **out_list);
void goldy_device_list_destroy(goldy_device_list_t *list);
size_t goldy_device_list_count(const goldy_device_list_t *list);
/* `index` is below the count; else all fields are NULL. The strings live as
 * long as the list. */
goldy_device_entry_t goldy_device_list_entry(const goldy_device_list_t *list,
                                             size_t index);

typedef struct goldy_device_options {
  /* sizeof(goldy_device_options_t); newer fields are added at the end, and are
   * not looked at where a caller's struct ends before them. */
  size_t size;
  /* CPU: threads that run kernels, the caller included; 0: one a hardware
   * thread. At most 1024. */
  uint32_t threads;
  /* Take images of this arch only ("x86-64-v2"), instead of the best; NULL:
   * the best. The device must be able to run it. */
  const char *arch;
  /* Gets each value of `gpu::debug` that a launch on a CPU device prints, as
   * "kernel [x, y, z]: value" of `size` bytes, before the call that started the
   * launch returns: by work-item, z before y before x, and in the order of
   * each. Called from one thread at a time; must not use the device. NULL:
   * nothing is collected. A launch prints at most 2^20 values; a last line then
   * says how many more there were. */
  void (*debug)(void *user, const char *line, size_t size);
  void *debug_user;
  /* Gets each finding about a launch on a CPU device of a kernel that was
   * compiled with --sanitize, of `size` bytes in several lines, before the call
   * that started the launch returns with GOLDY_FINDINGS. The same rules as for
   * `debug`. NULL: the status alone tells of them. */
  void (*finding)(void *user, const char *text, size_t size);
  void *finding_user;
  /* CPU: x, y and z of a work-item for a debugger. In every grid that holds it
   * this one work-item runs in code of its own, which nothing optimised and
   * which alone has debug information; the rest of its group runs beside it, a
   * work-item at a time, and all other groups run as ever, those with lower
   * numbers before it. All is done by the calling thread, and results are the
   * same. Kernels need debug information (goldyc -g), else GOLDY_NOT_FOUND.
   * NULL: none. */
  const uint32_t *debug_item;
} goldy_device_options_t;

/* Opens `name`: "cpu", "null", "vulkan[:N]", "cuda[:N]". `options` may be NULL.
 * GOLDY_NOT_FOUND for an unknown driver, GOLDY_UNAVAILABLE for one that this
 * machine or build lacks. */
GOLDY_MUST_USE goldy_status_t
goldy_device_create(const char *name, const goldy_device_options_t *options,
                    goldy_device_t **out_device);
void goldy_device_destroy(goldy_device_t *device);

typedef struct goldy_device_info {
  const char *name;          /* "cpu" */
  const char *description;   /* "x86-64-v3, 8 threads" */
  const char *best_arch;     /* the image that it would take first */
  uint32_t threads;          /* CPU: as opened; else 0 */
  uint64_t max_buffer_bytes; /* of one buffer */
  uint64_t max_groups[3];    /* of a grid, per axis */
} goldy_device_info_t;
/* Strings live as long as the device. */
goldy_device_info_t goldy_device_info(const goldy_device_t *device);

/*===-- Buffers -----------------------------------------------------------===*/

/* Bytes in a device's memory. Launches that were submitted keep the memory
 * alive until they are done. */
typedef struct goldy_buffer goldy_buffer_t;

/* `bytes` zeros, 64-byte aligned; 0 is allowed. GOLDY_OUT_OF_MEMORY,
 * GOLDY_LIMIT. */
GOLDY_MUST_USE goldy_status_t goldy_buffer_create(goldy_device_t *device,
                                                  uint64_t bytes,
                                                  goldy_buffer_t **out_buffer);
void goldy_buffer_destroy(goldy_buffer_t *buffer);
uint64_t goldy_buffer_size(const goldy_buffer_t *buffer);

/* Copies between the caller's memory and [offset, offset + bytes) of the
 * buffer; done on return. Waits for no launch: wait first. */
GOLDY_MUST_USE goldy_status_t goldy_buffer_write(goldy_buffer_t *buffer,
                                                 uint64_t offset,
                                                 const void *data,
                                                 uint64_t bytes);
GOLDY_MUST_USE goldy_status_t goldy_buffer_read(const goldy_buffer_t *buffer,
                                                uint64_t offset, void *data,
                                                uint64_t bytes);
/* A pointer to the buffer's bytes, until unmapped or destroyed. One mapping at
 * a time. What launches write is seen after waiting for them. A buffer that
 * could not be unmapped is mapped still. */
GOLDY_MUST_USE goldy_status_t goldy_buffer_map(goldy_buffer_t *buffer,
                                               void **out_data);
GOLDY_MUST_USE goldy_status_t goldy_buffer_unmap(goldy_buffer_t *buffer);

/*===-- Artifacts ---------------------------------------------------------===*/

/* Kernels of one `.gdy` file. Needs no device. */
typedef struct goldy_artifact goldy_artifact_t;

enum {
  /* The caller vouches for the machine code in the file. Without it host code
   * and PTX are never loaded onto a device. */
  GOLDY_LOAD_TRUSTED = 1
};

/* Verifies the whole file before anything is made. The file is mapped; it must
 * not change while it is loaded (a replaced file, as goldyc writes it, is
 * fine). GOLDY_IO, GOLDY_INVALID_ARTIFACT, GOLDY_LIMIT. */
GOLDY_MUST_USE goldy_status_t goldy_artifact_load_file(
    const char *path, uint32_t flags, goldy_artifact_t **out_artifact);
/* The same from memory, which must stay as it is until the artifact, and all
 * kernels made from it, are destroyed. Any alignment. */
GOLDY_MUST_USE goldy_status_t
goldy_artifact_load_memory(const void *data, size_t bytes, uint32_t flags,
                           goldy_artifact_t **out_artifact);
void goldy_artifact_destroy(goldy_artifact_t *artifact);

/* Text that is not terminated by zero. */
typedef struct goldy_text {
  const char *data;
  size_t size;
} goldy_text_t;

/* Everything that goldyrun info prints: provenance, kernels, parameters,
 * layouts, images, as JSON; made at the first call. Empty if there is no
 * memory for it. */
goldy_text_t goldy_artifact_json(const goldy_artifact_t *artifact);

/* Kernels are numbered in source order. A number that is not below the count
 * gives empty text. */
size_t goldy_artifact_kernel_count(const goldy_artifact_t *artifact);
goldy_text_t goldy_artifact_kernel_name(const goldy_artifact_t *artifact,
                                        size_t kernel);
/* Retained definition: IR text of the kernel, taken before any pass; empty if
 * the file has none. */
goldy_text_t goldy_artifact_kernel_definition(const goldy_artifact_t *artifact,
                                              size_t kernel);
/* Canonical Slang; empty if the file has none. */
goldy_text_t goldy_artifact_kernel_slang(const goldy_artifact_t *artifact,
                                         size_t kernel);

/*===-- Kernels -----------------------------------------------------------===*/

/* One kernel of an artifact, loaded onto a device: the best image that the
 * device can run was chosen. */
typedef struct goldy_kernel goldy_kernel_t;

/* `name` may be NULL if the artifact has exactly one kernel. GOLDY_NOT_FOUND;
 * GOLDY_UNSUPPORTED if no image runs here (the message lists those there are);
 * GOLDY_UNTRUSTED. */
GOLDY_MUST_USE goldy_status_t goldy_kernel_create(goldy_device_t *device,
                                                  goldy_artifact_t *artifact,
                                                  const char *name,
                                                  goldy_kernel_t **out_kernel);
void goldy_kernel_destroy(goldy_kernel_t *kernel);

typedef enum goldy_param_kind {
  GOLDY_PARAM_SCALAR = 0,
  GOLDY_PARAM_BUFFER = 1,
  GOLDY_PARAM_TENSOR = 2,
  GOLDY_PARAM_UNIFORM = 3,
  GOLDY_PARAM_IMAGE = 4
} goldy_param_kind_t;

typedef enum goldy_access {
  GOLDY_READ = 0,
  GOLDY_WRITE = 1,
  GOLDY_READ_WRITE = 2
} goldy_access_t;

/* What a type is made of; the same numbers as in the file. */
typedef enum goldy_type_kind {
  GOLDY_TYPE_VOID = 0,
  GOLDY_TYPE_BOOL, /* one 32-bit word */
  GOLDY_TYPE_U32,
  GOLDY_TYPE_I32,
  GOLDY_TYPE_F32,
  GOLDY_TYPE_U64,
  GOLDY_TYPE_I64,
  GOLDY_TYPE_U8,
  GOLDY_TYPE_I8,
  GOLDY_TYPE_U16,
  GOLDY_TYPE_I16,
  GOLDY_TYPE_F16,
  GOLDY_TYPE_BF16,
  GOLDY_TYPE_VECTOR,
  GOLDY_TYPE_ARRAY,
  GOLDY_TYPE_STRUCT
} goldy_type_kind_t;

/* A type as the kernel lays it out in memory. */
typedef struct goldy_type goldy_type_t;
goldy_type_kind_t goldy_type_kind(const goldy_type_t *type);
/* Bytes of one value; bytes from one array element to the next; alignment. */
uint64_t goldy_type_size(const goldy_type_t *type);
uint64_t goldy_type_stride(const goldy_type_t *type);
uint32_t goldy_type_align(const goldy_type_t *type);
/* Struct: the name; else "". */
const char *goldy_type_name(const goldy_type_t *type);
/* Vector: components. Array: elements. Struct: fields. Else 0. */
uint32_t goldy_type_count(const goldy_type_t *type);
/* Vector, Array: of the component or element. Else NULL. */
const goldy_type_t *goldy_type_element(const goldy_type_t *type);
typedef struct goldy_field {
  const char *name;
  const goldy_type_t *type;
  uint64_t offset; /* bytes from the struct's start */
} goldy_field_t;
/* Struct: field `index`, below the count; else all NULL and 0. */
goldy_field_t goldy_type_field(const goldy_type_t *type, uint32_t index);

/* A specialisation constant of a kernel. `value` holds its default's bits
 * (bool: 0 or 1). `settable`: an image in SPIR-V takes another value; images in
 * other formats hold the default. */
typedef struct goldy_spec_info {
  const char *name;
  uint32_t id; /* SPIR-V's SpecId */
  goldy_type_kind_t type;
  uint64_t value;
  int settable;
} goldy_spec_info_t;
/* In ascending order of `id`; a number that is not below the count gives NULL
 * and zeros. Strings live as long as the artifact. */
size_t goldy_artifact_kernel_spec_count(const goldy_artifact_t *artifact,
                                        size_t kernel);
goldy_spec_info_t goldy_artifact_kernel_spec(const goldy_artifact_t *artifact,
                                             size_t kernel, size_t index);

/* A value for a specialisation constant, by name: its bits as above. */
typedef struct goldy_spec_value {
  const char *name;
  uint64_t bits;
} goldy_spec_value_t;
/* As goldy_kernel_create, with values for specialisation constants. A constant
 * that the chosen image has fixed takes the value that it has, or is refused.
 * GOLDY_NOT_FOUND: the kernel has no constant of a name;
 * GOLDY_INVALID_ARGUMENT: a value given twice, wider than its type, or not the
 * one that is fixed. */
GOLDY_MUST_USE goldy_status_t goldy_kernel_create_specialised(
    goldy_device_t *device, goldy_artifact_t *artifact, const char *name,
    const goldy_spec_value_t *specs, size_t count, goldy_kernel_t **out_kernel);

typedef struct goldy_param_info {
  const char *name;
  goldy_param_kind_t kind;
  goldy_access_t access;    /* GOLDY_READ for scalars */
  const goldy_type_t *type; /* of the scalar, or of the resource's element */
  int baked;                /* the image holds the scalar's value: */
  uint64_t baked_bits;      /* an argument must be equal */
} goldy_param_info_t;

typedef struct goldy_kernel_info {
  const char *name;
  uint32_t workgroup_size[3];
  uint32_t workgroup_bytes; /* workgroup arrays */
  size_t param_count;
  const char *arch; /* of the image that was chosen */
  /* Better images that the device refused, and why; empty if there are none. */
  const char *passed_over;
} goldy_kernel_info_t;
/* Strings and types live as long as the kernel. */
goldy_kernel_info_t goldy_kernel_info(const goldy_kernel_t *kernel);
/* `index` is below param_count; else all fields are NULL and 0. */
goldy_param_info_t goldy_kernel_param(const goldy_kernel_t *kernel,
                                      size_t index);

/*===-- Launches ----------------------------------------------------------===*/

/* How a tensor sees the elements of its parent: the one with indices i_0 … is
 * element `offset` + sum of i_a * strides[a] of the parent view. Axes from
 * `rank` on are not read. */
typedef struct goldy_tensor_view {
  uint32_t rank;   /* 0 to 4 */
  uint64_t offset; /* elements */
  uint64_t shape[4];
  int64_t strides[4]; /* elements; 0 repeats, for reading only */
} goldy_tensor_view_t;

/* One argument, in declaration order. Scalars: `buffer` NULL and `word`, whose
 * low 32 bits (64 for u64 and i64) are the value's; a bool is 0 or not 0.
 * Buffers: a view of `length` elements from byte `offset`, which must be a
 * multiple of the element's alignment, of its size for vectors of two or four
 * 32-bit scalars. Tensors: the same for the parent, and `view` for what is seen
 * of it (NULL: all of it, along one axis); `view` is read during the call.
 * Uniform blocks: the same as buffers, of one element, from a multiple of 16
 * on. Images: the same, of width times height elements, row after row, from a
 * multiple of 16 on; `word` is the width, and the height times 2^32. */
typedef struct goldy_argument {
  goldy_buffer_t *buffer;
  uint64_t offset;
  uint64_t length; /* elements; at most 2^32 - 1 */
  uint64_t word;
  const goldy_tensor_view_t *view; /* tensors only */
} goldy_argument_t;

/* Groups of the grid along x, y, z. A zero makes the launch do nothing. */
typedef struct goldy_grid {
  uint32_t groups[3];
} goldy_grid_t;

/* A kernel with its arguments and grid bound and checked, to be submitted any
 * number of times. */
typedef struct goldy_launch goldy_launch_t;

/* Binds. Two arguments may name the same view; views that overlap otherwise
 * while the kernel writes one of them are refused, as is a buffer that barrier
 * uniformity relies on and the kernel writes through another argument. A
 * tensor's view must lie within its parent, have at most 2^32 - 1 elements, and
 * if the kernel writes it, reach each element once; its shape must be what the
 * kernel's contract says. All arguments are judged before anything is bound.
 * All messages name kernel and parameter. GOLDY_INVALID_ARGUMENT, GOLDY_LIMIT.
 */
GOLDY_MUST_USE goldy_status_t goldy_launch_create(
    goldy_kernel_t *kernel, const goldy_argument_t *arguments, size_t count,
    goldy_grid_t grid, goldy_launch_t **out_launch);
void goldy_launch_destroy(goldy_launch_t *launch);

/* Starts the launch; `out_point` is the device's timeline value that is reached
 * when it is done. A CPU device may do all the work within this call. Launches
 * of one device that are submitted one after another take effect in that
 * order; of those that several threads submit at once, each takes effect whole
 * before or after every other one that it shares written memory with. */
GOLDY_MUST_USE goldy_status_t goldy_launch_submit(goldy_launch_t *launch,
                                                  uint64_t *out_point);

/* As goldy_launch_create; the device also measures when the work of each submit
 * begins and ends. GOLDY_UNSUPPORTED if it cannot. Launches that are not timed
 * pay nothing. */
GOLDY_MUST_USE goldy_status_t goldy_launch_create_timed(
    goldy_kernel_t *kernel, const goldy_argument_t *arguments, size_t count,
    goldy_grid_t grid, goldy_launch_t **out_launch);

/* Nanoseconds of the host's monotonic clock. Devices with a clock of their own
 * are set to it when their first timed launch is made; the length of a span is
 * what the device measured, the place on the host's clock is right within some
 * microseconds. */
typedef struct goldy_time_span {
  uint64_t begin_ns, end_ns;
} goldy_time_span_t;
/* When the work of the submit that gave `point` began and ended; 0 and 0 for a
 * grid with a zero. The point was waited for, and the launch is timed and was
 * submitted at most 8 times since; else GOLDY_INVALID_ARGUMENT. */
GOLDY_MUST_USE goldy_status_t goldy_launch_time(goldy_launch_t *launch,
                                                uint64_t point,
                                                goldy_time_span_t *out_span);

/* Create, submit and destroy in one. */
GOLDY_MUST_USE goldy_status_t
goldy_kernel_launch(goldy_kernel_t *kernel, const goldy_argument_t *arguments,
                    size_t count, goldy_grid_t grid, uint64_t *out_point);

#define GOLDY_FOREVER UINT64_MAX

/* Waits until `point` is reached. GOLDY_TIMEOUT after `timeout_ns` nanoseconds;
 * GOLDY_INVALID_ARGUMENT for a point that no submit has given. */
GOLDY_MUST_USE goldy_status_t goldy_device_wait(goldy_device_t *device,
                                                uint64_t point,
                                                uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif
#endif
