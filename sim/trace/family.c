/* family.c - see family.h. */
#include "trace/family.h"

#include <string.h>

#include "base/mem.h"
#include "scenario/source.h"
#include "script/script.h"
#include "trace/probe.h"

struct family {
    arena *memory;
    loader own;            /* over the caller's: it knows the table's file, too */
    const loader *given;
    str name, path, text;
    probe *probe;
    shape *shapes;
    size_t shape_count;
};

static const char TABLE_NAME[] = "locksim.trace.table";

/* The table's file has a name that no real file has; all other names go to the caller's loader. */
static bool read_file(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const family *f = context;
    if (f->text.n && str_eq(name, S("locksim/trace/table.lua"))) {
        *path = f->path;
        *text = f->text;
        return true;
    }
    return f->given->read(f->given->context, name, a, path, text, e);
}

family *family_open(str name, str path, str text, const loader *l, err *e)
{
    arena *a = arena_new();
    family *f = ARENA_NEW(a, family);
    f->memory = a;
    f->given = l;
    f->name = arena_str(a, name);
    f->path = arena_str(a, path);
    f->text = arena_str(a, text);
    f->own = (loader){ .context = f, .read = read_file };
    f->probe = probe_new(a, text.n ? str_from(TABLE_NAME) : f->name, &f->own, &f->shapes, &f->shape_count, e);
    if (f->probe)
        return f;
    family_free(f);
    return NULL;
}

void family_free(family *f)
{
    if (!f)
        return;
    probe_free(f->probe);
    arena_free(f->memory);
}

str family_name(const family *f)
{
    return f->name;
}

spec_kind family_spec(const family *f)
{
    return probe_spec(f->probe);
}

bool family_view(family *f, str lock, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out, err *e)
{
    return process_view_named(probe_process(f->probe), lock, now_ms, read, context, a, out, e);
}

typedef struct {
    void (*fn)(void *context, str name, str body);
    void *context;
} script_asker;

static void hand_script(void *context, const script_file *s)
{
    const script_asker *x = context;
    x->fn(x->context, s->name, s->body);
}

void family_each_script(const family *f, void (*fn)(void *context, str name, str body), void *context)
{
    probe_each_script(f->probe, hand_script, &(script_asker){ .fn = fn, .context = context });
}

static void load(void *context, const script_file *s)
{
    str why;
    arena *a = arena_new();
    redis_load_script(context, s->body, a, &why);
    arena_free(a);
}

void family_load_scripts(const family *f, redis *r)
{
    probe_each_script(f->probe, load, r);
}

str family_owner(const family *f, str word)
{
    return probe_cuts_owners(f->probe) ? str_slice(word, 0, str_find(word, '/', 0)) : word;
}

/* ---- matching ---- */

static bool whole_number(str s, int64_t *out)
{
    enum { DIGITS_MAX = 15 };
    *out = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        *out = *out * 10 + (s.p[i] - '0');
    }
    return s.n > 0 && s.n <= DIGITS_MAX;
}

static bool is_lock_key(const meaning *m, str word, str *lock)
{
    if (!str_starts(word, m->text) || !str_ends(word, m->after) || word.n < m->text.n + m->after.n)
        return false;
    *lock = str_slice(word, m->text.n, word.n - m->after.n);
    return lock->n > 0;
}

/* The meaning of the word, if the shape has such a word there. */
static bool take_word(const family *f, const meaning *m, str word, claim *c)
{
    int64_t n;
    switch (m->kind) {
    case MEANS_LITERAL: return str_eq_nocase(word, m->text);
    case MEANS_ANY: return true;
    case MEANS_LOCK: return is_lock_key(m, word, &c->lock);
    case MEANS_OWNER: c->owner = family_owner(f, word); return true;
    case MEANS_LEASE_MS:
    case MEANS_LEASE_S:
        if (!whole_number(word, &n))
            return false;
        c->lease_ms = m->kind == MEANS_LEASE_S ? n * 1000 : n;
        return true;
    }
    return false;
}

/* SET's options come in any order, and a lease is a lease in seconds, too. */
static bool take_set(const family *f, const shape *s, const str *argv, size_t argc, claim *c)
{
    bool wants_nx = false, wants_ttl = false, nx = false, ttl = false;
    for (size_t i = 3; i < s->count; i++) {
        wants_nx |= s->words[i].kind == MEANS_LITERAL && str_eq_nocase(s->words[i].text, S("nx"));
        wants_ttl |= s->words[i].kind == MEANS_LITERAL && (str_eq_nocase(s->words[i].text, S("px")) ||
                                                           str_eq_nocase(s->words[i].text, S("ex")));
    }
    if (argc < 3 || !take_word(f, &s->words[1], argv[1], c) || !take_word(f, &s->words[2], argv[2], c))
        return false;
    for (size_t i = 3; i < argc; i++) {
        bool px = str_eq_nocase(argv[i], S("px")), ex = str_eq_nocase(argv[i], S("ex"));
        if (str_eq_nocase(argv[i], S("nx")))
            nx = true;
        else if ((px || ex) && i + 1 < argc && whole_number(argv[i + 1], &c->lease_ms)) {
            ttl = true;
            c->lease_ms *= ex ? 1000 : 1;
            i++;
        } else {
            return false;
        }
    }
    return nx == wants_nx && (ttl == wants_ttl || (wants_nx && !ttl));
}

static bool take_command(const family *f, const shape *s, const str *argv, size_t argc, claim *c)
{
    if (s->sets && argc > 0 && str_eq_nocase(argv[0], S("set")))
        return take_set(f, s, argv, argc, c);
    if (argc != s->count)
        return false;
    for (size_t i = 0; i < argc; i++)
        if (!take_word(f, &s->words[i], argv[i], c))
            return false;
    return true;
}

/* A script's words: EVAL body|sha n keys... args... A script that the driver calls for one lock may be called for
 * several, one key and one owner each. */
static size_t take_script(const family *f, const shape *s, const str *argv, size_t argc, claim *out, size_t most)
{
    int64_t keys_n = 0;
    size_t got = 0;
    if (argc < 3 || !whole_number(argv[2], &keys_n) || keys_n > (int64_t)(argc - 3) || s->lock_at == 0)
        return 0;
    size_t args = 3 + (size_t)keys_n, rounds = s->keys_n == 1 && keys_n > 1 ? (size_t)keys_n : 1;
    for (size_t i = 0; i < rounds && got < most; i++) {
        claim *c = &out[got];
        *c = (claim){ .op = s->op, .deed = s->deed, .lease_ms = LEASE_NONE };
        size_t owner_at = s->owner_at ? args + s->owner_at - 3 - s->keys_n + i : 0;
        size_t lease_at = s->lease_at ? args + s->lease_at - 3 - s->keys_n : 0;
        if (s->lock_at + i >= args || !take_word(f, &s->words[s->lock_at], argv[s->lock_at + i], c))
            continue;
        if (owner_at && owner_at < argc)
            take_word(f, &s->words[s->owner_at], argv[owner_at], c);
        if (lease_at && lease_at < argc)
            take_word(f, &s->words[s->lease_at], argv[lease_at], c);
        got++;
    }
    return got;
}

size_t family_shape(const family *f, const str *argv, size_t argc, str sha, claim *out)
{
    for (size_t i = 0; i < f->shape_count; i++) {
        const shape *s = &f->shapes[i];
        *out = (claim){ .op = s->op, .deed = s->deed, .lease_ms = LEASE_NONE };
        if (sha.n ? str_eq_nocase(sha, s->sha) && take_script(f, s, argv, argc, out, 1) > 0
                  : s->sha.n == 0 && take_command(f, s, argv, argc, out))
            return i + 1;
    }
    return 0;
}

typedef struct {
    str sha;
    bool found;
} sought_script;

static void compare_script(void *context, const script_file *s)
{
    sought_script *x = context;
    x->found |= str_eq_nocase(x->sha, str_from(s->sha1));
}

bool family_knows_script(const family *f, str sha)
{
    sought_script x = { .sha = sha };
    probe_each_script(f->probe, compare_script, &x);
    return x.found;
}

const loader *family_loader(const family *f)
{
    return &f->own;
}

str family_module(const family *f)
{
    return f->text.n ? str_from(TABLE_NAME) : f->name;
}

size_t family_match(const family *f, const str *argv, size_t argc, str sha, claim *out, size_t most, bool *founds)
{
    for (size_t i = 0; i < f->shape_count; i++) {
        const shape *s = &f->shapes[i];
        if (sha.n ? !str_eq_nocase(sha, s->sha) : s->sha.n > 0)
            continue;
        *founds = sha.n > 0 || s->deed == DEED_ACQUIRE;
        if (sha.n)
            return take_script(f, s, argv, argc, out, most);
        out[0] = (claim){ .op = s->op, .deed = s->deed, .lease_ms = LEASE_NONE };
        if (take_command(f, s, argv, argc, &out[0]))
            return 1;
    }
    return 0;
}
