/* trace.c - see trace.h: a trace's program as a scenario, and its log as rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "recording_json.h"
#include "trace.h"

/* ---- rows ---- */

void rows_add(rows *r, row x)
{
    MEM_RESERVE(r->items, r->cap, r->count + 1);
    r->items[r->count++] = x;
}

void rows_free(rows *r)
{
    mem_free(r->items);
    *r = (rows){ 0 };
}

static int row_order(const void *x, const void *y)
{
    const row *a = x, *b = y;
    if (a->at_ms != b->at_ms)
        return a->at_ms < b->at_ms ? -1 : 1;
    size_t n = a->text.n < b->text.n ? a->text.n : b->text.n;
    int by = memcmp(a->text.p, b->text.p, n);
    return by ? by : (a->text.n > b->text.n) - (a->text.n < b->text.n);
}

void rows_sort(rows *r)
{
    if (r->count)
        qsort(r->items, r->count, sizeof *r->items, row_order);
}

/* ---- the program ---- */

/* The words of a line of the program, blanks between. */
static size_t words_of(arena *a, const char *line, str *out, size_t max)
{
    size_t count = 0;
    for (const char *p = line; *p && count < max;) {
        size_t n = strcspn(p, " ");
        if (n)
            out[count++] = arena_str(a, (str){ p, n });
        p += n + (p[n] == ' ');
    }
    return count;
}

static int64_t number(str s)
{
    return strtoll(s.p, NULL, 10);
}

static void add_quoted(buf *b, str s)
{
    buf_byte(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_byte(b, '\\');
        buf_byte(b, s.p[i]);
    }
    buf_byte(b, '"');
}

static bool known(str word, const char *const *words)
{
    for (; *words; words++)
        if (str_eq(word, str_from(*words)))
            return true;
    return false;
}

/* Calls that are known for some kinds of objects only. A look is one command here; of the others (a group, a read
 * lock's isLocked, permits that run out) it is a script of its own, and no driver has it. */
static bool of_some(str call, str kind)
{
    static const struct { const char *call, *kinds[12]; } known_ones[] = {
        { "isExists", { "lock", "fair", "spin", "read", "write", "nonre", "sem", "latch", "fenced" } },
        { "isLocked", { "lock", "fair", "spin", "write", "nonre", "fenced" } },
        { "isHeldByCurrentThread", { "lock", "fair", "spin", "read", "write", "nonre", "fenced" } },
        { "getHoldCount", { "lock", "fair", "spin", "read", "write", "nonre", "fenced" } },
        { "remainTimeToLive", { "lock", "fair", "spin", "read", "write", "nonre", "sem", "fenced" } },
        { "getCount", { "latch" } }, { "availablePermits", { "sem" } },
        { "delete", { "latch", "lock", "fair", "spin", "read", "write", "nonre" } },
    };
    for (size_t i = 0; i < COUNT(known_ones); i++)
        if (str_eq(call, str_from(known_ones[i].call)))
            return known(kind, known_ones[i].kinds);
    return false;
}

/* Does a step of Redisson's make sense to trace_program.lua? */
static bool expressed(str call, str kind)
{
    static const char *const kinds[] = { "lock", "fair", "spin", "read", "write", "nonre", "sem", "permits", "latch",
                                         "multi", "red", "fast", "fenced", NULL };
    static const char *const calls[] = { "lock", "lockInterruptibly", "tryLock", "unlock", "forceUnlock",
                                         "lockAndGetToken",
        "tryLockAndGetToken", "getToken", "trySetPermits", "acquire", "tryAcquire", "release", "tryRelease",
        "addPermits", "drainPermits",
        "updateLeaseTime", "trySetCount", "countDown", "await", NULL };
    return of_some(call, kind) || (known(kind, kinds) && known(call, calls));
}

/* "AT CALL KIND:NAME wait= lease= n=" as a Lua table. What a package's calls are is known to package_program.lua. */
static bool add_step(arena *a, const char *line, bool redisson, buf *lua, str *why)
{
    str word[16];
    size_t count = words_of(a, line, word, 16);
    const char *colon = count >= 3 ? strchr(word[2].p, ':') : NULL;
    str kind = colon ? arena_str(a, (str){ word[2].p, (size_t)(colon - word[2].p) }) : S("");
    if (!colon || (redisson && !expressed(word[1], kind))) {
        *why = arena_printf(a, "the step '%s'", line);
        return false;
    }
    buf_printf(lua, "{ at = %" PRId64 ", call = \"%.*s\", kind = \"%.*s\", name = ", number(word[0]), STR_ARG(word[1]),
               STR_ARG(kind));
    add_quoted(lua, str_from(colon + 1));
    for (size_t i = 3; i < count; i++) {
        const char *equals = strchr(word[i].p, '=');
        if (!equals) {
            *why = arena_printf(a, "the step '%s'", line);
            return false;
        }
        buf_printf(lua, ", %.*s = %" PRId64, (int)(equals - word[i].p), word[i].p,
                   (int64_t)strtoll(equals + 1, NULL, 10));
    }
    buf_addz(lua, " }, ");
    return true;
}

static trace_client *client_of(trace *t, str name)
{
    for (size_t i = 0; i < t->client_count; i++)
        if (str_eq(t->clients[i].name, name))
            return &t->clients[i];
    trace_client *c = &t->clients[t->client_count++];
    c->name = name;
    return c;
}

static bool add_threads(arena *a, const json_t *program, trace *t, buf *lua, str *why)
{
    const json_t *threads = json_object_get(program, "threads"), *thread, *line;
    for (size_t i = 0; (thread = json_array_get(threads, i)); i++) {
        trace_client *c = client_of(t, bytes_of_json(a, json_object_get(thread, "client")));
        c->threads[c->thread_count++] = (uint32_t)json_integer_value(json_object_get(thread, "thread"));
    }
    for (size_t c = 0; c < t->client_count; c++) {
        buf_printf(lua, "  %.*s = {\n", STR_ARG(t->clients[c].name));
        for (size_t i = 0; (thread = json_array_get(threads, i)); i++) {
            if (!str_eq(bytes_of_json(a, json_object_get(thread, "client")), t->clients[c].name))
                continue;
            buf_addz(lua, "    { ");
            const json_t *steps = json_object_get(thread, "steps");
            for (size_t s = 0; (line = json_array_get(steps, s)); s++)
                if (!add_step(a, json_string_value(line), t->redisson, lua, why))
                    return false;
            buf_addz(lua, "},\n");
        }
        buf_addz(lua, "  },\n");
    }
    return true;
}

/* A word of another client's command: "C2:3", a thread by its number in the program, is in the world its client's
 * first, second... */
static str in_world(arena *a, const trace *t, str word)
{
    buf b = { 0 };
    for (size_t at = 0; at < word.n;) {
        size_t taken = 0;
        for (size_t i = 0; i < t->client_count && taken == 0; i++) {
            const trace_client *c = &t->clients[i];
            const char *p = word.p + at;
            if (word.n - at <= c->name.n + 1 || memcmp(p, c->name.p, c->name.n) != 0 || p[c->name.n] != ':')
                continue;
            char *end;
            unsigned long k = strtoul(p + c->name.n + 1, &end, 10);
            for (size_t n = 0; n < c->thread_count && taken == 0; n++)
                if (c->threads[n] == k) {
                    buf_printf(&b, "%.*s:%zu", STR_ARG(c->name), n + 1);
                    taken = (size_t)(end - p);
                }
        }
        if (taken == 0)
            buf_add(&b, (str){ word.p + at, taken = 1 });
        at += taken;
    }
    str copy = arena_str(a, buf_str(&b));
    buf_free(&b);
    return copy;
}

/* "AT interrupt THREAD", "AT hang SERVER", "AT command ...": the last one is another client's. */
static bool add_events(arena *a, const json_t *program, trace *t, buf *others, str *why)
{
    const json_t *events = json_object_get(program, "events"), *event;
    for (size_t i = 0; (event = json_array_get(events, i)); i++) {
        str word[32];
        size_t count = words_of(a, json_string_value(event), word, 32);
        trace_event e = { .at_ms = count ? number(word[0]) : 0 };
        if (count == 3 && str_eq(word[1], S("interrupt"))) {
            e.kind = HAPPENS_INTERRUPT;
        } else if (count == 3 && str_eq(word[1], S("hang"))) {
            e.kind = HAPPENS_HANG;
        } else if (count > 2 && str_eq(word[1], S("command"))) {
            buf_printf(others, "{ at = %" PRId64 ", words = { ", e.at_ms);
            for (size_t w = 2; w < count; w++) {
                add_quoted(others, in_world(a, t, word[w]));
                buf_addz(others, ", ");
            }
            buf_addz(others, "} }, ");
            continue;
        } else {
            *why = arena_printf(a, "the event '%s'", json_string_value(event));
            return false;
        }
        e.number = (uint32_t)number(word[2]);
        t->events[t->event_count++] = e;
    }
    return true;
}

static bool add_fate(arena *a, const char *line, trace *t, str *why)
{
    str word[8];
    size_t count = words_of(a, line, word, 8);
    if (count == 4 && str_eq(word[0], S("message")) && str_eq(word[3], S("lost"))) {
        t->lost[t->lost_count].client = word[1];
        t->lost[t->lost_count++].nth = (uint32_t)number(word[2]);
        return true;
    }
    static const struct { const char *name; fate_kind kind; } kinds[] = {
        { "late", FATE_LATE }, { "delay", FATE_DELAY }, { "reset", FATE_RESET }, { "nosync", FATE_NOSYNC },
        { "lost", FATE_LOST },
    };
    for (size_t k = 0; count >= 4 && k < COUNT(kinds); k++)
        if (str_eq(word[3], str_from(kinds[k].name))) {
            t->fates[t->fate_count++] = (fate){ .part = word[0],
                                                .thread = str_eq(word[1], S("*")) ? 0 : (uint32_t)number(word[1]),
                .nth = (uint32_t)number(word[2]), .kind = kinds[k].kind, .ms = count > 4 ? number(word[4]) : 0 };
            return true;
        }
    *why = arena_printf(a, "the fate '%s'", line);
    return false;
}

static bool read_settings(arena *a, const json_t *program, trace *t, str *why)
{
    static const char *const known_ones[] = { "end", "rtt", "servers", "replicas", "random", "cold", NULL };
    const json_t *settings = json_object_get(program, "settings"), *item;
    t->servers = 1;
    t->end_ms = json_integer_value(json_object_get(program, "end_ms"));
    t->draws_max = strcmp(json_string_value(json_object_get(program, "random")), "max") == 0;
    for (size_t i = 0; (item = json_array_get(settings, i)); i++) {
        const char *text = json_string_value(item), *equals = strchr(text, '=');
        str name = { text, equals ? (size_t)(equals - text) : strlen(text) };
        int64_t value = equals ? strtoll(equals + 1, NULL, 10) : 1;
        if (!known(arena_str(a, name), known_ones)) {
            *why = arena_printf(a, "the setting '%s'", text);
            return false;
        }
        if (str_eq(name, S("rtt")))
            t->rtt_ms = value;
        else if (str_eq(name, S("servers")))
            t->servers = (uint32_t)value;
        else if (str_eq(name, S("replicas")))
            t->replicas = (uint32_t)value;
        else if (str_eq(name, S("cold")))
            t->cold = value != 0;
    }
    return true;
}

static void add_head(const trace *t, buf *lua)
{
    buf_printf(lua, "return {\n  title = \"trace\", servers = %" PRIu32 ", replicas = %" PRIu32 ",\n  clients = { ",
               t->servers, t->replicas);
    for (size_t i = 0; i < t->client_count; i++)
        buf_printf(lua, "{ \"%.*s\", threads = %zu, start_ms = 0 }, ", STR_ARG(t->clients[i].name),
                   t->clients[i].thread_count);
    /* Where these faults may happen, a request and its answer are two steps, so that time can come between. */
    buf_addz(lua, "},\n  faults = { interrupt = 1000, lose_message = 1000, lose_reply = 1000 },\n"
                  "  program = require \"");
    buf_printf(lua, "%s\"(settings, threads),\n}\n", t->redisson ? "trace_program" : "package_program");
}

static bool is_texts(const json_t *list, size_t max)
{
    const json_t *item;
    for (size_t i = 0; (item = json_array_get(list, i)); i++)
        if (!json_is_string(item))
            return false;
    return json_array_size(list) <= max;
}

/* Whether the rest may rely on what the README says of a trace; else why not. */
static bool well_formed(const json_t *file, str *why)
{
    const json_t *program = json_object_get(file, "program"), *threads = json_object_get(program, "threads"), *thread;
    if (!json_is_object(program) || !json_is_array(json_object_get(file, "log")))
        *why = S("it has no program, or no log");
    else if (!json_is_string(json_object_get(program, "random")))
        *why = S("it does not say what draws at random give (\"random\": \"max\" or \"min\")");
    else if (!is_texts(json_object_get(program, "fates"), FATES_MAX) ||
             !is_texts(json_object_get(program, "events"), EVENTS_MAX) ||
             !is_texts(json_object_get(program, "settings"), EVENTS_MAX))
        *why = S("its fates, events or settings are no texts, or more than 32");
    else if (json_array_size(threads) == 0 || json_array_size(threads) >= CLIENTS_MAX)
        *why = S("it has no threads, or more than 15");
    else
        *why = S("");
    for (size_t i = 0; why->n == 0 && (thread = json_array_get(threads, i)); i++)
        if (!json_is_string(json_object_get(thread, "client")) ||
            !json_is_integer(json_object_get(thread, "thread")) ||
            !is_texts(json_object_get(thread, "steps"), SIZE_MAX))
            *why = S("a thread has no client, number or steps");
    return why->n == 0;
}

bool trace_read(arena *a, const char *path, const json_t *file, trace *out, str *why)
{
    *out = (trace){ .name = str_from(path), .log = json_object_get(file, "log") };
    if (!well_formed(file, why))
        return false;
    const char *library = json_string_value(json_object_get(file, "library"));
    out->redisson = library && strcmp(library, "redisson") == 0;
    const json_t *program = json_object_get(file, "program"), *line;
    buf threads = { 0 }, others = { 0 }, lua = { 0 };
    bool ok = read_settings(a, program, out, why) && add_threads(a, program, out, &threads, why) &&
              add_events(a, program, out, &others, why);
    const json_t *fates = json_object_get(program, "fates");
    for (size_t i = 0; ok && (line = json_array_get(fates, i)); i++)
        ok = add_fate(a, json_string_value(line), out, why);
    if (others.n) {
        trace_client *c = client_of(out, S("other"));
        c->threads[c->thread_count++] = 0;
        buf_printf(&threads, "  other = { { %.*s} },\n", STR_ARG(buf_str(&others)));
    }
    buf_printf(&lua, "local settings = { servers = %" PRIu32 ", end_ms = %" PRId64 ", ", out->servers,
               out->end_ms);
    if (out->replicas)
        buf_printf(&lua, "replicas = %" PRIu32 " ", out->replicas);
    buf_printf(&lua, "}\nlocal threads = {\n%.*s}\n", STR_ARG(buf_str(&threads)));
    add_head(out, &lua);
    out->scenario = arena_str(a, buf_str(&lua));
    buf_free(&threads);
    buf_free(&others);
    buf_free(&lua);
    return ok;
}

/* ---- the log ---- */

enum { VALUES_MAX = 64 };

/* A faster multi-lock sends a digest of each value, in the order of a hash set; here the values stand themselves. Which
 * is whose is told by the calls in which a digest is sent: it belongs to a value of each of them. */
typedef struct {
    struct digest {
        str text, values[VALUES_MAX];  /* that it may stand for */
        size_t count;
    } known[VALUES_MAX];
    size_t count;
} digests;

static str value_behind(const digests *d, str text)
{
    for (size_t i = 0; i < d->count; i++)
        if (str_eq(d->known[i].text, text) && d->known[i].count > 0)
            return d->known[i].values[0];
    return text;
}

static size_t values_of(arena *a, const char *list, str *out)
{
    size_t count = 0;
    for (const char *p = list; *p && *p != ' ' && count < VALUES_MAX;) {
        size_t n = strcspn(p, ", ");
        out[count++] = arena_str(a, (str){ p, n });
        p += n + (p[n] == ',');
    }
    return count;
}

/* One of `values` it is; of those that it may be, the others are out. */
static void narrow(digests *d, str text, const str *values, size_t count)
{
    struct digest *x = NULL;
    for (size_t i = 0; i < d->count; i++)
        x = str_eq(d->known[i].text, text) ? &d->known[i] : x;
    if (!x && d->count < VALUES_MAX) {
        x = &d->known[d->count++];
        x->text = text;
        memcpy(x->values, values, count * sizeof *values);
        x->count = count;
    }
    size_t kept = 0;
    for (size_t i = 0; x && i < x->count; i++)
        for (size_t k = 0; k < count; k++)
            if (str_eq(x->values[i], values[k])) {
                x->values[kept++] = values[k];
                break;
            }
    if (x)
        x->count = kept;
}

static void learn_digests(arena *a, digests *d, const json_t *call, const json_t *request)
{
    const char *text = json_string_value(json_object_get(call, "call")), *slash = strchr(text, '/');
    const json_t *argv = json_object_get(request, "argv");
    str values[VALUES_MAX];
    if (!slash || !strstr(text, " fast:"))
        return;
    size_t count = values_of(a, slash + 1, values);
    for (size_t i = 3; i < json_array_size(argv); i++)         /* they are the last arguments of an acquire */
        narrow(d, bytes_of_json(a, json_array_get(argv, i)), values, count);
}

/* What is certain for one digest is out for all others; where nothing is certain, the first that is left is taken. */
static void settle_digests(digests *d)
{
    for (size_t pass = 0; pass < 2 * VALUES_MAX; pass++)
        for (size_t i = 0; i < d->count; i++) {
            if (d->known[i].count > 1 && pass >= VALUES_MAX)
                d->known[i].count = 1;
            for (size_t k = 0; d->known[i].count == 1 && k < d->count; k++) {
                size_t kept = 0;
                for (size_t v = 0; k != i && v < d->known[k].count; v++)
                    if (!str_eq(d->known[k].values[v], d->known[i].values[0]))
                        d->known[k].values[kept++] = d->known[k].values[v];
                d->known[k].count = k == i ? 1 : kept;
            }
        }
}

static void learn_all_digests(arena *a, const trace *t, digests *d)
{
    const json_t *item, *later;
    for (size_t i = 0; (item = json_array_get(t->log, i)); i++)
        for (size_t k = i + 1; json_object_get(item, "call") && (later = json_array_get(t->log, k)); k++) {
            const char *script = json_string_value(json_object_get(later, "script"));
            if (!json_equal(json_object_get(item, "thread"), json_object_get(later, "thread")))
                continue;
            if (script && strstr(script, "faster_multi/acquire"))
                learn_digests(a, d, item, later);
            break;
        }
    settle_digests(d);
}

static int word_order(const void *x, const void *y)
{
    const str *a = x, *b = y;
    size_t n = a->n < b->n ? a->n : b->n;
    int by = n ? memcmp(a->p, b->p, n) : 0;
    return by ? by : (a->n > b->n) - (a->n < b->n);
}

void trace_sort_values(str script, str *argv, size_t argc)
{
    static const struct { const char *script; size_t from; } lists[] = {
        { "redisson/faster_multi/acquire.lua", 3 }, { "redisson/faster_multi/try_once.lua", 3 },
        { "redisson/faster_multi/renew.lua", 3 },
        { "redisson/faster_multi/release.lua", 6 }, { "redisson/faster_multi/force_release.lua", 2 },
    };
    for (size_t i = 0; i < COUNT(lists); i++)
        if (str_eq(script, str_from(lists[i].script)) && argc > lists[i].from)
            qsort(argv + lists[i].from, argc - lists[i].from, sizeof *argv, word_order);
}

static void add_value(buf *b, arena *a, const digests *d, const json_t *value);

static void add_arguments(buf *b, arena *a, const digests *d, str script, const json_t *argv)
{
    size_t count = json_array_size(argv);
    str *words = ARENA_ARRAY(a, str, count + 1);
    for (size_t i = 0; i < count; i++)
        words[i] = value_behind(d, bytes_of_json(a, json_array_get(argv, i)));
    trace_sort_values(script, words, count);
    buf_byte(b, '[');
    for (size_t i = 0; i < count; i++)
        buf_printf(b, "%s%.*s", i ? " " : "", STR_ARG(words[i]));
    buf_byte(b, ']');
}

static void add_value(buf *b, arena *a, const digests *d, const json_t *value)
{
    const json_t *item;
    if (json_is_null(value)) {
        buf_addz(b, "nil");
    } else if (json_is_array(value)) {
        buf_byte(b, '[');
        for (size_t i = 0; (item = json_array_get(value, i)); i++) {
            buf_addz(b, i ? " " : "");
            add_value(b, a, d, item);
        }
        buf_byte(b, ']');
    } else if (json_is_object(value)) {
        buf_addz(b, "error");
    } else if (json_is_boolean(value)) {
        buf_addz(b, json_is_true(value) ? "true" : "false");
    } else {
        buf_add(b, value_behind(d, bytes_of_json(a, value)));
    }
}

static str string_at(arena *a, const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    return json_is_string(value) ? bytes_of_json(a, value) : S("");
}

/* What a caller was told, in the drivers' words. */
static str told(arena *a, const json_t *row)
{
    static const struct { const char *exception, *word; } words[] = {
        { "InterruptedException", "interrupted" }, { "RedisResponseTimeoutException", "timeout" },
        { "IllegalMonitorStateException", "not owner" }, { "IllegalArgumentException", "not owner" },
        { "NoSyncedSlavesException", "nosync" }, { "IllegalStateException", "interrupted" },
    };
    const json_t *value = json_object_get(row, "told");
    if (!json_is_object(value)) {
        buf b = { 0 };
        add_value(&b, a, &(digests){ 0 }, value);
        str out = arena_str(a, buf_str(&b));
        buf_free(&b);
        if (str_starts(out, S("still waiting")))
            return S("");
        return str_eq(out, S("nil")) ? S("null") : out;
    }
    str exception = string_at(a, value, "exception"), cause = string_at(a, row, "cause");
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq(exception, str_from(words[i].exception)) || str_eq(cause, str_from(words[i].exception)))
            return str_from(words[i].word);
    return exception;
}

static const struct { const char *recorded, *here; } script_names[] = {
    { "redisson/faster_multi/acquire.lua (once)", "redisson/faster_multi/try_once.lua" },
};

/* The lease of a group's locks is set by a script of an expirable object's, which does what PEXPIRE does. */
static bool is_expire(arena *a, const json_t *row)
{
    return str_eq(string_at(a, row, "script"), S("-")) &&
           strstr(string_at(a, row, "java").p, "RedissonExpirable.expireAsync");
}

bool trace_tells_tries(const trace *t)
{
    return t->redisson && t->replicas == 0;
}

/* With replicas, and of what is no request of a lock's own, the recorder does not tell. */
static void add_tries(const trace *t, const json_t *row, buf *b)
{
    if (!trace_tells_tries(t))
        return;
    if (json_integer_value(json_object_get(row, "attempt")) > 0)
        buf_addz(b, " (another try)");
    else if (json_is_true(json_object_get(row, "retry")))
        buf_addz(b, " (may be sent again)");
}

static void add_request(arena *a, const trace *t, const digests *d, const json_t *row, buf *b)
{
    str script = string_at(a, row, "script"), command = string_at(a, row, "command");
    for (size_t i = 0; i < COUNT(script_names); i++)
        script = str_eq(script, str_from(script_names[i].recorded)) ? str_from(script_names[i].here) : script;
    const json_t *server = json_object_get(row, "server");
    if (t->servers > 1)
        buf_printf(b, "@%d ", (int)(server ? json_integer_value(server) : 1));
    if (is_expire(a, row)) {
        buf_addz(b, "PEXPIRE [");
        add_value(b, a, d, json_array_get(json_object_get(row, "keys"), 0));
        buf_byte(b, ' ');
        add_value(b, a, d, json_array_get(json_object_get(row, "argv"), 0));
        buf_byte(b, ']');
    } else if (str_eq(command, S("SCRIPT LOAD"))) {
        buf_printf(b, "SCRIPT LOAD %.*s", STR_ARG(script));
    } else if (command.n && !script.n) {
        buf_add(b, command);
        buf_byte(b, ' ');
        const json_t *args = json_object_get(row, "args");
        add_value(b, a, d, args ? args : json_object_get(row, "channels"));
    } else {
        buf_addz(b, command.n ? "EVAL " : "");
        buf_add(b, script);
        buf_byte(b, ' ');
        add_value(b, a, d, json_object_get(row, "keys"));
        buf_byte(b, ' ');
        add_arguments(b, a, d, script, json_object_get(row, "argv"));
    }
    const json_t *reply = json_object_get(row, "reply");
    bool subscribes = str_ends(command, S("SUBSCRIBE"));
    if (json_is_true(json_object_get(row, "sent_only")))
        buf_addz(b, " sent");
    else if (reply && !subscribes) {
        buf_addz(b, " -> ");
        add_value(b, a, d, reply);
    }
    add_tries(t, row, b);
}

/* The thread that a row is of. A package's traces do not say it: the only one of its client, or none. */
static uint32_t thread_of_row(const trace *t, const json_t *item, str client)
{
    const json_t *thread = json_object_get(item, "thread");
    if (json_is_integer(thread) || t->redisson)
        return (uint32_t)json_integer_value(thread);
    for (size_t i = 0; i < t->client_count; i++)
        if (str_eq(t->clients[i].name, client) && t->clients[i].thread_count == 1)
            return t->clients[i].threads[0];
    return 0;
}

void trace_rows(arena *a, const trace *t, rows *out)
{
    const json_t *item;
    digests *d = ARENA_NEW(a, digests);
    d->count = 0;
    learn_all_digests(a, t, d);
    for (size_t i = 0; (item = json_array_get(t->log, i)); i++) {
        buf b = { 0 };
        str client = string_at(a, item, "client");
        row r = { .at_ms = json_integer_value(json_object_get(item, "at_ms")), .client = client,
                  .kind = ROW_CALL, .thread = thread_of_row(t, item, client) };
        if (json_object_get(item, "event") || (json_object_get(item, "told") && told(a, item).n == 0))
            continue;
        if (json_object_get(item, "call")) {
            str word[4];
            words_of(a, string_at(a, item, "call").p, word, 4);
            buf_printf(&b, "%.*s call %.*s %.*s", STR_ARG(client), STR_ARG(word[0]), STR_ARG(word[1]));
        } else if (json_object_get(item, "told")) {
            buf_printf(&b, "%.*s told %.*s", STR_ARG(client), STR_ARG(told(a, item)));
        } else if (json_object_get(item, "message")) {
            r.kind = ROW_OTHER;
            buf_printf(&b, "%.*s message %.*s %.*s%s", STR_ARG(string_at(a, item, "to")),
                       STR_ARG(string_at(a, item, "message")),
                       STR_ARG(string_at(a, item, "payload")), string_at(a, item, "fate").n ? " lost" : "");
        } else {
            r.kind = str_ends(string_at(a, item, "command"), S("SUBSCRIBE")) ? ROW_CHANNEL : ROW_REQUEST;
            buf_add(&b, client);
            buf_byte(&b, ' ');
            add_request(a, t, d, item, &b);
        }
        r.text = arena_str(a, buf_str(&b));
        rows_add(out, r);
        if (json_is_true(json_object_get(item, "interrupted")))
            rows_add(out, (row){ .at_ms = r.at_ms, .kind = ROW_OTHER,
                                 .text = arena_printf(a, "%.*s is still interrupted", STR_ARG(client)) });
        buf_free(&b);
    }
}
