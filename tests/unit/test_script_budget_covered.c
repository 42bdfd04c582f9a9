/* test_script_budget_covered.c - test_script_budget.c again, with every instruction counted: no script may see a
 * difference. */
#define RIG_COVERED
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "test_script_budget.c"
