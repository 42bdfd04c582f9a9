/* init.c - `locksim init`: a starter scenario for somebody's own acquire and release scripts, with what a trial showed of them filled in. */
#include <string.h>
#include <sys/stat.h>

#include "cli/files.h"
#include "cli/guess.h"
#include "base/lua_tokens.h"
#include "report/clean.h"

static void add_words(buf *out, const guess_role *roles, size_t n)
{
    buf_addz(out, "{");
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s \"%s\"", i ? "," : "", guess_word(roles[i]));
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
static void add_lists(buf *out, const guess *g, bool keys)
{
    buf_printf(out, "  %s     = {\n", keys ? "keys" : "args");
    named_script all[3];
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++) {
        const guess_script *s = all[i].s;
        buf_printf(out, "    %s = ", all[i].op);
        add_words(out, keys ? s->keys : s->args, keys ? s->keys_n : s->args_n);
        buf_addz(out, ",\n");
    }
    buf_addz(out, "  },\n");
}

/* A field with the reply as generic.lock compares it; nil needs none. */
static void add_reply(buf *out, const char *field, const reply *r)
{
    if (r->kind == REPLY_INTEGER) {
        buf_printf(out, "  %s = %lld,\n", field, (long long)r->integer);
    } else if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS) {
        buf_printf(out, "  %s = ", field);
        tokens_quote(out, r->text);
        buf_addz(out, ",\n");
    } else {
        buf_printf(out, "  -- %s: the script answers nil\n", field);
    }
}

static bool is_unknown(const guess_role *roles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (roles[i] == ROLE_UNKNOWN)
            return true;
    return false;
}

static bool has_unknown(const guess *g)
{
    named_script all[3];
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++)
        if (is_unknown(all[i].s->keys, all[i].s->keys_n) || is_unknown(all[i].s->args, all[i].s->args_n))
            return true;
    return false;
}

static void add_table(buf *out, arena *a, const guess *g, str folder)
{
    buf_addz(out, "local mine = generic.lock {\n");
    named_script all[3];
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++) {
        buf_printf(out, "  %-8s = ", all[i].op);
        tokens_quote(out, files_relative(a, folder, all[i].s->path));
        buf_addz(out, ",\n");
    }
    if (has_unknown(g))
        buf_addz(out, "  -- \"?\": the trial did not show what this is. Words: $lock $owner $token $lease_ms $lease_s $now_ms $wait_ms $channel\n");
    add_lists(out, g, true);
    add_lists(out, g, false);
    add_reply(out, "granted ", &g->granted);
    if (g->holder != HOLDER_UNKNOWN)
        buf_printf(out, "  holder   = \"%s\",\n", g->holder == HOLDER_STRING ? "string value" : "hash field");
    else
        buf_addz(out, "  -- holder: a function(redis, lock) that tells who holds it; see locksim(1)\n");
    if (g->reentrant)
        buf_addz(out, "  spec     = \"reentrant\",\n");
    if (g->tells_holds)
        add_reply(out, "still_held", &g->still_held);
    buf_printf(out, "  wait     = \"%s\",\n", g->publishes ? "pubsub" : "sleep");
    if (!g->publishes)
        buf_addz(out, "  retry_ms = 250,\n");
    buf_addz(out, "  lease_ms = 1000,\n");
    if (g->renew.path.n)
        buf_addz(out, "  renew_every_ms = 300,\n");
    buf_addz(out, "}\n\n");
}

static void add_scenario(buf *out, arena *a, const guess *g, str folder)
{
    buf_addz(out, "-- Written by `locksim init`: what it could see by trying the scripts is filled in. Change what is not so.\n"
                  "local generic = require \"generic\"\n\n");
    add_table(out, a, g, folder);
    buf_addz(out, "return {\n"
                  "  title   = \"my lock\",\n"
                  "  clients = { \"A\", \"B\" },\n"
                  "  program = function(me)\n"
                  "    local lock = mine.lock(me, \"order:42\")\n"
                  "    if lock:acquire() then\n");
    /* Timers of a watchdog that may tick for any time have too many phases for a first search. */
    const char *work = g->renew.path.n ? "      me:work(100)                   -- me:work() may take any time: more states\n"
                                       : "      me:work()                      -- any length: whatever others do may fall into it\n";
    if (g->reentrant)
        buf_printf(out, "      lock:acquire()                 -- once more: it counts\n%s      lock:release()\n", work);
    else
        buf_addz(out, work);
    buf_addz(out, "      lock:release()\n"
                  "    end\n"
                  "  end,\n"
                  "  faults  = { pause = 1 },             -- one client stands still at any moment, for any time; `locksim list faults` has more\n"
                  "}\n");
}

/* A line a script: what each of its words was found to be. */
static void add_findings(buf *out, const guess *g)
{
    named_script all[3];
    for (size_t i = 0, n = scripts_of(g, all); i < n; i++) {
        const guess_script *s = all[i].s;
        buf_printf(out, "%-8s ", all[i].op);
        clean_text(out, s->path);
        for (size_t k = 0; k < s->keys_n; k++)
            buf_printf(out, "  KEYS[%zu] %s", k + 1, guess_word(s->keys[k]));
        for (size_t k = 0; k < s->args_n; k++)
            buf_printf(out, "  ARGV[%zu] %s", k + 1, guess_word(s->args[k]));
        buf_byte(out, '\n');
    }
    buf_addz(out, "answers  granted ");
    reply_print_short(&g->granted, out);
    buf_addz(out, ", refused ");
    reply_print_short(&g->refused, out);
    buf_printf(out, "; %s\n", g->reentrant ? "its owner gets it again" : "its owner is refused, too");
    if (!g->expires)
        buf_addz(out, "note     the lock's key has no TTL: a crash of its owner locks for ever (LK031)\n");
    if (g->frees_for_anyone)
        buf_addz(out, "note     the release does not compare the owner: whoever calls it frees the lock (LK003)\n");
    if (g->release_error.n) {
        buf_addz(out, "note     the release frees the lock and then fails: ");
        clean_text(out, g->release_error);
        buf_byte(out, '\n');
    }
    if (has_unknown(g))
        buf_addz(out, "note     what is marked \"?\" in the file, the trial did not show: fill it in before you run it\n");
}

static bool read_script(arena *a, guess_script *s, const char *path, err *e)
{
    s->path = str_from(path);
    return files_read(a, s->path, &s->text, e);
}

static bool is_there(str path)
{
    struct stat st;
    return lstat(path.p, &st) == 0;
}

/* The folder first: how the scripts are named from there can be told once it is there. */
static bool write_new(arena *a, str path, const guess *g, err *e)
{
    str written, folder = files_folder(path);
    buf text = { 0 };
    if (is_there(path)) {
        err_at(e, ERR_USAGE, path, 0, 0, "this file is there already");
        return err_hint(e, "-o FILE writes another one");
    }
    if (!files_make_folder(a, folder, e))
        return false;
    add_scenario(&text, a, g, folder);
    bool ok = files_write(a, folder, files_name(path), buf_str(&text), &written, e);
    buf_free(&text);
    return ok;
}

int cli_init(const options *o)
{
    err e = { 0 };
    buf said = { 0 };
    arena *a = arena_new();
    guess g = { 0 };
    str path = o->out_dir ? str_from(o->out_dir) : files_join(a, files_folder(str_from(o->arguments[0])), S("lock_scenario.lua"));
    int status = STATUS_PASS;
    if (read_script(a, &g.acquire, o->arguments[0], &e) && read_script(a, &g.release, o->arguments[1], &e) &&
        (o->argument_count < 3 || read_script(a, &g.renew, o->arguments[2], &e)) && guess_lock(a, &g, &e)) {
        if (write_new(a, path, &g, &e)) {
            add_findings(&said, &g);
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
        status = cli_complain(&e);
    else if (!cli_print(&said))
        status = STATUS_IO;
    err_clear(&e);
    buf_free(&said);
    arena_free(a);
    return status;
}
