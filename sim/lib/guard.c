/* guard.c - what would end a program ends a call instead: last words (last.h) and failed assertions jump back to where
 * the user's call began. Nothing on the way is cleared up: what it had in hand stays in memory, unused. */
#include "lib/internal.h"

#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdnoreturn.h>

#include "base/last.h"
#include "base/mem.h"

typedef struct guard {
    jmp_buf back;
    struct guard *outer;           /* of a call that a callback made */
    locksim_code code;
    char text[512];
} guard;

static _Thread_local guard *innermost;

static noreturn void leave(locksim_code code)
{
    if (!innermost)
        __builtin_trap();          /* every way into the library is guarded */
    innermost->code = code;
    longjmp(innermost->back, 1);
}

noreturn void last_words(const char *text)
{
    if (!innermost)
        __builtin_trap();
    snprintf(innermost->text, sizeof innermost->text, "%s", text);
    leave(strcmp(text, "out of memory") == 0 ? LOCKSIM_NO_MEMORY : LOCKSIM_BUG);
}

/* assert's function, for this library alone: the linker prefers it, and it is not exported. */
noreturn void __assert_fail(const char *claim, const char *file, unsigned line, const char *function)
{
    if (!innermost)
        __builtin_trap();
    snprintf(innermost->text, sizeof innermost->text, "%s:%u: %s: what should hold does not: %s", file, line, function,
             claim);
    leave(LOCKSIM_BUG);
}

bool guarded(void (*work)(void *context), void *context, locksim_error **error)
{
    guard g = { .outer = innermost };
    if (setjmp(g.back) == 0) {
        innermost = &g;
        work(context);
        innermost = g.outer;
        return true;
    }
    innermost = g.outer;
    mem_give_back();
    error_plain(error, g.code, g.text);
    return false;
}
