/* saved.c - see saved.h. The reader accepts only comments, names, whole numbers, strings and lists of strings. */
#include "judge/saved.h"

#include <inttypes.h>
#include <string.h>

#include "base/lua_tokens.h"
#include "scenario/ids.h"
#include "report/clean.h"
#include "world/world.h"

enum { SAVED_VERSION = 1, STEPS_MAX = 1000000 };

/* ---- writing ---- */

static void add_comment(buf *out, const story_row *r)
{
    buf_addz(out, "  -- ");
    buf instant = { 0 };
    int64_t ms = r->at_ms - WORLD_EPOCH_MS;
    buf_printf(&instant, "%" PRId64 " ms", ms);
    buf_add(out, buf_str(&instant));
    buf_free(&instant);
    const str texts[] = { r->did, r->redis };
    for (size_t i = 0; i < COUNT(texts); i++) {
        str line = str_slice(texts[i], 0, str_find(texts[i], '\n', 0));
        if (line.n) {
            buf_addz(out, i == 0 ? "  " : "  | ");
            clean_text(out, clean_cut(line, 100));
        }
    }
}

static void add_list(buf *out, const char *name, const str *items, size_t count)
{
    buf_printf(out, "  %s = { ", name);
    for (size_t i = 0; i < count; i++) {
        buf_addz(out, i ? ", " : "");
        tokens_quote(out, items[i]);
    }
    buf_addz(out, " },\n");
}

void saved_print(const saved *s, str file, const counterexample *x, buf *out)
{
    const property_info *info = s->property < PROPERTY_COUNT ? property_describe(s->property) : NULL;
    buf_addz(out, "-- ");
    if (info)
        buf_printf(out, "%s %s: ", info->code, info->name);
    clean_text(out, x->text);
    buf_addz(out, "\n-- locksim replay ");
    clean_argument(out, file);
    buf_printf(out, "\nreturn {\n  locksim   = %d,\n", SAVED_VERSION);
    if (s->client_count) {
        add_list(out, "clients  ", s->clients, s->client_count);
        buf_printf(out, str_find(s->ports, ',', 0) < s->ports.n ? "  ports     = \"%.*s\",\n" : "  port      = %.*s,\n",
                   STR_ARG(s->ports));
        if (s->strict)
            buf_addz(out, "  strict    = 1,\n");
        if (s->clock_reads)
            buf_addz(out, "  clock_reads = 1,\n");
        if (s->latency_ms)
            buf_printf(out, "  latency   = %" PRIu64 ",\n", s->latency_ms);
    } else {
        buf_addz(out, "  scenario  = ");
        tokens_quote(out, s->scenario);
        buf_addz(out, ",\n");
    }
    buf_printf(out, "  property  = \"%s\",\n  seed      = %" PRIu64 ",\n", info ? info->name : "none",
               s->seed);
    if (s->max_steps)
        buf_printf(out, "  max_steps = %" PRIu64 ",\n", s->max_steps);
    const struct { const char *name; str text; } given[] = { { "faults   ", s->by.faults },
                                                             { "dialect  ", s->by.dialect },
                                                             { "lock     ", s->lock }, { "clock    ", s->clocks } };
    for (size_t i = 0; i < COUNT(given); i++) {
        if (!given[i].text.n)
            continue;
        buf_printf(out, "  %s = ", given[i].name);
        tokens_quote(out, given[i].text);
        buf_addz(out, ",\n");
    }
    if (s->script_count)
        add_list(out, "scripts  ", s->scripts, s->script_count);
    buf_addz(out, "  schedule  = {\n");
    arena *a = arena_new();
    schedule_item *items;
    size_t count;
    err e = { 0 };
    bool ok = schedule_parse(a, s->schedule, file, &items, &count, &e);
    size_t row = 0;
    str word = ids_word_in(s->schedule);
    if (ok && word.n) {
        buf_addz(out, "    ");
        tokens_quote(out, word);
        buf_addz(out, ",\n");
    }
    for (size_t i = 0; ok && i < count; i++) {
        bool bracket = str_eq(items[i].token, S("[")) || str_eq(items[i].token, S("]"));
        str line = items[i].argument.n ? arena_printf(a, "%.*s %.*s", STR_ARG(items[i].token),
                                                      STR_ARG(items[i].argument))
                                       : items[i].token;
        buf_addz(out, "    ");
        tokens_quote(out, line);
        buf_byte(out, ',');
        if (!bracket && row < x->story.count)
            add_comment(out, &x->story.rows[row++]);
        buf_byte(out, '\n');
    }
    if (!ok) {                                     /* stored unchanged; the replay reports what is wrong with it */
        buf_addz(out, "    ");
        tokens_quote(out, s->schedule);
        buf_addz(out, ",\n");
    }
    err_clear(&e);
    arena_free(a);
    buf_addz(out, "  },\n}\n");
}

/* ---- reading ---- */

typedef struct {
    arena *a;
    str path, text;
    size_t at;
    err *e;
} reader;

static bool wrong(reader *r, const char *what)
{
    int line = 1, col = 1;
    for (size_t i = 0; i < r->at && i < r->text.n; i++) {
        col = r->text.p[i] == '\n' ? 1 : col + 1;
        line += r->text.p[i] == '\n';
    }
    err_at(r->e, ERR_SCENARIO, r->path, line, col, "%s", what);
    err_quote(r->e, r->text);
    return err_hint(r->e, "`locksim replay` reads what `locksim run` or `locksim drive` saved under .locksim/out");
}

static void skip_blanks(reader *r)
{
    while (r->at < r->text.n) {
        if (strchr(" \t\r\n", r->text.p[r->at]) && r->text.p[r->at] != '\0')
            r->at++;
        else if (str_starts(str_slice(r->text, r->at, r->text.n), S("--")))
            r->at = str_find(r->text, '\n', r->at);
        else
            return;
    }
}

static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (r->at >= r->text.n || r->text.p[r->at] != c)
        return false;
    r->at++;
    return true;
}

static str take_name(reader *r)
{
    skip_blanks(r);
    size_t from = r->at;
    while (r->at < r->text.n && (r->text.p[r->at] == '_' || (r->text.p[r->at] >= 'a' && r->text.p[r->at] <= 'z')))
        r->at++;
    return str_slice(r->text, from, r->at);
}

static bool take_string(reader *r, str *out)
{
    if (!take(r, '"'))
        return wrong(r, "expected a string in double quotes");
    buf b = { 0 };
    bool closed = false;
    while (!closed && r->at < r->text.n && r->text.p[r->at] != '\n') {
        char c = r->text.p[r->at++];
        if (c == '"') {
            closed = true;
        } else if (c == '\\' && r->at < r->text.n) {
            unsigned code = 0;
            size_t digits = 0;
            while (digits < 3 && r->at < r->text.n && r->text.p[r->at] >= '0' && r->text.p[r->at] <= '9') {
                code = code * 10 + (unsigned)(r->text.p[r->at++] - '0');
                digits++;
            }
            buf_byte(&b, digits ? (char)code : r->text.p[r->at++]);
        } else {
            buf_byte(&b, c);
        }
    }
    *out = arena_str(r->a, buf_str(&b));
    buf_free(&b);
    return closed || wrong(r, "this string is not closed on its line");
}

static bool take_number(reader *r, uint64_t *n)
{
    skip_blanks(r);
    size_t from = r->at;
    *n = 0;
    while (r->at < r->text.n && r->text.p[r->at] >= '0' && r->text.p[r->at] <= '9' && r->at - from < 19)
        *n = *n * 10 + (uint64_t)(r->text.p[r->at++] - '0');
    return r->at > from || wrong(r, "expected a whole number");
}

/* { "a", "b", } as text joined by newlines. */
static bool take_list(reader *r, buf *joined, size_t *count)
{
    if (!take(r, '{'))
        return wrong(r, "expected a list of strings in braces");
    *count = 0;
    while (!take(r, '}')) {
        str s;
        if (!take_string(r, &s))
            return false;
        if (*count >= STEPS_MAX)
            return wrong(r, "this list is too long");
        if ((*count)++)
            buf_byte(joined, '\n');
        buf_add(joined, s);
        if (!take(r, ',')) {
            if (!take(r, '}'))
                return wrong(r, "expected , or } in this list");
            break;
        }
    }
    return true;
}

static str *split_list(arena *a, const buf *joined, size_t count)
{
    str all = arena_str(a, buf_str(joined)), *items = ARENA_ARRAY(a, str, count + 1);
    size_t n = 0;
    for (size_t from = 0; from <= all.n && n < count;) {
        size_t end = str_find(all, '\n', from);
        items[n++] = arena_str(a, str_slice(all, from, end));
        from = end + 1;
    }
    return items;
}

/* An empty text would mean the scenario's own faults. */
static bool check_faults(reader *r, str faults)
{
    uint32_t budgets[FAULT_KINDS];
    err e = { 0 };
    bool ok = fault_budgets_parse(faults, budgets, &e);
    err_clear(&e);
    return ok || wrong(r, "faults are written like \"crash=1,pause=2\" or \"none\"");
}

static bool check_dialect(reader *r, str text)
{
    dialect d;
    return dialect_parse(text, &d) || wrong(r, "there is no such dialect; \"redis 7.0\" is one");
}

static bool take_field(reader *r, str name, saved *out, unsigned *have)
{
    static const str known[] = { { "locksim", 7 }, { "scenario", 8 }, { "property", 8 }, { "seed", 4 },
                                 { "max_steps", 9 },
                                 { "scripts", 7 }, { "schedule", 8 }, { "faults", 6 }, { "dialect", 7 },
                                 { "clients", 7 }, { "port", 4 }, { "strict", 6 }, { "lock", 4 }, { "latency", 7 },
                                 { "clock", 5 }, { "clock_reads", 11 }, { "ports", 5 } };
    size_t field = 0;
    while (field < COUNT(known) && !str_eq(known[field], name))
        field++;
    *have |= 1u << field;
    uint64_t n;
    str text = { 0 };
    buf list = { 0 };
    size_t count = 0;
    bool ok = true;
    switch (field) {
    case 0:
        ok = take_number(r, &n) && (n == SAVED_VERSION || wrong(r, "this file is of another version of locksim"));
        break;
    case 1: ok = take_string(r, &out->scenario); break;
    case 2:
        out->property = PROPERTY_COUNT;
        ok = take_string(r, &text) && (str_eq(text, S("none")) || property_parse(text, &out->property) ||
                                       wrong(r, "there is no property of this name"));
        break;
    case 3: ok = take_number(r, &out->seed); break;
    case 4: ok = take_number(r, &out->max_steps); break;
    case 5:
        ok = take_list(r, &list, &count);
        out->scripts = split_list(r->a, &list, count);
        out->script_count = count;
        break;
    case 6:
        ok = take_list(r, &list, &out->steps);
        out->schedule = arena_str(r->a, buf_str(&list));
        break;
    case 7: ok = take_string(r, &out->by.faults) && check_faults(r, out->by.faults); break;
    case 8: ok = take_string(r, &out->by.dialect) && check_dialect(r, out->by.dialect); break;
    case 9:
        ok = take_list(r, &list, &count) && (count > 0 || wrong(r, "a run of real programs has at least one client"));
        out->clients = split_list(r->a, &list, count);
        out->client_count = count;
        break;
    case 10:
        ok = take_number(r, &n) && ((n > 0 && n < 65536) || wrong(r, "a port is a number from 1 to 65535"));
        out->ports = arena_printf(r->a, "%" PRIu64, n);
        break;
    case 11:
        ok = take_number(r, &n);
        out->strict = n != 0;
        break;
    case 12: ok = take_string(r, &out->lock); break;
    case 13: ok = take_number(r, &out->latency_ms); break;
    case 14: ok = take_string(r, &out->clocks); break;
    case 15:
        ok = take_number(r, &n);
        out->clock_reads = n != 0;
        break;
    case 16: ok = take_string(r, &out->ports); break;
    default:
        ok = wrong(r, "a saved counterexample has no such field: it has locksim scenario clients port ports "
                   "strict lock latency clock clock_reads property seed max_steps faults dialect scripts schedule");
    }
    buf_free(&list);
    return ok;
}

bool saved_parse(arena *a, str path, str text, saved *out, err *e)
{
    *out = (saved){ 0 };
    reader r = { .a = a, .path = path, .text = text, .e = e };
    enum { NEEDED = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 6 };
    unsigned have = 0;
    if (!str_eq(take_name(&r), S("return")) || !take(&r, '{'))
        return wrong(&r, "this is no saved counterexample: it does not begin with `return {`");
    while (!take(&r, '}')) {
        str name = take_name(&r);
        if (name.n == 0)
            return wrong(&r, "expected the name of a field, or }");
        if (!take(&r, '='))
            return wrong(&r, "expected = after the field's name");
        if (!take_field(&r, name, out, &have))
            return false;
        if (!take(&r, ',')) {
            if (!take(&r, '}'))
                return wrong(&r, "expected , or } after the field");
            break;
        }
    }
    skip_blanks(&r);
    if (r.at < text.n)
        return wrong(&r, "there is something after the end of the table");
    if (out->client_count && out->property == PROPERTY_COUNT)
        return wrong(&r, "a run of real programs names the property that it broke");
    if (out->client_count && !(have & 1u << 1))
        have |= 1u << 1;
    if ((have & NEEDED) != NEEDED)
        return wrong(&r, "a saved counterexample needs the fields locksim, scenario, property and schedule");
    return true;
}
