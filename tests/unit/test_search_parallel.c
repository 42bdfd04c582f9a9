/* test_search_parallel.c - a search by several threads comes to the very result of one thread: counts, verdicts,
 * stories, and what is said of them, whatever ends it; and the visited set takes states from several threads. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "client/load.h"
#include "search/search.h"
#include "search/visited.h"
#include "tests/unit/unit.h"

