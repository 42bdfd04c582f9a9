/* mix.c - see mix.h. */
#include "report/mix.h"

fault_mix mix_of(const fault_budget *budgets)
{
    fault_mix m = { 0 };
    for (int k = 0; k < FAULT_KINDS; k++)
        m.of[k] = budgets[k].budget;
    return m;
}

static uint64_t size_of(const fault_mix *m)
{
    uint64_t n = 0;
    for (int k = 0; k < FAULT_KINDS; k++)
        n += m->of[k];
    return n;
}

bool mix_is_empty(const fault_mix *m)
{
    return size_of(m) == 0;
}

bool mix_is_single(const fault_mix *m, fault_kind *k)
{
    int kinds = 0;
    for (int i = 0; i < FAULT_KINDS; i++)
        if (m->of[i] > 0) {
            *k = (fault_kind)i;
            kinds++;
        }
    return kinds == 1;
}

bool mix_within(const fault_mix *less, const fault_mix *m)
{
    bool some = false;
    for (int k = 0; k < FAULT_KINDS; k++) {
        if (less->of[k] > m->of[k])
            return false;
        some |= less->of[k] < m->of[k];
    }
    return some;
}

int mix_cmp(const fault_mix *a, const fault_mix *b)
{
    uint64_t na = size_of(a), nb = size_of(b);
    if (na != nb)
        return na < nb ? -1 : 1;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (a->of[k] != b->of[k])
            return a->of[k] > b->of[k] ? -1 : 1;
    return 0;
}

void mix_add(buf *out, const fault_mix *m)
{
    enum { REPEATED_MAX = 4 };
    bool first = true;
    for (int k = 0; k < FAULT_KINDS; k++) {
        bool many = m->of[k] > REPEATED_MAX;
        for (uint32_t i = 0; i < (many ? 1 : m->of[k]); i++) {
            buf_addz(out, first ? "" : "+");
            if (many)
                buf_printf(out, "%u", (unsigned)m->of[k]);
            buf_addz(out, fault_code((fault_kind)k));
            first = false;
        }
    }
}
