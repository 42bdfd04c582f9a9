/* kept.c - see kept.h. A result is used only if it cannot depend on what was kept; otherwise everything is loaded and
 * learned again. */
#include "judge/kept.h"

#include "base/mem.h"
#include "memo/learned.h"
#include "scenario/source.h"
#include "memo/judgements.h"

struct kept {
    opened scenario;
    size_t bytes;          /* when it was last used */
};

/* Beyond this a scenario is loaded again each time: many may be kept. */
enum { BYTES_MAX = 16 << 20 };

void kept_free(kept *k)
{
    if (!k)
        return;
    process_tables_free(k->scenario.tables);
    judgements_free(k->scenario.judgements);
    looked_free(&k->scenario.looked);
    arena_free(k->scenario.memory);
    mem_free(k);
}

/* Gives the scripts their files' present texts. false: something else has changed, and some scripts may already have
 * theirs. */
static bool renew(kept *k)
{
    opened *s = &k->scenario;
    arena *a = arena_new();
    bool ok = true;
    for (size_t i = 0; i < s->looked.count && ok; i++) {
        struct looked_at *at = &s->looked.at[i];
        err e = { 0 };
        str text;
        if (file_print_now(at->path) == at->print)
            continue;
        ok = files_read(a, at->path, &text, &e) && source_replace_script(s->sc->sources, at->path, text);
        if (ok)
            at->print = file_print_of(text);
        err_clear(&e);
    }
    arena_free(a);
    return ok;
}

static bool is_cancelled(const progress *p)
{
    return p->cancel && *p->cancel;
}

/* Can the result depend on what was learned before? With it a limit of memory is reached sooner, and another error may
 * come first. */
static bool is_doubtful(const kept *k, const judged *j)
{
    str why;
    verdict v = j->result.verdict;
    return v == VERDICT_ERROR || v == VERDICT_INCONCLUSIVE || j->result.search.limited ||
           process_tables_absolute(k->scenario.tables, &why);
}

/* An unwanted result needs no check: the next search is checked. */
static bool is_of_use(const kept *k, const progress *p, const judged *j)
{
    str why;
    bool doubtful = is_cancelled(p) ? process_tables_absolute(k->scenario.tables, &why) : is_doubtful(k, j);
    return !doubtful && !source_texts_read(k->scenario.sc->sources) && k->bytes <= BYTES_MAX;
}

size_t kept_bytes(const kept *k)
{
    return k ? k->bytes : 0;
}

/* false: there is no result. */
static bool judge_kept(const options *o, kept *k, progress *p, judged *out)
{
    if (!renew(k))
        return false;
    judge_opened(o, &k->scenario, p, out);
    if (is_cancelled(p) || !is_doubtful(k, out))
        return true;
    judged_free(out);
    return false;
}

static bool judge_anew(const options *o, str path, progress *p, kept **k, judged *out)
{
    kept *made = mem_zero(sizeof *made);
    if (!judge_open(o, path, &made->scenario, out)) {
        mem_free(made);
        return false;
    }
    *k = made;
    made->scenario.tables = process_tables_new(made->scenario.sc, &made->scenario.l);
    made->scenario.judgements = judgements_new();
    judge_opened(o, &made->scenario, p, out);
    return true;
}

void judge_again(const options *o, str path, progress *p, kept **k, judged *out)
{
    if (!*k || !judge_kept(o, *k, p, out)) {
        kept_free(*k);
        *k = NULL;
        if (!judge_anew(o, path, p, k, out))
            return;
    }
    opened *s = &(*k)->scenario;
    if (judgements_full(s->judgements)) {
        judgements_free(s->judgements);
        s->judgements = judgements_new();
    }
    out->looked = looked_copy(&s->looked);
    process_tables_rest(s->tables);
    (*k)->bytes = process_tables_bytes(s->tables) + judgements_bytes(s->judgements) + arena_bytes(s->memory);
    if (is_of_use(*k, p, out))
        return;
    out->scenario = (*k)->scenario.memory;         /* the result still borrows from it */
    (*k)->scenario.memory = NULL;
    kept_free(*k);
    *k = NULL;
}
