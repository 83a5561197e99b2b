/* Sorts the numbers of the command line with the program of sort.goldy, through
 * the header that `goldyc --emit=cheader` makes:
 *   sort FILE.gdy 5 -3 9 0
 * Part of goldyc, under the Apache License v2.0 with LLVM Exceptions. */
#include "sort.h"

#include <stdio.h>
#include <stdlib.h>

static int failed(goldy_status_t status) {
  if (!status)
    return 0;
  fprintf(stderr, "sort: %s: %s\n", goldy_code_name(goldy_status_code(status)),
          goldy_status_message(status));
  goldy_status_destroy(status);
  return 1;
}

/* The network sorts 2^levels numbers: what is missing is filled up. */
static int sort(const char *file, float *values, uint32_t levels) {
  size_t bytes = sizeof(float) << levels;
  goldy_device_t *device = NULL;
  goldy_artifact_t *artifact = NULL;
  goldy_frame_t *frame = NULL;
  sort_sort_args args = {NULL, levels};
  int bad =
      failed(goldy_device_create("cpu", NULL, &device)) ||
      failed(goldy_artifact_load_file(file, GOLDY_LOAD_TRUSTED, &artifact)) ||
      failed(sort_sort_load(artifact, device, &frame)) ||
      failed(goldy_buffer_create(device, bytes, &args.x)) ||
      failed(goldy_buffer_write(args.x, 0, values, bytes)) ||
      failed(sort_sort_run(frame, &args)) ||
      failed(goldy_frame_wait(frame, GOLDY_FOREVER)) ||
      failed(goldy_buffer_read(args.x, 0, values, bytes));
  goldy_frame_destroy(frame);
  goldy_buffer_destroy(args.x);
  goldy_artifact_destroy(artifact);
  goldy_device_destroy(device);
  return bad;
}

int main(int argc, char **argv) {
  uint32_t levels = 0;
  int count = argc - 2;
  if (count < 1 || count > 1 << 20) {
    fprintf(stderr, "usage: sort FILE.gdy NUMBER...\n");
    return 2;
  }
  while (1 << levels < count)
    ++levels;
  float *values = malloc(sizeof(float) << levels);
  if (!values)
    return 1;
  for (int i = 0; i < 1 << levels; ++i)
    values[i] = i < count ? strtof(argv[i + 2], NULL) : 3.4028235e38f;
  int bad = sort(argv[1], values, levels);
  for (int i = 0; i < count && !bad; ++i)
    printf("%g\n", values[i]);
  free(values);
  return bad;
}
