/* hidden.c - see hidden.h. */
#include "client/hidden.h"

#include <assert.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "client/process_internal.h"

/* A NaN's exponent, without the bit that makes it quiet; number k + 1 in the last bits. */
#define SIGNALING UINT64_C(0x7ff0c0de00000000)

static double number_of(size_t k)
{
    uint64_t bits = SIGNALING | (k + 1);
    double n;
    memcpy(&n, &bits, sizeof n);
    return n;
}

bool hidden_is(const process *p, double n, size_t *k)
{
    uint64_t bits;
    if (p->hidden_count == 0)
        return false;
    memcpy(&bits, &n, sizeof bits);
    *k = (size_t)(bits - SIGNALING) - 1;
    return bits > SIGNALING && bits <= SIGNALING + p->hidden_count;
}

/* The ways to use a number that must set the flag, each by itself. The result of a conversion is undefined, and
 * ignored. */
enum { USES = 8 };
__attribute__((no_sanitize("undefined"))) static int uses_noted(volatile double n)
{
    static const char *const formats[] = { "%.14g", "%.17g", "%f" };
    volatile double other = 1, sum;
    volatile bool result;
    volatile int64_t whole;
    char text[32];
    int noted = 0;
    for (int way = 0; way < USES; way++) {
        feclearexcept(FE_INVALID);
        switch (way) {
        case 0: result = n == other; break;
        case 1: result = n < other; break;
        case 2: sum = n + other; break;
        case 3: sum = n - n; break;
        case 4: whole = (int64_t)n; break;
        default: snprintf(text, sizeof text, formats[way - 5], n); break;
        }
        noted += fetestexcept(FE_INVALID) != 0;
    }
    (void)result, (void)sum, (void)whole;
    return noted;
}

bool hidden_works(void)
{
    volatile double n = number_of(0), copy;
    feclearexcept(FE_INVALID);
    copy = n;
    bool quiet = fetestexcept(FE_INVALID) == 0;
    return quiet && uses_noted(copy) == USES;
}

void hidden_run_begin(void)
{
    feclearexcept(FE_INVALID);
}

void hidden_run_end(process *p)
{
    p->looked |= p->hidden_count > 0 && fetestexcept(FE_INVALID) != 0;
}

bool process_looked(const process *p)
{
    return p->looked;
}

/* ---- putting them there ---- */

static bool hide(void *context, double *n)
{
    const process *p = context;
    for (size_t k = 0; k < p->hidden_count; k++)
        if (*n == (double)p->hidden[k]) {
            *n = number_of(k);
            return true;
        }
    return false;
}

static bool reveal(void *context, double *n)
{
    const process *p = context;
    size_t k;
    if (!hidden_is(p, *n, &k))
        return false;
    *n = (double)p->hidden[k];
    return true;
}

void process_hide(process *p, const int64_t *at_ms, size_t count)
{
    assert(p->hidden_count == 0 && count <= HIDDEN_MAX);
    p->hidden = at_ms;
    p->hidden_count = count;
    p->looked = false;
    if (count > 0)
        process_each_number(p, hide, p);
}

void process_reveal(process *p)
{
    if (p->hidden_count > 0)
        process_each_number(p, reveal, p);
    p->hidden_count = 0;
}
