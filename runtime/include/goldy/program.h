/*===- program.h - Program descriptions in C ------------------------------===*
 *
 * Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 * A description says which memory and code a program has on the devices of one
 * machine, and which steps a run of it takes (docs/programs.md). This interface
 * builds one part by part, turns it into bytes and text and back, compares and
 * checks it. The general rules of goldy.h hold. One description is used by one
 * thread at a time.
 *
 * Building judges only what C can get wrong: NULL, unknown enumerators, parts
 * where there is no submit. Whether the description keeps the rules of programs
 * is for goldy_program_desc_check to say.
 *
 * Every number has 63 bits, -2^62 to 2^62 - 1. Numbers of devices, memories,
 * images, inputs, slots count from 0 in the order in which they were added.
 *
 *===-----------------------------------------------------------------------===*/
#ifndef GOLDY_PROGRAM_H
#define GOLDY_PROGRAM_H

#include "goldy/goldy.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- What stands in a description --------------------------------------===*/

typedef enum goldy_program_value_kind {
  GOLDY_VALUE_FIXED = 0,   /* `number` itself */
  GOLDY_VALUE_INT = 1,     /* word `number` of the run's ints */
  GOLDY_VALUE_ADDRESS = 2, /* of memory `number`, as `device` uses it */
  GOLDY_VALUE_HANDLE = 3,  /* the driver's object for memory `number` */
  GOLDY_VALUE_ENTRY = 4,   /* function `name` of image `number` */
  GOLDY_VALUE_READY = 5    /* the ready function of rail `number` */
} goldy_program_value_kind_t;

/* A word that the description, the loaded program or the run knows. The last
 * four kinds are leaves: words that are known once the program is loaded. */
typedef struct goldy_program_value {
  goldy_program_value_kind_t kind;
  int64_t number;
  int64_t device;   /* ADDRESS; else not read */
  const char *name; /* ENTRY; else not read */
} goldy_program_value_t;

typedef struct goldy_program_term {
  goldy_program_value_t value;
  int64_t factor;
} goldy_program_term_t;

/* A sum of terms: an offset in bytes. */
typedef struct goldy_program_sum {
  const goldy_program_term_t *terms;
  size_t count;
} goldy_program_sum_t;

/* A word of `bits` bits at byte `at`: the sum, wrapping in 63 bits, of `terms`
 * and `add`, shifted right by `shift`, ORed into the bytes. */
typedef struct goldy_program_hole {
  int64_t at;
  uint32_t bits; /* 32 or 64 */
  goldy_program_sum_t terms;
  int64_t add;
  int64_t shift; /* 0 to 62 */
} goldy_program_hole_t;

/* Bytes with holes. In memory and images a hole's terms are leaves. */
typedef struct goldy_program_data {
  const void *bytes;
  size_t size;
  const goldy_program_hole_t *holes;
  size_t hole_count;
} goldy_program_data_t;

typedef struct goldy_program_view {
  int64_t memory;
  int64_t offset; /* bytes */
  int64_t length; /* bytes */
} goldy_program_view_t;

typedef enum goldy_program_slot_kind {
  GOLDY_SLOT_MEMORY = 0, /* `view` */
  GOLDY_SLOT_INPUT = 1,  /* input `input` of the run, whole */
  GOLDY_SLOT_INTS = 2    /* the run's ints, 8 bytes a word */
} goldy_program_slot_kind_t;

typedef struct goldy_program_slot {
  goldy_program_slot_kind_t kind;
  goldy_program_view_t view;
  int64_t input;
} goldy_program_slot_t;

typedef enum goldy_program_use {
  GOLDY_USE_READ = 0,
  GOLDY_USE_WRITE = 1,
  GOLDY_USE_UNORDERED = 2
} goldy_program_use_t;

/* The 8 parameter bytes at `at` hold an offset into slot `slot`'s buffer. */
typedef struct goldy_program_ref {
  int64_t slot;
  int64_t at;
  goldy_program_use_t use;
} goldy_program_ref_t;

/*===-- Objects -----------------------------------------------------------===*/

typedef struct goldy_program_desc goldy_program_desc_t;

/* An empty description. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_create(goldy_program_desc_t **out_desc);
void goldy_program_desc_destroy(goldy_program_desc_t *desc);

/* Reads what goldy_program_desc_encode wrote. GOLDY_INVALID_ARTIFACT says which
 * byte and part of the description is wrong, or names both versions. Checks no
 * rule of programs. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_decode(
    const void *data, size_t bytes, goldy_program_desc_t **out_desc);
/* Reads the text form; GOLDY_INVALID_ARTIFACT names line, column and part. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_parse(
    const char *text, size_t bytes, goldy_program_desc_t **out_desc);

/* The description as bytes, and as text. Equal descriptions give equal bytes.
 * What is given belongs to the description, until the next call for it.
 * GOLDY_INVALID_ARGUMENT while a submit or loop is open or if a number has more
 * than 63 bits; GOLDY_LIMIT if there are more than 1000000 steps. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_encode(goldy_program_desc_t *desc, goldy_text_t *out_bytes);
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_print(goldy_program_desc_t *desc, goldy_text_t *out_text);

/* 1 if all parts are equal; what is open is left out. NULL equals NULL. */
int goldy_program_desc_equal(const goldy_program_desc_t *a,
                             const goldy_program_desc_t *b);

/*===-- Building ----------------------------------------------------------===*/

/* Every `out_index` may be NULL; it takes the number of what was added. A call
 * that fails adds nothing. What pointers point to is read during the call. */

/* `arch`: of the code for the device, such as "x86-64-v3", "sm_90a". */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_device(
    goldy_program_desc_t *desc, const char *arch, int64_t *out_index);

typedef enum goldy_memory_kind {
  GOLDY_MEMORY_DEVICE = 0,      /* the device's own */
  GOLDY_MEMORY_HOST = 1,        /* the host's */
  GOLDY_MEMORY_HOST_VISIBLE = 2 /* the device's, within the host's reach */
} goldy_memory_kind_t;

/* Memory that is made at load; `init` holds its first bytes, the rest is zero.
 * Of two copies, run n uses copy n mod 2. */
typedef struct goldy_program_memory {
  int64_t device;
  goldy_memory_kind_t kind;
  int64_t bytes;
  goldy_program_data_t init;
  uint32_t copies; /* 1 or 2 */
} goldy_program_memory_t;
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_memory(
    goldy_program_desc_t *desc, const goldy_program_memory_t *memory,
    int64_t *out_index);

typedef enum goldy_rail_area {
  GOLDY_RAIL_OUTBOUND = 0,
  GOLDY_RAIL_INBOUND = 1,
  GOLDY_RAIL_COUNTS = 2
} goldy_rail_area_t;
/* Memory that is an area of this machine's end of a rail; numbered among the
 * memories. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_add_rail(goldy_program_desc_t *desc, int64_t rail,
                            goldy_rail_area_t area, int64_t *out_index);

/* Code for a device. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_image(
    goldy_program_desc_t *desc, int64_t device,
    const goldy_program_data_t *binary, int64_t *out_index);

/* A buffer of a device, of at least `bytes` bytes, that every run brings. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_add_input(goldy_program_desc_t *desc, int64_t device,
                             int64_t bytes, int64_t *out_index);

/* Word `word` of the ints says how many elements of `stride` bytes input
 * `input` has; a run whose word is negative or past the input's bytes is
 * refused. GOLDY_INVALID_ARGUMENT: there is no such input yet. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_set_length(
    goldy_program_desc_t *desc, int64_t input, int64_t word, int64_t stride);

/* 64-bit words of the run's ints. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_set_ints(goldy_program_desc_t *desc, int64_t words);

/* A submit step on a device. Slots, fixed memory and parts are added to it
 * until it ends; submits do not nest. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_begin_submit(goldy_program_desc_t *desc, int64_t device);
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_end_submit(goldy_program_desc_t *desc);
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_slot(
    goldy_program_desc_t *desc, const goldy_program_slot_t *slot,
    int64_t *out_index);
/* Memory whose address the step's prepared work holds. `access`: GOLDY_READ or
 * GOLDY_READ_WRITE. */
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_add_fixed(goldy_program_desc_t *desc,
                             goldy_program_view_t view, goldy_access_t access);
/* A part of command words that the device's driver understands. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_words(
    goldy_program_desc_t *desc, goldy_program_view_t view);

/* A call of a function in place. */
typedef struct goldy_program_fill {
  goldy_program_value_t function; /* ENTRY or READY */
  goldy_program_data_t params;    /* a multiple of 4 bytes */
  const goldy_program_ref_t *refs;
  size_t ref_count;
} goldy_program_fill_t;
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_fill(
    goldy_program_desc_t *desc, const goldy_program_fill_t *fill);

/* `length` bytes from one slot of the submit to another. */
typedef struct goldy_program_copy {
  int64_t src;
  goldy_program_sum_t src_offset;
  int64_t dst;
  goldy_program_sum_t dst_offset;
  int64_t length;
} goldy_program_copy_t;
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_copy(
    goldy_program_desc_t *desc, const goldy_program_copy_t *copy);

/* A launch of function `name` of an image. */
typedef struct goldy_program_launch {
  int64_t image;
  const char *name;
  goldy_program_data_t params; /* the parameter block; a multiple of 4 bytes */
  const goldy_program_ref_t *refs;
  size_t ref_count;
  goldy_program_value_t groups[3];  /* along x, y, z */
  goldy_program_value_t threads[3]; /* of a group along x, y, z */
  goldy_program_value_t shared;     /* bytes */
} goldy_program_launch_t;
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_launch(
    goldy_program_desc_t *desc, const goldy_program_launch_t *launch);

/* A step of `length` bytes from one buffer to another, of any devices. */
typedef struct goldy_program_move {
  goldy_program_slot_t src;
  goldy_program_sum_t src_offset;
  goldy_program_slot_t dst;
  goldy_program_sum_t dst_offset;
  int64_t length;
} goldy_program_move_t;
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_move(
    goldy_program_desc_t *desc, const goldy_program_move_t *move);

/* The steps up to the loop's end run `trips` times, never for 0 or less. */
typedef struct goldy_program_loop {
  goldy_program_value_t trips;
  int has_trip; /* the trip's number, from 0, goes to word `trip` of the ints */
  int64_t trip;
  /* Before each trip byte `flag_at` of this buffer is read; 0 ends the loop.
   * NULL: no flag. */
  const goldy_program_slot_t *flag;
  int64_t flag_at;
} goldy_program_loop_t;
/* GOLDY_LIMIT: loops nest more than 16 deep. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_begin_loop(
    goldy_program_desc_t *desc, const goldy_program_loop_t *loop);
GOLDY_MUST_USE goldy_status_t
goldy_program_desc_end_loop(goldy_program_desc_t *desc);

typedef enum goldy_program_op {
  GOLDY_OP_ADD = 0,
  GOLDY_OP_SUB = 1,
  GOLDY_OP_MUL = 2,
  GOLDY_OP_DIV = 3,      /* towards zero; x / 0 is x */
  GOLDY_OP_DIV_CEIL = 4, /* rounded up */
  GOLDY_OP_MOD = 5,      /* the dividend's sign; x mod 0 is 0 */
  GOLDY_OP_SHL = 6,
  GOLDY_OP_SHR = 7,
  GOLDY_OP_AND = 8,
  GOLDY_OP_OR = 9,
  GOLDY_OP_XOR = 10,
  GOLDY_OP_MIN = 11,
  GOLDY_OP_MAX = 12,
  GOLDY_OP_EQ = 13,  /* 1 or 0 */
  GOLDY_OP_LT = 14,  /* 1 or 0 */
  GOLDY_OP_CAST = 15 /* of one operand */
} goldy_program_op_t;

/* What an operation computes in: exactly in 63 bits, where a result outside
 * refuses the run, or wrapping in the type, operands converted first. */
typedef enum goldy_program_domain {
  GOLDY_DOMAIN_EXACT = 0,
  GOLDY_DOMAIN_U32 = 1,
  GOLDY_DOMAIN_I32 = 2,
  GOLDY_DOMAIN_U64 = 3,
  GOLDY_DOMAIN_I64 = 4
} goldy_program_domain_t;

typedef enum goldy_program_node_kind {
  GOLDY_NODE_NUMBER = 0, /* `number` itself */
  GOLDY_NODE_INT = 1,    /* word `number` of the run's ints */
  GOLDY_NODE_OP = 2      /* `op` in `domain` on what the nodes before left */
} goldy_program_node_kind_t;

typedef struct goldy_program_node {
  goldy_program_node_kind_t kind;
  int64_t number;
  goldy_program_op_t op;
  goldy_program_domain_t domain;
} goldy_program_node_t;

/* An expression's nodes, operands before their operation, for word `word` of
 * the ints. `origin` is what messages call it; may be NULL. */
typedef struct goldy_program_derived {
  int64_t word;
  const goldy_program_node_t *nodes;
  size_t count;
  const char *origin;
} goldy_program_derived_t;
/* The innermost open loop computes it in each trip, after it stored the trip
 * and what was added before. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_add_derived(
    goldy_program_desc_t *desc, const goldy_program_derived_t *derived);

/*===-- Checking ----------------------------------------------------------===*/

/* A function of the host that a program calls, with the block of parameters of
 * the call: 8-byte aligned, its addresses filled in. 0, or why it failed as a
 * goldy_code_t, which fails the run at that step. It may use devices and run
 * other programs; not the one that calls it. */
typedef int (*goldy_host_function_t)(void *user, const void *block);

/* This machine's end of a rail. Its areas are host memory that belongs to the
 * rail and outlives programs that name it; a check reads `id` and `bytes` only.
 */
typedef struct goldy_rail_end {
  int64_t id;
  int64_t bytes[3]; /* of the areas, by goldy_rail_area_t; both copies */
  void *areas[3];   /* 64-byte aligned */
  goldy_host_function_t ready;
  void *user; /* of `ready` */
} goldy_rail_end_t;

/* What a description is to be loaded on. */
typedef struct goldy_program_machine {
  goldy_device_t *const
      *devices; /* device i of the description is devices[i] */
  size_t device_count;
  const goldy_rail_end_t *rails; /* of different ids */
  size_t rail_count;
} goldy_program_machine_t;

/* Checks every rule of programs that does not need the devices to do anything.
 * `machine` may be NULL: the rules of devices and rails are left out then. The
 * message names the part (`steps[2].body[0].parts[1]`), the device and the
 * rule. GOLDY_INVALID_ARGUMENT: a rule is broken, or a submit or loop is open;
 * GOLDY_UNSUPPORTED: no device does that, or not this one; GOLDY_LIMIT. */
GOLDY_MUST_USE goldy_status_t goldy_program_desc_check(
    const goldy_program_desc_t *desc, const goldy_program_machine_t *machine);

/*===-- Loading and running -----------------------------------------------===*/

/* A description that was loaded on the devices of a machine: its memory and
 * images, and its steps prepared. Used by many threads at once; runs of one
 * program take place one after another. Keeps its devices alive. */
typedef struct goldy_program goldy_program_t;

typedef struct goldy_program_callback {
  const char *name; /* unique */
  goldy_host_function_t function;
  void *user;
} goldy_program_callback_t;

enum {
  /* Devices that have a clock measure what runs do, for goldy_program_times.
   * Programs that are not timed pay nothing. */
  GOLDY_PROGRAM_TIMED = 2
};

typedef struct goldy_program_options {
  size_t size; /* sizeof(goldy_program_options_t) */
  /* GOLDY_LOAD_TRUSTED: images may be machine code; GOLDY_PROGRAM_TIMED */
  uint32_t flags;
  /* What images of host functions stand for; copied. */
  const goldy_program_callback_t *callbacks;
  size_t callback_count;
} goldy_program_options_t;

/* Checks the description on the machine, makes its memory, loads its images,
 * prepares its steps and writes the first bytes of its memory. `options` may be
 * NULL. The description may be destroyed after. Whatever is refused, nothing
 * stays behind. GOLDY_INVALID_ARGUMENT: a rule is broken;
 * GOLDY_UNSUPPORTED, GOLDY_INVALID_ARTIFACT, GOLDY_UNTRUSTED, GOLDY_LIMIT: a
 * device refuses an image, memory or a step; GOLDY_OUT_OF_MEMORY; GOLDY_LOST.
 * The message names device, place and rule. */
GOLDY_MUST_USE goldy_status_t goldy_program_load(
    const goldy_program_desc_t *desc, const goldy_program_machine_t *machine,
    const goldy_program_options_t *options, goldy_program_t **out_program);
/* Waits for the work of the program's runs, then returns all it made; a program
 * that has frames lasts as long as they. No run may be going on. */
void goldy_program_destroy(goldy_program_t *program);

typedef struct goldy_program_counts {
  size_t devices, inputs, ints;
  size_t submits; /* submit steps, a loop's body counted once */
  size_t clocks;  /* devices that measure runs; 0 if it is not timed */
} goldy_program_counts_t;
goldy_program_counts_t goldy_program_counts(const goldy_program_t *program);

/* What a run does, one line a step: on which device, what is computed for it,
 * and what the host waits for before it. For people; belongs to the program. */
GOLDY_MUST_USE goldy_status_t goldy_program_plan(goldy_program_t *program,
                                                 goldy_text_t *out_text);

/* As `device` of a point: the host's, which is reached. */
#define GOLDY_PROGRAM_HOST UINT32_MAX

/* A point of the timeline of a device of the program: `value` is one for
 * goldy_device_wait on it. */
typedef struct goldy_program_point {
  uint32_t device; /* its number in the program, or GOLDY_PROGRAM_HOST */
  uint64_t value;
} goldy_program_point_t;

/* What a run is given. It is read before the first step, and may be changed
 * once the run has returned. */
typedef struct goldy_program_frame {
  goldy_buffer_t *const *inputs; /* as many as the program has, by number */
  size_t input_count;
  /* The first words of the run's ints, 63 bits each. The others are what the
   * run before the last left in them, at first 0. */
  const int64_t *ints;
  size_t int_count; /* at most as many as the program has */
  /* NULL, or one for each submit step in step order, where the run stores the
   * point of the step's last submission; the host's for a step that was not
   * reached. */
  goldy_program_point_t *step_points;
  size_t step_point_count;
} goldy_program_frame_t;

/* Runs the steps once, in order, when the program's run before has returned.
 * The first submission of each device follows the points `waits` and the
 * device's earlier work. `ends`, which may be NULL, has room for as many points
 * as the program has devices and takes the last one of each device that
 * worked, in the order of devices; `end_count`, which may be NULL, their
 * number. Work of CPU devices and of the host is done on return.
 *
 * GOLDY_INVALID_ARGUMENT before the first step: the frame does not fit, or this
 * thread is in a run of the program; nothing ran. At a step: its numbers are
 * refused, the steps before it ran; points and ends tell of those. So they do
 * if a device or a host function fails. */
GOLDY_MUST_USE goldy_status_t
goldy_program_run(goldy_program_t *program, const goldy_program_frame_t *frame,
                  const goldy_program_point_t *waits, size_t wait_count,
                  goldy_program_point_t *ends, size_t *end_count);

/* GOLDY_TIMEOUT after `timeout_ns`. */
GOLDY_MUST_USE goldy_status_t goldy_program_wait(goldy_program_t *program,
                                                 goldy_program_point_t point,
                                                 uint64_t timeout_ns);

/* When a part of a step, or a move, began and ended (goldy_time_span_t). */
typedef struct goldy_program_time {
  const char *place; /* "steps[2].body[0].parts[1]" */
  /* Of the function that a launch or fill calls; "copy", "words", "ready",
   * "move". Both live as long as the program. */
  const char *name;
  uint32_t device; /* or GOLDY_PROGRAM_HOST: a move that the host made */
  goldy_time_span_t span;
} goldy_program_time_t;

/* Times of the last run of a program that was loaded with GOLDY_PROGRAM_TIMED,
 * in the order in which its work was started; that of devices without a clock
 * is left out. Waits for the run's work. `times` has room for `capacity` and
 * may be NULL if that is 0. `out_count` takes how many there are, at most
 * 1048576, and `out_left_out`, which may be NULL, how many came after those.
 * GOLDY_INVALID_ARGUMENT if the program is not timed, or this thread is in a
 * run of it. */
GOLDY_MUST_USE goldy_status_t goldy_program_times(goldy_program_t *program,
                                                  goldy_program_time_t *times,
                                                  size_t capacity,
                                                  size_t *out_count,
                                                  size_t *out_left_out);

/*===-- Templates ---------------------------------------------------------===*/

/* A description before its devices are known: kernel names in place of images,
 * names in place of archs. */
typedef struct goldy_program_template goldy_program_template_t;

/* Read and check, in bytes and in text. GOLDY_INVALID_ARTIFACT as for
 * descriptions; then as goldy_program_desc_check without a machine. */
GOLDY_MUST_USE goldy_status_t goldy_program_template_decode(
    const void *data, size_t bytes, goldy_program_template_t **out_template);
GOLDY_MUST_USE goldy_status_t goldy_program_template_parse(
    const char *text, size_t bytes, goldy_program_template_t **out_template);
void goldy_program_template_destroy(goldy_program_template_t *t);

/* Programs of an artifact, in source order; a number that is not below the
 * count gives empty text. */
size_t goldy_artifact_program_count(const goldy_artifact_t *artifact);
goldy_text_t goldy_artifact_program_name(const goldy_artifact_t *artifact,
                                         size_t program);
/* The template of program `name`, which outlives the artifact; `name` may be
 * NULL if there is exactly one. GOLDY_NOT_FOUND lists those there are. */
GOLDY_MUST_USE goldy_status_t
goldy_program_template_open(const goldy_artifact_t *artifact, const char *name,
                            goldy_program_template_t **out_template);
/* As bytes and as text; what is given belongs to the template, until the next
 * call for it. */
GOLDY_MUST_USE goldy_status_t goldy_program_template_encode(
    goldy_program_template_t *t, goldy_text_t *out_bytes);
GOLDY_MUST_USE goldy_status_t goldy_program_template_print(
    goldy_program_template_t *t, goldy_text_t *out_text);

/* What a caller gives by name. Inputs and ints that only the program itself
 * uses are not counted. */
typedef struct goldy_template_info {
  const char *name;
  size_t device_count;
  size_t input_count;
  size_t int_count;
} goldy_template_info_t;
typedef enum goldy_input_form {
  GOLDY_INPUT_SLICE = 0,  /* any number of elements, at most 2^32 - 1 */
  GOLDY_INPUT_UNIFORM = 1 /* one value */
} goldy_input_form_t;
typedef struct goldy_input_info {
  const char *name;
  size_t device; /* number of the device whose memory it is in */
  goldy_input_form_t form;
  const goldy_type_t *type; /* of an element; NULL: bytes */
  goldy_access_t access;    /* GOLDY_READ or GOLDY_READ_WRITE */
  uint64_t bytes;           /* that it has at least */
} goldy_input_info_t;
typedef struct goldy_int_info {
  const char *name;
  const goldy_type_t *type; /* a scalar of 4 or 8 bytes */
} goldy_int_info_t;
/* Strings and types live as long as the template. A number that is not below
 * its count gives NULL and zeros. */
goldy_template_info_t
goldy_program_template_info(const goldy_program_template_t *t);
const char *goldy_program_template_device(const goldy_program_template_t *t,
                                          size_t index);
goldy_input_info_t
goldy_program_template_input(const goldy_program_template_t *t, size_t index);
goldy_int_info_t goldy_program_template_int(const goldy_program_template_t *t,
                                            size_t index);

/* Where the user wrote the step that `message` is about, which begins with the
 * step's place as messages about descriptions do: "mlp.goldy:12:5"; empty if
 * that is not known. Lives as long as the template. */
goldy_text_t goldy_program_template_origin(const goldy_program_template_t *t,
                                           const char *message);

/* The description for devices, one for each of the template's. Each kernel's
 * image comes from `artifact` as a file of its own, of this kernel and one
 * architecture, with all that the artifact says about it. A device's arch is
 * the least that runs the best images of all its kernels. GOLDY_NOT_FOUND: the
 * artifact lacks a kernel; GOLDY_UNSUPPORTED: a device runs no image of its
 * kernels. */
GOLDY_MUST_USE goldy_status_t goldy_program_instantiate(
    const goldy_program_template_t *t, const goldy_artifact_t *artifact,
    goldy_device_t *const *devices, size_t count,
    goldy_program_desc_t **out_desc);

#ifdef __cplusplus
}
#endif
#endif
