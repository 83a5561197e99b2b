/* y[i] = 10 y[i] + x[i] through two tensor views. Workgroup size 64. Part of
 * goldyc, under the Apache License v2.0 with LLVM Exceptions. */
#include "goldy_host_abi.h"

struct tensor {
  uint32_t *data;
  uint32_t length, zero0;
  uint32_t offset, zero1;
};
struct block {
  struct tensor x, y;
  const goldy_tensor_layout *layouts;
};

static uint32_t *element(const struct tensor *t, const goldy_tensor_layout *l,
                         uint32_t i) {
  uint64_t at = t->offset;
  for (int axis = 3; axis >= 0; --axis) {
    at += (uint64_t)(i % l->shape[axis]) * l->strides[axis];
    i /= l->shape[axis];
  }
  return t->data + at;
}

int32_t kernel(const void *block, const goldy_group_range *range,
               void *scratch) {
  const struct block *b = (const struct block *)block;
  (void)scratch;
  for (uint64_t i = 64 * range->first; i < 64 * range->end; ++i)
    if (i < b->layouts[1].numel) {
      uint32_t *y = element(&b->y, &b->layouts[1], (uint32_t)i);
      *y = 10 * *y + *element(&b->x, &b->layouts[0], (uint32_t)i);
    }
  return 0;
}
