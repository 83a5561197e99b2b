#include "goldy/program.h"
#include <stdio.h>

static int told(goldy_status_t status) {
  if (!status)
    return 0;
  fprintf(stderr, "%s\n", goldy_status_message(status));
  goldy_status_destroy(status);
  return 1;
}

/* One move of the first four ints over the next four. */
int main(void) {
  goldy_program_desc_t *desc = NULL;
  goldy_program_slot_t ints = {GOLDY_SLOT_INTS, {0, 0, 0}, 0};
  goldy_program_term_t row = {{GOLDY_VALUE_FIXED, 32, 0, NULL}, 1};
  goldy_program_move_t move = {ints, {NULL, 0}, ints, {&row, 1}, 32};
  int bad = told(goldy_program_desc_create(&desc)) ||
            told(goldy_program_desc_set_ints(desc, 8)) ||
            told(goldy_program_desc_add_move(desc, &move)) ||
            told(goldy_program_desc_check(desc, NULL));
  goldy_program_desc_destroy(desc);
  return bad;
}
