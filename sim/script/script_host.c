/* script_host.c - the Lua state of a server and its script cache: made, found, thrown away when no longer clean. */
#include "script/script_host.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/last.h"
#include "base/mem.h"
#include "redis/server.h"
#include "script/lua_slots.h"

enum { STEPS_DEFAULT = 10000000, BYTES_DEFAULT = 64 << 20 };

/* math.random of a fresh server. Source: REDIS-FIDELITY.md section 3. */
#define RANDOM_START UINT64_C(0x1234ABCD330E)

static script_host *make(redis *server, redis_limits limits)
{
    script_host *h = mem_zero(sizeof *h);
    h->server = server;
    h->limits = limits;
    if (h->limits.script_steps == 0)
        h->limits.script_steps = STEPS_DEFAULT;
    if (h->limits.script_bytes == 0)
        h->limits.script_bytes = BYTES_DEFAULT;
    h->heap_max = SIZE_MAX;
    h->random_state = RANDOM_START;
    h->scratch = arena_new();
    return h;
}

script_host *script_host_new(redis *server, redis_limits limits)
{
    script_host *h = make(server, limits);
    h->functions = make(server, limits);
    h->functions->of_functions = true;
    return h;
}

static void forget_scripts(script_host *h)
{
    for (size_t i = 0; i < h->table_cap; i++)
        if (h->table[i]) {
            mem_free((void *)(uintptr_t)h->table[i]->body.p);
            mem_free(h->table[i]);
        }
    mem_free(h->table);
    h->table = NULL;
    h->table_cap = h->scripts_n = 0;
    libraries_forget(h);
}

void script_host_free(script_host *h)
{
    if (!h)
        return;
    script_host_free(h->functions);
    host_close(h);
    script_trace_free(h->trace);
    forget_scripts(h);
    arena_free(h->scratch);
    mem_free(h->libraries);
    mem_free(h->argv);
    buf_free(&h->packed);
    mem_free(h);
}

void script_host_flush(script_host *h)
{
    assert(!h->run.running);
    host_close(h);
    forget_scripts(h);
}

void script_host_wipe(script_host *h)
{
    script_host_flush(h);
    if (h->functions)
        script_host_wipe(h->functions);
    h->random_state = RANDOM_START;
}

static int host_panic(lua_State *L)
{
    (void)L;
    assert(!"a Lua error outside any protected call");
    return 0;
}

/* As Lua 5.1 hashes a text of less than 32 bytes. */
static uint32_t lua_hash(str text)
{
    uint32_t hash = (uint32_t)text.n;
    for (size_t i = text.n; i-- > 0;)
        hash ^= (hash << 5) + (hash >> 2) + (unsigned char)text.p[i];
    return hash;
}

/* Is the layout in lua_slots.h right? Checks the state's positions on its stack, and the parts of a string. */
static bool slots_fit(const script_host *h)
{
    const lua_slot *places = lua_slots(h->L), *mark = &places[SLOT_MARK - 1], *keys = &places[SLOT_KEYS - 1];
    uint32_t hash;
    if (!places || (uintptr_t)places % sizeof(void *) || mark->type != LUA_TLIGHTUSERDATA ||
        mark->as.object != (const char *)h)
        return false;
    if (keys->type != LUA_TSTRING || keys->as.object[STRING_TYPE_AT] != LUA_TSTRING ||
        !str_eq(lua_slot_text(keys), S("KEYS")))
        return false;
    memcpy(&hash, keys->as.object + STRING_HASH_AT, sizeof hash);
    return hash == lua_hash(S("KEYS"));
}

static void check_slots(const script_host *h)
{
    if (slots_fit(h))
        return;
    last_words("this Lua keeps its values elsewhere than stock Lua 5.1 does (sim/script/lua_slots.h)\n"
               "  hint: build locksim with Debian's liblua5.1-0-dev, or with Lua 5.1.5 as lua.org has it");
}

void host_open(script_host *h)
{
    if (h->L)
        return;
    h->heap_max = SIZE_MAX;
    h->blown = BLOWN_NOT;
    h->L = lua_newstate(host_alloc, h);
    assert(h->L);
    lua_atpanic(h->L, host_panic);
    lua_gc(h->L, LUA_GCSTOP, 0);
    h->current = h->L;
    sandbox_open(h->L);
    lua_known_learn(&h->known, h->L);
    assert(lua_gettop(h->L) == SLOT_LAST);
    check_slots(h);
    h->heap_live = h->heap_bytes;
}

void host_close(script_host *h)
{
    if (!h->L)
        return;
    h->heap_max = SIZE_MAX;
    h->run.running = false;
    h->current = NULL;
    lua_close(h->L);
    h->L = NULL;
    host_heap_free(h);
    h->protected_n = h->names_n = h->functions_n = h->pending_n = 0;
    h->last_small = NULL;
    h->small_n = 0;
    h->array_kept[0] = h->array_kept[1] = 0;
    memset(h->kept, 0, sizeof h->kept);
    memset(h->names, 0, sizeof h->names);
    for (size_t i = 0; i < h->table_cap; i++)
        if (h->table[i])
            h->table[i]->function = 0;
    libraries_forget_code(h);
    script_trace_forget(h);
}

/* The first 8 digits of a SHA-1 are a good hash. The case bit is dropped: digits have it set, letters may. */
static size_t sha_hash(const char *sha)
{
    uint64_t word;
    memcpy(&word, sha, sizeof word);
    word |= UINT64_C(0x2020202020202020);
    word *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(word >> 32);
}

static bool sha_equal(const char *lower, const char *any)
{
    if (memcmp(lower, any, 40) == 0)
        return true;
    return str_eq_nocase((str){ lower, 40 }, (str){ any, 40 });
}

script *host_find(script_host *h, str sha)
{
    if (sha.n != 40 || h->table_cap == 0)
        return NULL;
    for (size_t i = sha_hash(sha.p) & (h->table_cap - 1); h->table[i]; i = (i + 1) & (h->table_cap - 1))
        if (sha_equal(h->table[i]->sha, sha.p))
            return h->table[i];
    return NULL;
}

static void table_insert(script_host *h, script *s)
{
    size_t i = sha_hash(s->sha) & (h->table_cap - 1);
    while (h->table[i])
        i = (i + 1) & (h->table_cap - 1);
    h->table[i] = s;
}

static void table_reserve(script_host *h)
{
    if ((h->scripts_n + 1) * 2 <= h->table_cap)
        return;
    script **old = h->table;
    size_t old_cap = h->table_cap;
    h->table_cap = old_cap ? old_cap * 2 : 64;
    h->table = mem_zero(h->table_cap * sizeof(script *));
    for (size_t i = 0; i < old_cap; i++)
        if (old[i])
            table_insert(h, old[i]);
    mem_free(old);
}

int host_compile(script_host *h, str text)
{
    if (text.n > 0 && text.p[0] == LUA_SIGNATURE[0]) {   /* text only: no bytecode (a library's first line is text) */
        lua_pushliteral(h->L, "user_script:1: unexpected symbol near 'char(27)'");
        return LUA_ERRSYNTAX;
    }
    h->steps_left = h->limits.script_steps;
    h->small_n = 0;
    size_t heap_max = host_library_begin(h, false);
    host_heap_limit(h);
    int status = script_compile(h->L, text, h->of_functions ? "@user_function" : "@user_script");
    host_library_end(h, heap_max);
    h->blown = BLOWN_NOT;
    return status;
}

char *host_text(str text)
{
    char *copy = mem_alloc(text.n + 1);
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    return copy;
}

static void keep_function(script_host *h, script *s)
{
    script_choose_env(h->L, s);
    s->function = ++h->functions_n;
    lua_rawseti(h->L, SLOT_FUNCTIONS, (int)s->function);
}

script *host_add(script_host *h, str body, arena *out, str *why)
{
    char sha[41];
    redis_sha1(body, sha);
    script *s = host_find(h, (str){ sha, 40 });
    if (s)
        return s;
    unsigned flags;
    size_t body_at;
    if (!script_shebang(h, body, &flags, &body_at, out, why))
        return NULL;
    host_open(h);
    if (host_compile(h, str_slice(body, body_at, body.n)) != 0) {
        *why = arena_printf(out, "ERR Error compiling script (new function): %s", lua_tostring(h->L, -1));
        *why = script_line(out, *why);
        lua_settop(h->L, SLOT_LAST);
        host_tidy(h);
        return NULL;
    }
    s = mem_zero(sizeof *s);
    memcpy(s->sha, sha, sizeof sha);
    s->body = (str){ host_text(body), body.n };
    s->lua_at = body_at;
    s->flags = flags;
    keep_function(h, s);
    host_tidy(h);
    table_reserve(h);
    table_insert(h, s);
    h->scripts_n++;
    script_trace_learn(h, s);
    return s;
}

bool host_push(script_host *h, script *s)
{
    host_open(h);
    if (s->function == 0) {
        if (host_compile(h, str_slice(s->body, s->lua_at, s->body.n)) != 0) {
            lua_pop(h->L, 1);
            return false;
        }
        keep_function(h, s);
    }
    lua_rawgeti(h->L, SLOT_FUNCTIONS, (int)s->function);
    return true;
}
