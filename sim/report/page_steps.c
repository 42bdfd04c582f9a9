/* page_steps.c - the steps of a story as a list, each with all keys as they are after it: a table that can be read
 * without any script. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "report/clean.h"
#include "report/page_parts.h"

enum { VALUE_COLUMNS_MAX = 400, EFFECTS_MAX = 40 };

/* The keyspace at this step of the story: the latest change of each key, by server and name. */
typedef struct {
    const story *s;
    const story_key **keys;
    size_t count, cap;
    size_t next;           /* change that was not applied yet */
    size_t from;           /* first change of the step that was applied last */
} keyspace;

static int in_order(const story_key *x, const story_key *y)
{
    return x->server != y->server ? (x->server < y->server ? -1 : 1) : str_cmp(x->name, y->name);
}

static void apply(keyspace *k, const story_key *change)
{
    size_t i = 0;
    while (i < k->count && in_order(k->keys[i], change) < 0)
        i++;
    bool known = i < k->count && in_order(k->keys[i], change) == 0;
    if (known && change->gone) {
        memmove(k->keys + i, k->keys + i + 1, (--k->count - i) * sizeof *k->keys);
    } else if (known) {
        k->keys[i] = change;
    } else if (!change->gone) {
        MEM_RESERVE(k->keys, k->cap, k->count + 1);
        memmove(k->keys + i + 1, k->keys + i, (k->count++ - i) * sizeof *k->keys);
        k->keys[i] = change;
    }
}

/* Up to the end of that step, 1-based. */
static void advance(keyspace *k, size_t step)
{
    while (k->next < k->s->key_count && k->s->keys[k->next].step < step)
        apply(k, &k->s->keys[k->next++]);
    k->from = k->next;
    while (k->next < k->s->key_count && k->s->keys[k->next].step == step)
        apply(k, &k->s->keys[k->next++]);
}

/* ---- one step ---- */

static void add_key(const story_key *key, size_t step, int64_t at_ms, bool many_servers, buf *out)
{
    arena *a = arena_new();
    str value = clean_copy(a, key->value);
    buf_printf(out, "<tr%s><th scope=\"row\">", key->step == step && step > 0 ? " class=\"new\"" : "");
    if (many_servers)
        buf_printf(out, "%u: ", key->server + 1);
    clean_xml(out, key->name);
    buf_addz(out, key->step == step && step > 0 && !key->gone ? " <span class=\"tell\">changed</span></th><td>"
             : "</th><td>");
    if (key->gone)
        buf_addz(out, key->expired ? "<em>expired</em>" : "<em>gone</em>");
    clean_xml(out, clean_cut(value, VALUE_COLUMNS_MAX));
    if (clean_width(value) > VALUE_COLUMNS_MAX)
        buf_addz(out, "\xe2\x80\xa6");
    buf_addz(out, "</td><td class=\"count\">");
    if (!key->gone && key->deadline_ms != INT64_MAX)
        buf_printf(out, "%" PRId64 " ms", key->deadline_ms - at_ms);
    else
        buf_addz(out, key->gone ? "" : "none");
    buf_addz(out, "</td></tr>");
    arena_free(a);
}

static void add_keys(const keyspace *k, size_t step, int64_t at_ms, bool many_servers, buf *out)
{
    size_t gone = 0, shown = 0;
    for (size_t i = k->from; i < k->next; i++)
        gone += k->s->keys[i].gone;
    if (k->count == 0 && gone == 0) {
        buf_addz(out, "<p class=\"soft keys-none\">Redis is empty.</p>");
        return;
    }
    buf_printf(out, "<table class=\"keys\"><caption>Keys after step %zu</caption><thead><tr><th "
               "scope=\"col\">key</th><th scope=\"col\">value</th>"
                    "<th scope=\"col\" class=\"count\">ttl</th></tr></thead><tbody>", step);
    for (size_t i = k->from; i < k->next && shown < PAGE_KEYS_MAX; i++)
        if (k->s->keys[i].gone) {
            add_key(&k->s->keys[i], step, at_ms, many_servers, out);
            shown++;
        }
    /* where there is no room, unchanged keys are left out first */
    for (int changed = 1; changed >= 0; changed--)
        for (size_t i = 0; i < k->count && shown < PAGE_KEYS_MAX; i++)
            if ((k->keys[i]->step == step) == changed) {
                add_key(k->keys[i], step, at_ms, many_servers, out);
                shown++;
            }
    buf_addz(out, "</tbody></table>");
    if (shown < k->count + gone)
        buf_printf(out, "<p class=\"soft\">and %zu more keys</p>", k->count + gone - shown);
}

static void add_effects(str effects, buf *out)
{
    if (effects.n == 0)
        return;
    size_t lines = 0, from = 0;
    buf_addz(out, "<p class=\"label\">the script ran</p><pre>");
    for (; from < effects.n && lines < EFFECTS_MAX; lines++) {
        size_t end = str_find(effects, '\n', from);
        buf_addz(out, lines ? "\n" : "");
        clean_xml(out, str_slice(effects, from, end));
        from = end + 1;
    }
    if (from < effects.n) {
        size_t more = 1;
        for (size_t i = from; i < effects.n; i++)
            more += effects.p[i] == '\n';
        buf_printf(out, "\n... and %zu more commands", more);
    }
    buf_addz(out, "</pre>");
}

/* What this step has to do with what broke. */
static void add_guilt(const counterexample *x, size_t step, buf *out)
{
    for (size_t i = 0; i < x->blamed_count; i++)
        if (x->blamed[i] == step)
            buf_addz(out, "<p class=\"guilt blamed\">blamed: without this fault the same schedule passes</p>");
    if (x->decides == step)
        buf_addz(out, "<p class=\"guilt decides\">decides: without this step here it passes, whatever comes later</p>");
    if (x->story.count == step)
        buf_addz(out, "<p class=\"guilt bad\">here it is broken</p>");
}

static void add_step(const outcome *o, const counterexample *x, const keyspace *k, size_t step, str id,
                     bool many_servers, buf *out)
{
    const story_row *r = &k->s->rows[step - 1];
    str client = r->process < o->client_count ? o->clients[r->process] : S("");
    buf_printf(out, "<li id=\"%.*s-%zu\" data-step=\"%zu\"><p class=\"head\"><span class=\"number\">%zu</span> <span "
               "class=\"time\">", STR_ARG(id), step,
               step, step);
    report_add_instant(out, r->at_ms);
    buf_addz(out, "</span> ");
    if (client.n) {
        buf_addz(out, "<b>");
        clean_xml(out, client);
        clean_xml(out, report_task_of(r, client));
        buf_addz(out, "</b> ");
    }
    bool passes = !client.n && r->token.n && r->token.p[0] == '+';
    if (passes)
        buf_printf(out, "%.*s ms pass", (int)r->token.n - 1, r->token.p + 1);
    else
        clean_xml(out, r->did.n ? r->did : r->token);
    buf_addz(out, "</p>");
    add_guilt(x, step, out);
    page_lines(out, "p", r->notes);
    add_keys(k, step, r->at_ms, many_servers, out);
    add_effects(r->effects, out);
    if (r->location.n) {
        buf_addz(out, "<p class=\"soft\">the client is at ");
        clean_xml(out, r->location);
        buf_addz(out, "</p>");
    }
    buf_addz(out, "</li>\n");
}

void page_steps(const outcome *o, const counterexample *x, str id, buf *out)
{
    const story *s = &x->story;
    keyspace k = { .s = s };
    bool many = false, gap = false;
    for (size_t i = 0; i < s->key_count; i++)
        many |= s->keys[i].server > 0;
    buf_addz(out, "<ol class=\"steps\">\n");
    for (size_t i = 0; i < s->count; i++) {
        advance(&k, i + 1);
        if (page_tells(i, s->count))
            add_step(o, x, &k, i + 1, id, many, out);
        else if (!gap) {
            gap = true;
            buf_addz(out, "<li class=\"gap\">");
            report_add_count(out, s->count - PAGE_STEPS_MAX);
            buf_addz(out, " steps are left out here; <code>locksim replay</code> tells them all</li>\n");
        }
    }
    buf_addz(out, "</ol>\n");
    mem_free(k.keys);
}
