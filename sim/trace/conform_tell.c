/* conform_tell.c - the request that could not be reached, and what the driver would have sent. */
#include "trace/conform_internal.h"

#include <inttypes.h>

void conform_add_words(buf *out, const str *argv, size_t argc, size_t from)
{
    enum { WORDS_MAX = 8, WORD_BYTES_MAX = 40 };
    for (size_t i = from; i < argc && i < WORDS_MAX; i++) {
        buf_addz(out, i > from ? " " : "");
        buf_add(out, str_slice(argv[i], 0, WORD_BYTES_MAX));
    }
    buf_addz(out, argc > WORDS_MAX ? " ..." : "");
}

static str when(arena *a, int64_t at_ms, int64_t begin_us)
{
    int64_t ms = at_ms - begin_us / 1000;
    return arena_printf(a, "%" PRId64 ".%03d s", ms / 1000, (int)(ms % 1000));
}

static str sent_text(arena *a, const heard *h)
{
    buf b = { 0 };
    bool named = h->shape && h->shape != ANY_SCRIPT;
    if (named)
        buf_printf(&b, "%.*s (", STR_ARG(h->claim.op));
    conform_add_words(&b, h->argv, h->argc, 0);
    buf_addz(&b, named ? ")" : "");
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static str would_text(const conform *c, int64_t begin_us)
{
    buf b = { 0 };
    if (c->would_count == 0 && c->would_wait_ms)
        buf_printf(&b, "The driver would send nothing before %.*s.",
                   STR_ARG(when(c->scratch, c->would_wait_ms, begin_us)));
    else if (c->would_count == 0)
        buf_addz(&b, "The driver would send nothing then.");
    for (size_t i = 0; i < c->would_count; i++)
        buf_printf(&b, "%s%.*s", i ? "; or " : "The driver would send ", STR_ARG(c->would[i]));
    if (c->would_count && c->would_wait_ms)
        buf_printf(&b, "; its next timer ends at %.*s", STR_ARG(when(c->scratch, c->would_wait_ms, begin_us)));
    if (c->would_count)
        buf_byte(&b, '.');
    str out = arena_str(c->scratch, buf_str(&b));
    buf_free(&b);
    return out;
}

void conform_tell(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us)
{
    const heard *h = &c->s->list[c->best];
    size_t since = c->best ? c->s->list[c->best - 1].line : 0;
    found(context, &(finding){
        .kind = FOUND_STRANGE, .lock = c->s->lock, .db = c->s->db, .at_us = h->at_ms * 1000,
        .line = h->line, .since = since,
        .text = arena_printf(c->scratch, "%.*s sent %.*s at %.*s, which %.*s would never send there.",
                             STR_ARG(c->s->owner), STR_ARG(sent_text(c->scratch, h)),
                             STR_ARG(when(c->scratch, h->at_ms, begin_us)), STR_ARG(family_name(c->driver))),
        .why = would_text(c, begin_us) });
}
