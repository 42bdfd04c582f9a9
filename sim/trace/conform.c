/* conform.c - see conform.h: the log's requests of each owner, and the driver's program that has to explain them. */
#include "trace/conform_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "client/load.h"
#include "script/script.h"

conform *conform_new(const family *driver)
{
    conform *c = mem_zero(sizeof *c);
    c->driver = driver;
    c->memory = arena_new();
    c->scratch = arena_new();
    return c;
}

void conform_free(conform *c)
{
    sequence *s, *next;
    if (!c)
        return;
    HASH_ITER(hh, c->sequences, s, next) {
        HASH_DEL(c->sequences, s);
        mem_free(s->list);
        mem_free(s);
    }
    for (size_t i = 0; i < c->fork_cap; i++)
        mem_free(c->forks[i].others);
    mem_free(c->forks);
    mem_free(c->path);
    mem_free(c->published);
    arena_free(c->memory);
    arena_free(c->scratch);
    mem_free(c);
}

str conform_token(const family *f, const str *argv, size_t argc, str owner)
{
    for (size_t i = 1; owner.n && i < argc; i++)
        if (str_eq(family_owner(f, argv[i]), owner))
            return argv[i];
    return S("");
}

static sequence *sequence_of(conform *c, const seen_request *r)
{
    buf id = { 0 };
    sequence *s;
    buf_printf(&id, "%d %zu ", r->db, r->lock.n);
    buf_add(&id, r->lock);
    buf_add(&id, r->who);
    HASH_FIND(hh, c->sequences, id.p, id.n, s);
    if (!s) {
        s = mem_zero(sizeof *s);
        s->id = arena_str(c->memory, buf_str(&id));
        s->lock = arena_str(c->memory, r->lock);
        s->db = r->db;
        s->owner = arena_str(c->memory, r->who);
        HASH_ADD_KEYPTR(hh, c->sequences, s->id.p, s->id.n, s);
    }
    buf_free(&id);
    return s;
}

void conform_add(conform *c, const seen_request *r)
{
    if (!r->owner)
        return;
    sequence *s = sequence_of(c, r);
    claim found;
    size_t shape = family_shape(c->driver, r->argv, r->argc, r->sha, &found);
    s->begun |= r->deed == DEED_ACQUIRE && r->had == 0;
    bool looks = !shape && !r->sha.n && !redis_command_writes(r->argv[0]);  /* any client may send these: GET, PTTL */
    if (!s->begun || looks || c->counts.requests == CONFORM_REQUESTS_MAX || r->waits) {
        c->counts.passed_over++;
        return;
    }
    c->counts.requests++;
    MEM_RESERVE(s->list, s->cap, s->count + 1);
    heard *h = &s->list[s->count++];
    *h = (heard){ .line = r->line, .at_ms = r->at_us / 1000, .argc = r->argc, .deed = r->deed,
                  .sha = arena_str(c->memory, r->sha),
                  .shape = !shape && r->sha.n && !family_knows_script(c->driver, r->sha) ? ANY_SCRIPT : shape,
                  .argv = ARENA_ARRAY(c->memory, str, r->argc), .answer = reply_copy(c->memory, r->answer) };
    for (size_t i = 0; i < r->argc; i++)
        h->argv[i] = arena_str(c->memory, r->argv[i]);
    h->token = shape ? conform_token(c->driver, h->argv, h->argc, found.owner) : S("");
    h->claim = (claim){ .op = found.op, .deed = found.deed, .lock = arena_str(c->memory, shape ? found.lock : S("")),
                        .lease_ms = found.lease_ms };
}

void conform_published(conform *c, int64_t at_us, str channel, str payload)
{
    if (c->published_count == CONFORM_REQUESTS_MAX)
        return;
    MEM_RESERVE(c->published, c->published_cap, c->published_count + 1);
    c->published[c->published_count++] = (published){ .at_ms = at_us / 1000, .channel = arena_str(c->memory, channel),
                                                      .payload = arena_str(c->memory, payload) };
}

/* A lock object for each lease that the owner asked for, and one without a lease. */
static const char PROGRAM[] =
    "local driver = require \"%.*s\"\n"
    "if driver.lock == nil then driver = require(\"generic\").lock(driver) end\n"
    "local calls = { { \"acquire\" }, { \"release\" }, { \"try_acquire\", 1000000000 }, { \"try_acquire\", 0 },\n"
    "  { \"try_acquire\", 500 }, { \"try_acquire\", 1000 }, { \"try_acquire\", 3000 }, { \"try_acquire\", 5000 },\n"
    "  { \"extend\", 1000 }, { \"renew\" }, { \"reacquire\" }, { \"try_acquire\", 10000 },\n"
    "  { \"try_acquire\", 30000 }, { \"try_acquire\", 60000 }, { \"force_release\" } }\n"
    "return { title = \"conform\", clients = { \"Q\" }, program = function(me)\n"
    "  local known, places = {}, {}\n"
    "  for _, options in ipairs { %s } do\n"
    "    local lock = driver.lock(me, \"%s\", options)\n"
    "    for _, call in ipairs(calls) do\n"
    "      if lock[call[1]] ~= nil then known[#known + 1] = { lock, call } places[#known] = #known end\n"
    "    end\n"
    "  end\n"
    "  local function call_one()\n"
    "    local one = known[me:choose(places)]\n"
    "    pcall(one[1][one[2][1]], one[1], one[2][2])\n"
    "  end\n"
    "  while true do me:work() call_one() end\n"
    "end }\n";

static str lua_text(arena *a, str s)
{
    buf b = { 0 };
    for (size_t i = 0; i < s.n; i++)
        buf_printf(&b, "\\%03u", (unsigned char)s.p[i]);
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

/* "{}, { lease_ms = 400 }" */
static str leases_text(const conform *c, arena *a)
{
    enum { LEASES_MAX = 3 };
    int64_t leases[LEASES_MAX];
    size_t n = 0;
    buf b = { 0 };
    buf_addz(&b, "{}");
    for (size_t i = 0; i < c->s->count && n < LEASES_MAX; i++) {
        const claim *x = &c->s->list[i].claim;
        size_t k = 0;
        while (k < n && leases[k] != x->lease_ms)
            k++;
        if (k < n || x->deed != DEED_ACQUIRE || x->lease_ms == LEASE_NONE)
            continue;
        leases[n++] = x->lease_ms;
        buf_printf(&b, ", { lease_ms = %" PRId64 " }", x->lease_ms);
    }
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static bool run(conform *c, bool *ok, err *e)
{
    arena *a = arena_new();
    str text = arena_printf(a, PROGRAM, STR_ARG(family_module(c->driver)), leases_text(c, a).p,
                            lua_text(a, c->s->lock).p);
    c->sc = ARENA_NEW(a, scenario);
    c->outputs_memory = arena_new();
    c->server = redis_new((redis_limits){ 0 });
    c->p = scenario_load(a, family_loader(c->driver), S("the driver"), text, c->sc, e)
           ? process_new_kept(c->sc, family_loader(c->driver), 0, 0, c->s->list[0].at_ms, e) : NULL;
    *ok = c->p && conform_search(c, e);
    process_free(c->p);
    redis_free(c->server);
    arena_free(c->outputs_memory);
    arena_free(a);
    return e->class_ == ERR_NONE;
}

static bool look_at(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us, err *e)
{
    bool ok;
    c->best = c->would_count = 0;
    c->would_wait_ms = 0;
    c->unknown = S("");
    arena_reset(c->scratch);
    c->counts.owners++;
    if (memchr(c->s->lock.p, 0, c->s->lock.n)) {   /* no scenario's lock has such a name */
        if (c->counts.undecided++ == 0)
            c->counts.undecided_why = S("the lock's name holds a NUL byte");
        return true;
    }
    if (!run(c, &ok, e))
        return false;
    if (ok) {
        c->counts.conforming++;
    } else if (c->unknown.n || c->tries == UINT64_MAX) {
        if (c->counts.undecided++ == 0)
            c->counts.undecided_why = c->unknown.n ? c->unknown : S("the search has a limit");
    } else {
        c->counts.strange++;
        conform_tell(c, found, context, begin_us);
    }
    return true;
}

bool conform_each(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us,
                  conform_counts *out, err *e)
{
    for (const sequence *s = c->sequences; s; s = s->hh.next) {
        c->s = s;
        if (s->count > 0 && !look_at(c, found, context, begin_us, e))
            return false;
    }
    *out = c->counts;
    return true;
}
