/* test_script_budget_covered.c - test_script_budget.c once more, with every instruction counted: nobody may see a
 * difference. */
#define RIG_COVERED
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "test_script_budget.c"
