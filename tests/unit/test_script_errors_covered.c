/* test_script_errors_covered.c - test_script_errors.c once more, with every instruction counted: nobody may see a
 * difference. */
#define RIG_COVERED
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "test_script_errors.c"
