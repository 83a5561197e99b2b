/* Shows a kernel's surroundings: out[4g + 0..3] of group g become MXCSR without
 * its sticky flags, the scratch pointer's low 6 bits, the linear group number,
 * and how often this group ran. Spins `spin` steps a group. Workgroup size 1.
 * Part of goldyc, under the Apache License v2.0 with LLVM Exceptions. */
#include "goldy_host_abi.h"

struct block {
  uint32_t *out;
  uint32_t length, zero;
  uint32_t spin;
};

int32_t kernel(const void *block, const goldy_group_range *range,
               void *scratch) {
  const struct block *b = (const struct block *)block;
  volatile uint32_t *s = (volatile uint32_t *)scratch;
  for (uint64_t g = range->first; g < range->end; ++g) {
    uint32_t csr;
    __asm__ volatile("stmxcsr %0" : "=m"(csr));
    s[0] = (uint32_t)g;
    for (uint32_t i = 0; i < b->spin; ++i)
      s[1] = i;
    uint32_t *o = b->out + 4 * g;
    o[0] = csr & ~0x3fu;
    o[1] = (uint32_t)((uintptr_t)scratch & 63);
    o[2] = s[0];
    o[3] += 1;
  }
  return 0;
}
