/* test_script_sandbox_covered.c - test_script_sandbox.c again, with every instruction counted: no script may see a
 * difference. */
#define RIG_COVERED
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "test_script_sandbox.c"
