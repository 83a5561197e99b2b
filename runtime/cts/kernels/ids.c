/* Each work-item writes its ids, 1000003 nx + 1009 ny + nz of the numbers of
 * groups, its group's x and how often it ran, six words each, x fastest.
 * Workgroup size 2. Part of goldyc, under the Apache License v2.0 with LLVM
 * Exceptions. */
#include "goldy_host_abi.h"

struct block {
  uint32_t *out;
  uint32_t length, zero;
};

int32_t kernel(const void *block, const goldy_group_range *range,
               void *scratch) {
  const struct block *b = (const struct block *)block;
  const uint32_t *n = range->count;
  (void)scratch;
  for (uint64_t g = range->first; g < range->end; ++g)
    for (uint32_t l = 0; l < 2; ++l) {
      uint32_t gx = (uint32_t)(g % n[0]);
      uint32_t *o = b->out + 6 * (2 * g + l);
      o[0] = 2 * gx + l;
      o[1] = (uint32_t)(g / n[0] % n[1]);
      o[2] = (uint32_t)(g / n[0] / n[1]);
      o[3] = n[0] * 1000003 + n[1] * 1009 + n[2];
      o[4] = gx;
      o[5] += 1;
    }
  return 0;
}
