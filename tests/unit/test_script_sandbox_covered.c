/* test_script_sandbox_covered.c - test_script_sandbox.c once more, with every instruction counted: nobody may see a
 * difference. */
#define RIG_COVERED
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "test_script_sandbox.c"
