/* starter.c - see starter.h. */
#include "init/starter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/lua_tokens.h"
#include "host/files.h"
#include "init/guess_text.h"
#include "init/guess_trial.h"

static void add_words(buf *out, arena *a, const guess *g, const guess_script *s, bool keys)
{
    size_t n = keys ? s->keys_n : s->args_n;
    buf_addz(out, "{");
    for (size_t i = 0; i < n; i++) {
        buf_addz(out, i ? ", " : " ");
        tokens_quote(out, keys ? guess_key_word(a, &s->keys[i]) : guess_arg_word(a, s, i, g->tokens));
    }
    buf_addz(out, n ? " }" : "}");
}

size_t starter_scripts(const guess *g, named_script out[3])
{
    out[0] = (named_script){ "acquire", &g->acquire };
    out[1] = (named_script){ "release", &g->release };
    out[2] = (named_script){ "renew", &g->renew };
    return g->renew.path.n ? 3 : 2;
}

/* keys = { acquire = {...}, ... } or args = ... */
static void add_lists(buf *out, arena *a, const guess *g, bool keys)
{
    named_script all[3];
    size_t n = starter_scripts(g, all), scripts = 0;
    for (size_t i = 0; i < n; i++) {
        if (all[i].s->command)
            continue;
        if (scripts++ == 0)
            buf_printf(out, "  %s     = {\n", keys ? "keys" : "args");
        buf_printf(out, "    %s = ", all[i].op);
        add_words(out, a, g, all[i].s, keys);
        buf_addz(out, ",\n");
    }
    if (scripts)
        buf_addz(out, "  },\n");
}

/* The text with the trial's names replaced by words: "{locksim}:1" is "$lock:1". */
static void add_named(buf *out, str text)
{
    static const struct { const char *name, *word; } rows[] = { { GUESS_LOCK, "$lock" }, { GUESS_OWNER, "$owner" } };
    buf named = { 0 };
    for (size_t i = 0; i < text.n; ) {
        size_t k = 0;
        while (k < COUNT(rows) && !str_starts(str_slice(text, i, text.n), str_from(rows[k].name)))
            k++;
        if (k < COUNT(rows)) {
            buf_addz(&named, rows[k].word);
            i += strlen(rows[k].name);
        } else {
            buf_byte(&named, text.p[i++]);
        }
    }
    tokens_quote(out, buf_str(&named));
    buf_free(&named);
}

/* A reply as generic.lock compares it: a number or a text. false: it is neither. */
static bool add_plain(buf *out, const reply *r)
{
    if (r->kind == REPLY_INTEGER)
        buf_printf(out, "%lld", (long long)r->integer);
    else if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS)
        add_named(out, r->text);
    return r->kind == REPLY_INTEGER || r->kind == REPLY_BULK || r->kind == REPLY_STATUS;
}

/* An item of an array: its nil is false. */
static void add_item(buf *out, const reply *r)
{
    if (!add_plain(out, r))
        buf_addz(out, r->kind == REPLY_NIL ? "false" : "\"?\"");
}

/* A field with the reply; nil needs none. */
static void add_reply(buf *out, const char *field, const reply *r)
{
    size_t before = out->n;
    buf_printf(out, "  %s = ", field);
    if (add_plain(out, r)) {
        buf_addz(out, ",\n");
        return;
    }
    out->n = before;
    buf_printf(out, "  -- %s: the script answers nil\n", field);
}

/* An array is known by the item that a refusal has otherwise. */
static void add_granted_array(buf *out, const guess *g)
{
    const reply *r = &g->granted, *no = &g->refused;
    size_t i = guess_deciding(g);
    if (r->count == 0 && no->kind == REPLY_ARRAY) {
        buf_addz(out, "  granted  = function(reply) return type(reply) == \"table\" and #reply == 0 end,\n");
    } else if (no->kind != REPLY_ARRAY && (g->granted_varies || r->count == 0)) {
        buf_addz(out, "  granted  = function(reply) return type(reply) == \"table\" end,\n");
    } else if (g->granted_varies && i < no->count) {
        buf_printf(out, "  granted  = function(reply) return reply[%zu] ~= ", i + 1);
        add_item(out, &no->items[i]);
        buf_addz(out, " end,\n");
    } else if (i > 0 || r->items[0].kind == REPLY_NIL) {
        buf_printf(out, "  granted  = function(reply) return type(reply) == \"table\" and reply[%zu] == ", i + 1);
        add_item(out, &r->items[i]);
        buf_addz(out, " end,\n");
    } else {
        buf_addz(out, "  granted  = { ");
        add_item(out, &r->items[0]);
        buf_addz(out, " },            -- an array that begins so\n");
    }
}

static void add_granted(buf *out, const guess *g)
{
    const reply *r = &g->granted;
    if (g->tells_count) {
        buf_addz(out, "  granted  = function(reply) return type(reply) == \"number\" and reply > 0 end,     -- how "
                 "many there are\n");
    } else if (g->tells_left) {
        buf_printf(out, "  granted  = function(reply) return type(reply) == \"number\" and reply > %lld end,     -- "
                   "all above a refusal\n", (long long)g->refused.integer);
    } else if (g->fencing) {
        buf_addz(out, "  fencing  = true,             -- each grant is a higher number: lock.fence\n");
    } else if (g->names_owner) {
        buf_printf(out, "  granted  = \"%s\",\n", g->tokens ? "$token" : "$owner");
    } else if (r->kind == REPLY_ARRAY) {
        add_granted_array(out, g);
    } else {
        add_reply(out, "granted ", r);
    }
    if (g->refused.kind == REPLY_ERROR)
        buf_addz(out, "  refused  = \"error\",\n");
}

/* nil, false and 0 of a release mean "not the owner" unless said, and all else means "free". */
static bool means_lost(const reply *r)
{
    return r->kind == REPLY_NIL || (r->kind == REPLY_INTEGER && r->integer == 0) || r->kind == REPLY_ERROR;
}

/* Of an array, the items up to the one that differs for another owner. */
static void add_released_reply(buf *out, const guess *g)
{
    const reply *r = &g->freed, *other = &g->kept;
    if (r->kind != REPLY_ARRAY || r->count == 0) {
        add_reply(out, "released", r);
        return;
    }
    buf_addz(out, "  released = {");
    for (size_t i = 0; i < r->count; i++) {
        buf_addz(out, i ? ", " : " ");
        add_item(out, &r->items[i]);
        if (other->kind != REPLY_ARRAY || i >= other->count || !reply_equal(&r->items[i], &other->items[i]))
            break;
    }
    buf_addz(out, " },            -- an array that begins so\n");
}

static void add_released(buf *out, const guess *g)
{
    bool by_default = !means_lost(&g->freed) && means_lost(&g->kept) && means_lost(&g->gone);
    if (g->release_error.n || by_default)
        return;
    if (!reply_equal(&g->freed, &g->gone))
        add_released_reply(out, g);
    else if (reply_equal(&g->freed, &g->kept))
        buf_addz(out, "  released = false,            -- it answers the same whether it was the owner's or not\n");
    else
        buf_addz(out, "  released = false,            -- it answers the same where the lock is gone\n");
}

/* What gives the members of a key, one by one. */
static const char *reads_members(guess_holder kind)
{
    return kind == HOLDER_ZSET || kind == HOLDER_MEMBER_PART ? "redis.call(\"ZRANGE\", key, 0, -1)"
           : kind == HOLDER_SET ? "redis.call(\"SMEMBERS\", key)"
           : kind == HOLDER_HASH ? "redis.call(\"HKEYS\", key)" : "redis.call(\"LRANGE\", key, 0, -1)";
}

/* The pattern that finds the owner in a longer text: after a name of JSON, or by the form of "A:1"; or of "2A:1", a
 * client whose id is in another order than its name. */
static void add_pattern(buf *out, const guess *g)
{
    const char *owner = g->semaphore ? "([^\"]*)" : "([^\"\\\\/]*)";           /* $token begins with $owner */
    if (g->holder.before.n)
        buf_printf(out, "'%.*s%s'", STR_ARG(g->holder.before), owner);
    else
        buf_addz(out, "\"%d*%a%w*:%d+\"");
}

/* An owner for each member: cut out of it. */
static void add_members(buf *out, const guess *g, const char *cut)
{
    const guess_place *h = &g->holder;
    buf_printf(out, "  holder   = function(redis, key)\n    local owners = {}\n"
                    "    for _, member in ipairs(%s) do\n", reads_members(h->kind));
    if (h->within) {
        buf_addz(out, "      local owner = member:match(");
        add_pattern(out, g);
        buf_addz(out, ")\n      if owner then owners[owner] = 1 end\n");
    } else if (h->kind == HOLDER_MEMBER_PART) {
        buf_printf(out, "      owners[member:sub(1, -%zu)%s] = 1            -- without ", h->field.n + 1, cut);
        tokens_quote(out, h->field);
        buf_addz(out, "\n");
    } else {
        buf_addz(out, "      if member ~= ");
        tokens_quote(out, h->field);
        buf_printf(out, " then owners[member%s] = 1 end            -- a mark, and no owner\n", cut);
    }
    buf_addz(out, "    end\n    return owners\n  end,\n");
}

/* A hash of owners, in which other fields stand, too: owners are known by the form of "A:1". */
static void add_fields(buf *out, const guess *g)
{
    buf_addz(out, "  holder   = function(redis, key)            -- the owners' fields: ");
    tokens_quote(out, g->holder.field);
    buf_addz(out, " is none\n    local owners, fields = {}, redis.call(\"HGETALL\", key)\n"
                  "    for i = 1, #fields, 2 do\n");
    buf_printf(out, "      local owner = fields[i]:match(\"%s\")\n", g->tokens ? "^[^:/]+:%d+" : "^[^:/]+:%d+$");
    buf_printf(out, "      if owner then owners[owner] = %s end\n    end\n    return owners\n  end,\n",
               g->reentrant ? "tonumber(fields[i + 1]) or 1" : "1");
}

/* How often its owner has it, as an expression of `key` and `value`. */
static void add_count(buf *out, const guess *g)
{
    if (!g->reentrant || g->counting == COUNT_BY_HOLDER || g->counting == COUNT_HIDDEN) {
        buf_addz(out, "1");
    } else if (g->counting == COUNT_TEXT) {
        buf_printf(out, "tonumber(value:match('%.*s(%%d+)'))", STR_ARG(g->counted));
    } else if (g->counting == COUNT_FIELD) {
        buf_addz(out, "tonumber(redis.call(\"HGET\", key, ");
        tokens_quote(out, g->counted);
        buf_addz(out, "))");
    } else {
        str word = g->counted;
        size_t at = str_find(word, '$', 0), end = at + strlen("$lock");
        buf_addz(out, "tonumber(redis.call(\"GET\", ");
        tokens_quote(out, str_slice(word, 0, at));
        buf_addz(out, " .. key .. ");
        tokens_quote(out, str_slice(word, end, word.n));
        buf_addz(out, ") or 1)");
    }
}

/* One owner in a value of the key's. */
static void add_value(buf *out, const guess *g, const char *cut)
{
    const guess_place *h = &g->holder;
    buf_addz(out, "  holder   = function(redis, key)\n    local value = ");
    if (h->kind == HOLDER_VALUE) {
        buf_addz(out, "redis.call(\"HGET\", key, ");
        if (h->named)
            buf_addz(out, g->key.n ? "\"order:42\"" : "key");
        else
            tokens_quote(out, h->field);
        buf_addz(out, h->named ? ")            -- the lock's field in it\n" : ")\n");
    } else {
        buf_addz(out, "redis.call(\"GET\", key)\n");
    }
    if (h->within) {
        buf_addz(out, "    local owner = value and value:match(");
        add_pattern(out, g);
        buf_addz(out, ")\n    return owner and { [owner] = ");
    } else {
        buf_printf(out, "    return value and { [value%s] = ", cut);
    }
    add_count(out, g);
    buf_addz(out, " } or {}\n  end,\n");
}

/* The first of a queue is its owner. */
static void add_first(buf *out, const guess *g)
{
    buf_printf(out, "  holder   = function(redis, key)            -- behind its owner stand those who wait\n"
                    "    local first = redis.call(\"%s\", key, 0, 0)[1]\n"
                    "    return first and { [first%s] = 1 } or {}\n  end,\n",
               g->holder.kind == HOLDER_ZSET ? "ZRANGE" : "LRANGE", g->tokens ? ":match(\"^[^/]*\")" : "");
}

/* A key for each permit, numbered from 1. */
static void add_numbered(buf *out)
{
    buf_addz(out, "  holder   = function(redis, key)            -- each permit has a key of its own\n"
                  "    local owners = {}\n"
                  "    for permit = 1, 1 do             -- up to the limit\n"
                  "      local owner = redis.call(\"GET\", key:sub(1, -2) .. permit)\n"
                  "      if owner then owners[owner] = 1 end\n"
                  "    end\n"
                  "    return owners\n  end,\n");
}

static void add_holder(buf *out, const guess *g)
{
    static const char *const named[HOLDER_COUNT] = {
        [HOLDER_STRING] = "\"string value\"", [HOLDER_HASH] = "\"hash field\"", [HOLDER_ZSET] = "\"sorted set member\"",
        [HOLDER_SET] = "\"set member\"", [HOLDER_LIST] = "\"list item\"", [HOLDER_PERMITS] = "\"count\"",
    };
    const guess_place *h = &g->holder;
    const char *cut = g->tokens && !g->semaphore ? ":match(\"^[^/]*\")" : "";     /* $token begins with $owner */
    bool counts = g->reentrant && g->counting != COUNT_BY_HOLDER && g->counting != COUNT_HIDDEN;
    bool has_members = h->kind == HOLDER_ZSET || h->kind == HOLDER_SET || h->kind == HOLDER_LIST ||
                       h->kind == HOLDER_HASH;
    if (h->first)
        add_first(out, g);
    else if (h->numbered)
        add_numbered(out);
    else if (h->kind == HOLDER_HASH && h->field.n && !h->within)
        add_fields(out, g);
    else if (h->kind == HOLDER_MEMBER_PART || (has_members && (h->within || h->field.n)))
        add_members(out, g, cut);
    else if (h->kind == HOLDER_VALUE || (h->kind == HOLDER_STRING && (h->within || counts)))
        add_value(out, g, cut);
    else if (named[h->kind])
        buf_printf(out, "  holder   = %s,\n", named[h->kind]);
    else
        buf_addz(out, "  holder   = \"nobody\",         -- the trial saw no owner in the keyspace; a function(redis, "
                 "key) can tell it\n");
}

/* The lease that the table says. */
static int64_t lease_of(const guess *g)
{
    return g->own_lease_ms ? g->own_lease_ms : 1000;
}

/* A name of the trial's as an expression of `key` and `owner`: key .. ":lease:" .. owner. */
static void add_expression(buf *out, const guess *g, str text)
{
    const guess_script *s = &g->acquire;
    static const struct { const char *name, *word; } rows[] = { { GUESS_LOCK, "key" }, { GUESS_OWNER, "owner" } };
    bool begun = false;
    for (size_t i = 0; i < s->keys_n; i++) {
        char declared[64];                 /* one of KEYS: its name has the lock's in braces */
        int n = snprintf(declared, sizeof declared, GUESS_LOCK ":%zu", s->keys[i].n);
        if (s->keys[i].role == ROLE_KEY && str_eq(text, (str){ declared, (size_t)n })) {
            buf_printf(out, "\"{\" .. key .. \"}:%zu\"", s->keys[i].n);
            return;
        }
    }
    for (size_t i = 0, from = 0; i <= text.n; i++) {
        size_t k = 0;
        while (k < COUNT(rows) && !str_starts(str_slice(text, i, text.n), str_from(rows[k].name)))
            k++;
        if (k == COUNT(rows) && i < text.n)
            continue;
        if (i > from) {
            buf_addz(out, begun ? " .. " : "");
            tokens_quote(out, str_slice(text, from, i));
            begun = true;
        }
        if (k < COUNT(rows)) {
            buf_printf(out, "%s%s", begun ? " .. " : "", rows[k].word);
            begun = true;
            i += strlen(rows[k].name) - 1;
        }
        from = i + 1;
    }
}

/* When a hold is over by another key: its time to live, or a time that it stores. */
static void add_other_end(buf *out, const guess *g)
{
    static const char *const reads[] = { [ENDS_BY_TTL] = "redis.call(\"PEXPIRETIME\", ",
                                         [ENDS_BY_SCORE] = "tonumber(redis.call(\"ZSCORE\", ",
                                         [ENDS_BY_FIELD] = "tonumber(redis.call(\"HGET\", ",
                                         [ENDS_BY_VALUE] = "tonumber(redis.call(\"GET\", " };
    bool since = g->ends == ROLE_NOW_MS || g->ends == ROLE_NOW_S;
    bool seconds = g->ends == ROLE_NOW_S || g->ends == ROLE_UNTIL_S;
    buf_printf(out, "  ends     = function(redis, key, owner)            -- another key ends the hold\n"
                    "    local at = %s", reads[g->ends_by]);
    add_expression(out, g, g->ends_key);
    if (g->ends_by == ENDS_BY_SCORE || g->ends_by == ENDS_BY_FIELD) {
        buf_addz(out, ", ");
        add_expression(out, g, g->ends_member);
    }
    if (g->ends_by == ENDS_BY_TTL)
        buf_addz(out, ")\n    if at ~= -1 then return at + 1 end\n  end,\n");
    else
        buf_printf(out, "))\n    return at and %s%s%s\n  end,\n", g->ends_after ? "(at + 1)" : "at",
                   seconds ? " * 1000" : "", since ? " + 1000            -- the lease" : "");
}

/* When a hold is over by a time that is stored beside its owner. */
static void add_end(buf *out, const guess *g)
{
    static const char *const words[ROLE_COUNT] = {
        [ROLE_NOW_MS] = "$now_ms", [ROLE_NOW_S] = "$now_s", [ROLE_UNTIL_MS] = "$until_ms", [ROLE_UNTIL_S] = "$until_s",
    };
    bool since = g->ends == ROLE_NOW_MS || g->ends == ROLE_NOW_S;
    bool seconds = g->ends == ROLE_NOW_S || g->ends == ROLE_UNTIL_S;
    if (g->ends_key.n) {
        add_other_end(out, g);
        return;
    }
    if (g->ends_early_ms && g->ends == ROLE_UNKNOWN && !g->ends_never)
        buf_printf(out, "  ends     = function(redis, key) return redis.call(\"PEXPIRETIME\", key) - %" PRId64
                   " end,\n", g->ends_early_ms);
    if (g->ends_never)
        buf_addz(out, "  ends     = false,            -- the stored time does not end the hold\n");
    if (g->ends == ROLE_UNKNOWN)
        return;
    if (g->holder.kind == HOLDER_ZSET) {
        buf_printf(out, "  ends     = \"%s%s\",    -- what a score is: it ends the hold\n", words[g->ends],
                   g->ends_after ? " + 1" : "");
        return;
    }
    bool member = g->holder.kind == HOLDER_MEMBER_PART;
    if (member && g->tokens && !g->semaphore)      /* its owner is cut out of the member: that does not lead back */
        return;
    buf_printf(out, "  ends     = function(redis, key%s)            -- the stored time that ends the hold\n"
                    "    local at = ", member ? ", owner" : "");
    if (member) {
        buf_addz(out, "tonumber(redis.call(\"ZSCORE\", key, owner .. ");
        tokens_quote(out, g->holder.field);
        buf_addz(out, "))\n");
    } else if (g->holder.kind == HOLDER_VALUE) {
        buf_addz(out, "tonumber(redis.call(\"HGET\", key, ");
        tokens_quote(out, g->ends_field);
        buf_addz(out, "))\n");
    } else {
        buf_addz(out, "tonumber(redis.call(\"GET\", key):match(\"%d%d%d%d%d%d%d%d%d%d+\"))\n");
    }
    const char *at = g->ends_after ? "at and (at + 1)" : seconds || since ? "at and at" : "at";
    buf_printf(out, "    return %s%s%s\n  end,\n", at,
               seconds ? " * 1000" : "", since ? " + 1000            -- the lease" : "");
}

static void add_spec(buf *out, const guess *g)
{
    if (g->reentrant && g->counting == COUNT_HIDDEN)
        buf_addz(out, "  spec     = \"none\",           -- its owner gets it again; the trial did not see where it "
                 "counts that\n");
    else if (g->holder.first)
        buf_addz(out, "  spec     = \"none\",           -- a release hands it on to the next of the queue\n");
    else if (g->reentrant || g->idempotent)
        buf_printf(out, "  spec     = \"%s\",\n", g->reentrant ? "reentrant" : "idempotent_mutex");
}

bool starter_has_unknown(const guess *g)
{
    named_script all[3];
    for (size_t i = 0, n = starter_scripts(g, all); i < n; i++)
        if (guess_has_role(all[i].s, ROLE_UNKNOWN))
            return true;
    return false;
}

void starter_add_unknown(buf *out, const guess *g)
{
    named_script all[3];
    size_t lists = 0;
    for (size_t i = 0, n = starter_scripts(g, all); i < n; i++) {
        const guess_script *s = all[i].s;
        for (size_t k = 0, found = 0; k < s->slots_n; k++) {
            const guess_arg *arg = &s->args[k];
            if (arg->role != ROLE_UNKNOWN)
                continue;
            if (found++ == 0)
                buf_printf(out, "%s%s's ", lists++ ? "; " : "", all[i].op);
            else
                buf_addz(out, ", ");
            buf_printf(out, "ARGV[%zu]%s%.*s", (arg->field.n ? arg->in : k) + 1, arg->field.n ? "." : "",
                       STR_ARG(arg->field));
            if (arg->called.n)
                buf_printf(out, " (%.*s)", STR_ARG(arg->called));
        }
    }
}

static void add_table(buf *out, arena *a, const guess *g, str folder, bool rendered)
{
    buf_addz(out, "local mine = generic.lock {\n");
    named_script all[3];
    for (size_t i = 0, n = starter_scripts(g, all); i < n; i++) {
        buf_printf(out, "  %-8s = ", all[i].op);
        if (all[i].s->command) {
            add_words(out, a, g, all[i].s, false);
        } else if (rendered) {
            buf_addz(out, "script.text(");
            tokens_quote(out, all[i].s->text);
            buf_addz(out, ")");
        } else {
            tokens_quote(out, files_relative(a, folder, all[i].s->path));
        }
        buf_addz(out, ",\n");
    }
    if (starter_has_unknown(g)) {
        buf_addz(out, "  -- \"?\": the trial did not show what this is; put a text of your own, or a word.\n"
                      "  -- It is ");
        starter_add_unknown(out, g);
        buf_addz(out, ".\n  -- Words: $lock $owner $#owner $token $lease_ms $lease_s $now_ms $now_s $until_ms $until_s "
                      "$limit\n  -- $wait_ms $channel\n");
    }
    if (g->key.n) {
        buf_addz(out, "  key      = ");
        tokens_quote(out, g->key);
        buf_addz(out, g->holder.named ? ",            -- a hash of many locks\n"
                                      : ",            -- the script makes this name: no KEYS tells a cluster of it\n");
    }
    add_lists(out, a, g, true);
    add_lists(out, a, g, false);
    add_granted(out, g);
    add_released(out, g);
    add_holder(out, g);
    add_end(out, g);
    if (g->semaphore && g->holder.kind == HOLDER_UNKNOWN)
        buf_addz(out, "  -- $limit is 1, a mutex, until limit says more: that needs a holder that names the owners\n");
    else if (g->semaphore)
        buf_addz(out, "  limit    = 1,                -- how many may hold at once; with more, name more clients "
                 "below\n");
    for (size_t i = 0; i < g->lasting_n; i++) {
        buf_addz(out, i ? ", " : "  lasting  = { ");
        tokens_quote(out, g->lasting[i]);
        buf_addz(out, i + 1 == g->lasting_n ? " },\n" : "");
    }
    add_spec(out, g);
    if (g->tells_holds)
        add_reply(out, "still_held", &g->still_held);
    buf_printf(out, "  wait     = \"%s\",\n", g->publishes ? "pubsub" : "sleep");
    int64_t lease_ms = lease_of(g);
    if (!g->publishes)
        buf_printf(out, "  retry_ms = %" PRId64 ",\n", lease_ms / 4);
    if (g->own_lease_ms)
        buf_printf(out, "  lease_ms = %" PRId64 ",            -- the script's own\n", lease_ms);
    else if (g->expires)
        buf_printf(out, "  lease_ms = %" PRId64 ",\n", lease_ms);
    if (guess_by_clients_clock(g))
        buf_addz(out, "  -- within_lease = true,      -- where your client counts the lease from before it asks: else "
                      "a\n                                -- grant that is long under way is LK001\n");
    if (g->renew.path.n)
        buf_printf(out, "  renew_every_ms = %" PRId64 ",\n", lease_ms / 2);
    buf_addz(out, "}\n\n");
}

/* One round of the lock as a function of `me`, indented by `in`; `again`: with a second hold inside the first. */
static void add_round(buf *out, const char *in, bool again, const char *work)
{
    buf_printf(out, "function(me)\n"
                    "%s  local lock = mine.lock(me, \"order:42\")\n"
                    "%s  if lock:acquire() then\n", in, in);
    if (again)
        buf_printf(out, "%s    lock:acquire()                 -- again: it counts\n", in);
    buf_printf(out, "%s    %s\n", in, work);
    for (int i = 0; i < 1 + again; i++)
        buf_printf(out, "%s    lock:release()\n", in);
    buf_printf(out, "%s  end\n"
                    "%send,\n", in, in);
}

/* Where a count is all that is stored, the view names no owner: a permit that was another's shows only by a third
 * client that gets it. */
static bool takes_three(const guess *g)
{
    return g->holder.kind == HOLDER_PERMITS && g->frees_for_anyone;
}

/* Holds within holds, a renewal that ticks while anybody stands still for any time: all at once is a search of minutes,
 * and each by itself one of a second. */
static void add_programs(buf *out, const guess *g)
{
    /* Ticks of a watchdog for any time have too many phases, and never end where each call has a name of its own. */
    char longer[96];
    snprintf(longer, sizeof longer, "me:work(%" PRId64 ")                  -- longer than the lease: the renewal has "
             "to hold it", lease_of(g) + lease_of(g) / 10);
    const char *work = g->renew.path.n ? longer
                       : takes_three(g) ? "me:work(100)                   -- any length is a search of minutes with "
                                         "three"
                                       : "me:work()                      -- any length: whatever others do may fall "
                                         "into it";
    static const char pause[] = "faults  = { pause = 1 },"
                                "             -- one stands still at any moment, for any time\n";
    /* Where the view does not know when a permit's score is over, a pause that outlasts it shows nothing. */
    static const char crash[] = "faults  = { crash = 1 },"
                                "             -- one dies at any moment; a pause that outlasts the lease is not\n"
                                "                                           -- tried: no key's TTL tells that a permit "
                                "is over\n";
    bool by_score = g->semaphore && g->renew.path.n && g->holder.kind == HOLDER_ZSET && g->ends == ROLE_UNKNOWN;
    if (!g->reentrant && g->renew.path.n == 0) {
        buf_addz(out, "  program = ");
        add_round(out, "  ", false, work);
        buf_printf(out, "  %s"
                        "                                       -- (`locksim list faults` has more)\n", pause);
        if (g->ages)
            buf_addz(out, "  end_ms  = 10000,                     -- the stored time grows older for ever: no state "
                          "comes twice\n");
        return;
    }
    buf_addz(out, "  -- Two searches of a second or two each. "
                  "Faults in `work`, too, are the next step: a search of minutes.\n"
                  "  cases   = {\n"
                  "    work = {\n"
                  "      program = ");
    add_round(out, "      ", g->reentrant, work);
    buf_printf(out, "    },\n"
                    "    %s = {\n"
                    "      program = ", by_score ? "crash" : "pause");
    add_round(out, "      ", false,
              by_score ? "me:work(100)" : "me:work(100)                   -- the pause makes it longer");
    buf_printf(out, "      %s"
                    "                                           -- (`locksim list faults` has more)\n"
                    "    },\n"
                    "  },\n", by_score ? crash : pause);
}

void starter_add(buf *out, arena *a, const guess *g, str folder, bool rendered)
{
    buf_addz(out, "-- Written by `locksim init`: what it could see by trying the scripts is filled in. Change what is "
             "not so.\n"
                  "local generic = require \"generic\"\n\n");
    add_table(out, a, g, folder, rendered);
    buf_addz(out, "return {\n"
                  "  title   = \"my lock\",\n"
                  "  clients = ");
    buf_addz(out, takes_three(g) ? "{ \"A\", \"B\", \"C\" },\n" : "{ \"A\", \"B\" },\n");
    add_programs(out, g);
    if (g->keeps_seconds)
        buf_addz(out, "  explore = { random = 10000 },        -- the scripts keep the time of day in seconds: a search "
                 "of\n"
                      "                                       -- all is long, or does not end\n");
    buf_addz(out, "}\n");
}
