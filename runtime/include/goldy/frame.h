/*===- frame.h - Running programs by the names of their parameters --------===*
 *
 * Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 * A frame holds what a caller gives to runs of a loaded program: buffers and
 * numbers by the names that the program's source gives them. The frame adds
 * what the program takes besides: lengths, numbers computed from others, and
 * memory for temporaries. The general rules of goldy.h hold. A frame is used by
 * one thread at a time; a program may have many.
 *
 *===-----------------------------------------------------------------------===*/
#ifndef GOLDY_FRAME_H
#define GOLDY_FRAME_H

#include "goldy/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct goldy_frame goldy_frame_t;

/* For `program`, which was loaded from the description that `t` became on
 * `devices`, one for each of the template's. Program, template and devices may
 * be destroyed before the frame. Scalars are 0 until they are set.
 * GOLDY_INVALID_ARGUMENT: devices, inputs or ints are not as many. */
GOLDY_MUST_USE goldy_status_t goldy_frame_create(
    const goldy_program_template_t *t, goldy_program_t *program,
    goldy_device_t *const *devices, size_t count, goldy_frame_t **out_frame);
/* All in one: program `name` of the artifact, loaded on `devices`, with a frame
 * that keeps it; `name` may be NULL if there is exactly one. The program's code
 * is run: the artifact is trusted. The codes of goldy_program_template_open,
 * goldy_program_instantiate, goldy_program_load and goldy_frame_create. */
GOLDY_MUST_USE goldy_status_t goldy_frame_load(const goldy_artifact_t *artifact,
                                               const char *name,
                                               goldy_device_t *const *devices,
                                               size_t count,
                                               goldy_frame_t **out_frame);
/* Waits for the work of the frame's last run. */
void goldy_frame_destroy(goldy_frame_t *frame);

/* The numbers of inputs and ints, as goldy_program_template_input and _int
 * count them. GOLDY_NOT_FOUND. */
GOLDY_MUST_USE goldy_status_t goldy_frame_find_input(const goldy_frame_t *frame,
                                                     const char *name,
                                                     size_t *out_index);
GOLDY_MUST_USE goldy_status_t goldy_frame_find_int(const goldy_frame_t *frame,
                                                   const char *name,
                                                   size_t *out_index);

/* The whole of `buffer` for an input, for all runs until another is set; the
 * frame keeps its memory alive. GOLDY_INVALID_ARGUMENT: of another device,
 * smaller than the program needs, no whole number of elements, of a uniform not
 * one; GOLDY_LIMIT: more than 2^32 - 1 elements. The message names the input;
 * what was set stays. */
GOLDY_MUST_USE goldy_status_t goldy_frame_set_input(goldy_frame_t *frame,
                                                    size_t index,
                                                    goldy_buffer_t *buffer);
/* The same for a view of `bytes` bytes from byte `offset`, which has to be the
 * whole buffer: GOLDY_INVALID_ARGUMENT if it is not. */
GOLDY_MUST_USE goldy_status_t goldy_frame_set_view(goldy_frame_t *frame,
                                                   size_t index,
                                                   goldy_buffer_t *buffer,
                                                   uint64_t offset,
                                                   uint64_t bytes);
/* A value of type `type`, which is the int's, as the bits of a word: the low 32
 * of a type of 4 bytes, a bool 0 or not 0. GOLDY_INVALID_ARGUMENT: another
 * type, or a 64-bit value outside -2^62 to 2^62 - 1. */
GOLDY_MUST_USE goldy_status_t goldy_frame_set_int(goldy_frame_t *frame,
                                                  size_t index,
                                                  goldy_type_kind_t type,
                                                  uint64_t bits);

/* goldy_program_run with what was set, and the same codes; the message begins
 * with the program's name. Before anything else GOLDY_INVALID_ARGUMENT names an
 * input that was not set, a number that cannot be computed from others, or a
 * temporary of a size that is none. Memory of temporaries is kept from run to
 * run, shared by the program's frames, and grows when it must. Every array may
 * be NULL; `end_count` takes how many `ends` there are, and `ends` has room for
 * the program's devices. */
GOLDY_MUST_USE goldy_status_t goldy_frame_run(
    goldy_frame_t *frame, const goldy_program_point_t *waits, size_t wait_count,
    goldy_program_point_t *ends, size_t *end_count);
/* Until the work of the frame's last run is done. GOLDY_TIMEOUT after
 * `timeout_ns`. */
GOLDY_MUST_USE goldy_status_t goldy_frame_wait(goldy_frame_t *frame,
                                               uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif
#endif
