/* init.c - `locksim init`: a starter scenario for a user's own acquire and release scripts, with the results of a trial
 * filled in. */
#include "init/init.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lua_tokens.h"
#include "base/words.h"
#include "host/files.h"
#include "host/render.h"
#include "init/guess_trial.h"
#include "report/clean.h"
#include "report/fold.h"

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

typedef struct {
    const char *op;
    const guess_script *s;
} named_script;

/* acquire, release, and renew where it is given; how many. */
static size_t scripts_of(const guess *g, named_script out[3])
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
    size_t n = scripts_of(g, all), scripts = 0;
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
    if (!reply_equal(&g->freed, &g->kept) || !reply_equal(&g->freed, &g->gone))
        add_released_reply(out, g);
    else
        buf_addz(out, "  released = false,            -- it answers the same whether it was the owner's or not\n");
}

/* What gives the members of a key, one by one. */
static const char *reads_members(guess_holder kind)
{
    return kind == HOLDER_ZSET || kind == HOLDER_MEMBER_PART ? "redis.call(\"ZRANGE\", key, 0, -1)"
           : kind == HOLDER_SET ? "redis.call(\"SMEMBERS\", key)"
           : kind == HOLDER_HASH ? "redis.call(\"HKEYS\", key)" : "redis.call(\"LRANGE\", key, 0, -1)";
}

/* The pattern that finds the owner in a longer text: after a name of JSON, or by the form of "A:1". */
static void add_pattern(buf *out, const guess *g)
{
    const char *owner = g->semaphore ? "([^\"]*)" : "([^\"\\\\/]*)";           /* $token begins with $owner */
    if (g->holder.before.n)
        buf_printf(out, "'%.*s%s'", STR_ARG(g->holder.before), owner);
    else
        buf_addz(out, "\"%a+:%d+\"");
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
        tokens_quote(out, h->field);
        buf_addz(out, ")\n");
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
    if (h->kind == HOLDER_MEMBER_PART || (has_members && (h->within || h->field.n)))
        add_members(out, g, cut);
    else if (h->kind == HOLDER_VALUE || (h->kind == HOLDER_STRING && (h->within || counts)))
        add_value(out, g, cut);
    else if (named[h->kind])
        buf_printf(out, "  holder   = %s,\n", named[h->kind]);
    else
        buf_addz(out, "  holder   = \"nobody\",         -- the trial saw no owner in the keyspace; a function(redis, "
                 "key) can tell it\n");
}

static void add_spec(buf *out, const guess *g)
{
    if (g->reentrant && g->counting == COUNT_HIDDEN)
        buf_addz(out, "  spec     = \"none\",           -- its owner gets it again; the trial did not see where it "
                 "counts that\n");
    else if (g->reentrant || g->idempotent)
        buf_printf(out, "  spec     = \"%s\",\n", g->reentrant ? "reentrant" : "idempotent_mutex");
}

static bool has_unknown(const guess *g)
{
    named_script all[3];
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++)
        if (guess_has_role(all[i].s, ROLE_UNKNOWN))
            return true;
    return false;
}

/* "acquire's ARGV[3] (lock_type), ARGV[6]; release's ARGV[3]": what stayed unknown, and the scripts' names for it. */
static void add_unknown(buf *out, const guess *g)
{
    named_script all[3];
    size_t lists = 0;
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++) {
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
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++) {
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
    if (has_unknown(g)) {
        buf_addz(out, "  -- \"?\": the trial did not show what this is; put a text of your own, or a word.\n"
                      "  -- It is ");
        add_unknown(out, g);
        buf_addz(out, ".\n  -- Words: $lock $owner $#owner $token $lease_ms $lease_s $now_ms $now_s $until_ms $until_s "
                      "$limit\n  -- $wait_ms $channel\n");
    }
    if (g->key.n) {
        buf_addz(out, "  key      = ");
        tokens_quote(out, g->key);
        buf_addz(out, ",            -- the script makes this name: no KEYS tells a cluster of it\n");
    }
    add_lists(out, a, g, true);
    add_lists(out, a, g, false);
    add_granted(out, g);
    add_released(out, g);
    add_holder(out, g);
    if (g->semaphore)
        buf_addz(out, "  limit    = 1,                -- how many may hold at once; with more, name more clients "
                 "below\n");
    if (g->lasting.n) {
        buf_addz(out, "  lasting  = { ");
        tokens_quote(out, g->lasting);
        buf_addz(out, " },\n");
    }
    add_spec(out, g);
    if (g->tells_holds)
        add_reply(out, "still_held", &g->still_held);
    buf_printf(out, "  wait     = \"%s\",\n", g->publishes ? "pubsub" : "sleep");
    if (!g->publishes)
        buf_addz(out, "  retry_ms = 250,\n");
    if (g->expires)
        buf_addz(out, "  lease_ms = 1000,\n");
    if (g->renew.path.n)
        buf_addz(out, "  renew_every_ms = 500,\n");
    buf_addz(out, "}\n\n");
}

static void add_scenario(buf *out, arena *a, const guess *g, str folder, bool rendered)
{
    buf_addz(out, "-- Written by `locksim init`: what it could see by trying the scripts is filled in. Change what is "
             "not so.\n"
                  "local generic = require \"generic\"\n\n");
    add_table(out, a, g, folder, rendered);
    buf_addz(out, "return {\n"
                  "  title   = \"my lock\",\n"
                  "  clients = { \"A\", \"B\" },\n"
                  "  program = function(me)\n"
                  "    local lock = mine.lock(me, \"order:42\")\n"
                  "    if lock:acquire() then\n");
    /* Timers of a watchdog that may tick for any time have too many phases for a first search; work that ends before
     * the lease would not show what the renewal is for. */
    const char *work = g->renew.path.n ? "      me:work(1100)                  -- longer than the lease: the renewal "
                                           "has to hold it\n"
                                       : "      me:work()                      -- any length: whatever others do may "
                                           "fall into it\n";
    if (g->reentrant)
        buf_printf(out, "      lock:acquire()                 -- again: it counts\n%s      lock:release()\n", work);
    else
        buf_addz(out, work);
    buf_addz(out, "      lock:release()\n"
                  "    end\n"
                  "  end,\n"
                  "  faults  = { pause = 1 },             -- one client stands still at any moment, for any time; "
                  "`locksim list faults` has more\n");
    if (g->keeps_clock)
        buf_addz(out, "  explore = { random = 10000 },        -- the scripts keep the time of day in seconds, or in a "
                 "text: each\n"
                      "                                       -- time is another state, and a search of all would not "
                      "end\n");
    buf_addz(out, "}\n");
}

/* Was the slot, or a field of the object in it, only called so? */
static bool is_by_name(const guess_script *s, size_t k)
{
    for (size_t i = s->args_n; i < s->slots_n; i++)
        if (s->args[k].role == ROLE_JSON && s->args[i].in == k && s->args[i].by_name)
            return true;
    return s->args[k].by_name;
}

/* A line a script: what each of its words was found to be. */
static void add_findings(buf *out, arena *a, const guess *g)
{
    bool named = false;
    named_script all[3];
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++) {
        const guess_script *s = all[i].s;
        buf_printf(out, "%-8s ", all[i].op);
        clean_text(out, s->path);
        for (size_t k = 0; k < s->keys_n; k++)
            buf_printf(out, "  KEYS[%zu] %.*s", k + 1, STR_ARG(guess_key_word(a, &s->keys[k])));
        for (size_t k = 0; k < s->args_n && !s->command; k++) {
            bool by_name = is_by_name(s, k);
            buf_printf(out, "  ARGV[%zu] %.*s%s", k + 1, STR_ARG(guess_arg_word(a, s, k, g->tokens)),
                       by_name ? "*" : "");
            named = named || by_name;
        }
        buf_addz(out, s->any_keys ? "  (any number of KEYS)\n" : "\n");
    }
    buf_addz(out, "answers  granted ");
    if (g->names_owner)
        buf_addz(out, "its own name");
    else
        reply_print_short(&g->granted, out);
    buf_addz(out, ", refused ");
    if (g->names_owner && guess_is_owner(&g->refused, ANN))
        buf_addz(out, "another's");
    else
        reply_print_short(&g->refused, out);
    buf_printf(out, "; %s\n", g->semaphore ? "as many owners as the limit says"
               : g->reentrant ? "its owner gets it again"
                                : g->idempotent ? "its owner gets it again, and holds it once"
                                : "its owner is refused, too");
    buf_printf(out, "tried    %zu ways to call the scripts\n", g->tried);
    if (named)
        buf_addz(out, "note     what is marked * the trial did not show: the script's own variable is called so\n");
    if (!g->expires)
        buf_addz(out, "note     no lease ends it: a crash of its owner locks for ever (LK031)\n");
    if (g->frees_for_anyone)
        buf_addz(out, "note     the release does not compare the owner: any client can free the lock (LK003)\n");
    if (g->renews_for_anyone)
        buf_addz(out, "note     the renewal does not compare the owner: any client can prolong the lock (LK003)\n");
    if (g->renewal_adds)
        buf_addz(out, "note     the renewal does not set the lease anew: how much it adds at a time is for you to say\n"
                 "         (more than what passes between two renewals is a lease longer than asked for: LK031)\n");
    if (g->release_error.n) {
        buf_addz(out, "note     the release frees the lock and then fails: ");
        clean_text(out, g->release_error);
        buf_byte(out, '\n');
    }
    if (has_unknown(g)) {
        buf_addz(out, "note     what is marked \"?\" in the file, the trial did not show: fill it in before you run "
                      "it\n         (");
        add_unknown(out, g);
        buf_addz(out, ")\n");
    }
}

static bool is_there(str path)
{
    struct stat st;
    return lstat(path.p, &st) == 0;
}

static bool read_script(arena *a, const options *o, guess_script *s, const char *path, err *e)
{
    s->path = str_from(path);
    if (!is_there(s->path) && strchr(path, ' ')) {
        str *words;
        s->command = true;
        s->text = s->path;
        if (words_split(a, s->text, &words, NULL, &s->words_n)) {
            s->words = words;
            return true;
        }
        err_at(e, ERR_USAGE, s->path, 0, 0, "a quote in this command is not closed, or text follows it directly");
        return err_hint(e, "quotes stand around whole words: 'SET \"$lock\" $owner NX PX $lease_ms'");
    }
    return files_read(a, s->path, &s->text, e) && (!o->render || render_read(a, o->render, s->path, &s->text, e));
}

/* The first $word of `text` that generic.lock does not fill in; empty: there is none. */
static str unknown_word(str text)
{
    static const char *const known[] = { "lock", "owner", "#owner", "token", "#token", "try", "lease_ms", "lease_s",
                                         "now_ms", "now_s", "until_ms", "until_s", "wait_ms", "limit", "channel",
                                         "call", "reply" };
    for (size_t at = str_find(text, '$', 0); at < text.n; at = str_find(text, '$', at + 1)) {
        size_t from = at + 1, end = from + (from < text.n && text.p[from] == '#'), i = 0;
        size_t letters = end;
        while (end < text.n && (isalpha((unsigned char)text.p[end]) || text.p[end] == '_'))
            end++;
        while (i < COUNT(known) && !str_eq(str_slice(text, from, end), str_from(known[i])))
            i++;
        if (end > letters && i == COUNT(known))
            return str_slice(text, at, end);
    }
    return S("");
}

/* A line of the terminal, repeated until it is a known name. false: it is empty, "?", or the end. */
static bool answer(char *line, size_t bytes)
{
    while (fgets(line, (int)bytes, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        str word = unknown_word(str_from(line));
        if (word.n == 0)
            return line[0] && strcmp(line, "?") != 0;
        fprintf(stderr, "nothing is called %.*s; known: $lock $owner $#owner $token $lease_ms $lease_s $now_ms $now_s "
                "$until_ms $until_s $wait_ms $limit $channel: ", STR_ARG(word));
    }
    return false;
}

/* On a terminal the user is asked for what the trial did not show; an empty line leaves it "?". */
static void ask_unknown(arena *a, const guess *g, guess_script *s)
{
    char line[256];
    for (size_t i = 0; i < s->slots_n && isatty(STDIN_FILENO) && isatty(STDERR_FILENO); i++) {
        guess_arg *arg = &s->args[i];
        if (arg->role != ROLE_UNKNOWN)
            continue;
        fprintf(stderr, "%.*s: what is ARGV[%zu]%s%.*s? A word (%s, $lease_ms, $now_ms, $limit, ...), a text, "
                "or Enter: ",
                STR_ARG(s->path), (arg->field.n ? arg->in : i) + 1, arg->field.n ? "." : "", STR_ARG(arg->field),
                g->tokens ? "$token" : "$owner");
        if (answer(line, sizeof line)) {
            arg->role = ROLE_TEXT;
            arg->text = arena_str(a, str_from(line));
        }
    }
}

/* The folder first: the scripts' names relative to it need it. */
static bool write_new(arena *a, str path, const guess *g, bool rendered, err *e)
{
    str written, folder = files_folder(path);
    buf text = { 0 };
    if (is_there(path)) {
        err_at(e, ERR_USAGE, path, 0, 0, "this file is there already");
        return err_hint(e, "-o FILE writes another one");
    }
    if (!files_make_folder(a, folder, e))
        return false;
    add_scenario(&text, a, g, folder, rendered);
    bool ok = files_write(a, folder, files_name(path), buf_str(&text), &written, e);
    buf_free(&text);
    return ok;
}

int init_main(const options *o)
{
    err e = { 0 };
    buf said = { 0 };
    arena *a = arena_new();
    guess g = { 0 };
    str path = o->out_dir ? str_from(o->out_dir) : files_join(a, files_folder(str_from(o->arguments[0])),
                                                              S("lock_scenario.lua"));
    int status = STATUS_PASS;
    if (read_script(a, o, &g.acquire, o->arguments[0], &e) && read_script(a, o, &g.release, o->arguments[1], &e) &&
        (o->argument_count < 3 || read_script(a, o, &g.renew, o->arguments[2], &e)) && guess_lock(a, &g, &e)) {
        ask_unknown(a, &g, &g.acquire);
        ask_unknown(a, &g, &g.release);
        ask_unknown(a, &g, &g.renew);
        if (write_new(a, path, &g, o->render != NULL, &e)) {
            add_findings(&said, a, &g);
            buf_addz(&said, "wrote    ");
            clean_text(&said, path);
            buf_addz(&said, "\nnext     ");
            clean_argument(&said, str_from(o->program));
            buf_addz(&said, " run ");
            clean_argument(&said, path);
            buf_byte(&said, '\n');
        }
    }
    if (e.class_ != ERR_NONE)
        status = print_complaint(&e);
    else {
        fold_lines(&said, 0, print_width(STDOUT_FILENO));
        status = print_out(&said) ? STATUS_PASS : STATUS_IO;
    }
    err_clear(&e);
    buf_free(&said);
    arena_free(a);
    return status;
}
