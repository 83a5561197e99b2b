/* The artifact as a file, through the C interface. Part of goldyc, under the
 * Apache License v2.0 with LLVM Exceptions. */
#include <goldy/goldy.h>
#include <stdio.h>

static int failed(goldy_status_t status) {
  if (!status)
    return 0;
  fprintf(stderr, "%s: %s\n", goldy_code_name(goldy_status_code(status)),
          goldy_status_message(status));
  goldy_status_destroy(status);
  return 1;
}

int main(int argc, char **argv) {
  goldy_device_t *device = NULL;
  goldy_artifact_t *artifact = NULL;
  goldy_kernel_t *kernel = NULL;
  goldy_buffer_t *x = NULL;
  float values[3] = {1, 2, 3};
  uint64_t point = 0;
  if (argc != 2 || failed(goldy_device_create("cpu", NULL, &device)) ||
      failed(
          goldy_artifact_load_file(argv[1], GOLDY_LOAD_TRUSTED, &artifact)) ||
      failed(goldy_kernel_create(device, artifact, "scale", &kernel)) ||
      failed(goldy_buffer_create(device, sizeof values, &x)) ||
      failed(goldy_buffer_write(x, 0, values, sizeof values)))
    return 1;
  goldy_argument_t arguments[2] = {{x, 0, 3, 0}, {x, 0, 3, 0}};
  goldy_grid_t grid = {{1, 1, 1}};
  if (failed(goldy_kernel_launch(kernel, arguments, 2, grid, &point)) ||
      failed(goldy_device_wait(device, point, GOLDY_FOREVER)) ||
      failed(goldy_buffer_read(x, 0, values, sizeof values)))
    return 1;
  printf("%g %g %g\n", values[0], values[1], values[2]);
  goldy_buffer_destroy(x);
  goldy_kernel_destroy(kernel);
  goldy_artifact_destroy(artifact);
  goldy_device_destroy(device);
  return values[0] == 5 && values[1] == 10 && values[2] == 15 ? 0 : 1;
}
