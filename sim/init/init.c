/* init.c - `locksim init`: reads a user's own acquire and release scripts, asks what a trial did not show, writes a
 * first scenario and tells what was found. */
#include "init/init.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lua_tokens.h"
#include "base/words.h"
#include "host/files.h"
#include "host/render.h"
#include "init/guess_text.h"
#include "init/guess_trial.h"
#include "init/starter.h"
#include "report/clean.h"
#include "report/fold.h"

/* Was the slot, or a field of the object in it, only called so? */
static bool is_by_name(const guess_script *s, size_t k)
{
    for (size_t i = s->args_n; i < s->slots_n; i++)
        if (s->args[k].role == ROLE_JSON && s->args[i].in == k && s->args[i].by_name)
            return true;
    return s->args[k].by_name;
}

/* What ends a hold, and by whose clock. */
static void add_lease_notes(buf *out, const guess *g)
{
    if (g->own_lease_ms && g->lease_slot) {
        size_t at = g->lease_slot - 1;
        const guess_arg *arg = &g->acquire.args[at];
        buf_printf(out, "note     ARGV[%zu] makes the lease, in %s, and not as $lease_ms does: %.*s there is %" PRId64
                   " ms, which\n         lease_ms says\n", (at < g->acquire.args_n ? at : arg->in) + 1, g->lease_unit,
                   STR_ARG(arg->text), g->own_lease_ms);
    } else if (g->own_lease_ms)
        buf_printf(out, "note     no argument says its lease: it ends by itself after %" PRId64 " ms\n",
                   g->own_lease_ms);
    else if (g->ends_somehow)
        buf_addz(out, "note     it ends by itself, and the trial did not show which argument says when: no lease_ms is "
                      "written\n         (a grant is then promised until its release: LK001)\n");
    else if (!g->expires)
        buf_addz(out, "note     no lease ends it: a crash of its owner locks for ever (LK031)\n");
    if (g->ends_early_ms)
        buf_printf(out, "note     another owner gets it %" PRId64 " ms before its key is gone: `ends` says so\n",
                   g->ends_early_ms);
    if (g->stays)
        buf_addz(out, "note     a stored time ends the hold, and no TTL the key: what an owner that died leaves stays "
                      "until the\n         next acquire; `lasting` says that this is meant (else it is LK030)\n");
    if (guess_by_clients_clock(g))
        buf_addz(out, "note     the lease ends by the client's clock, read before it asks: where your client counts\n"
                      "         it from there, write within_lease = true (else a grant long under way is LK001)\n");
}

/* A line a script: what each of its words was found to be. */
static void add_findings(buf *out, arena *a, const guess *g)
{
    bool named = false;
    named_script all[3];
    for (size_t i = 0, n = starter_scripts(g, all); i < n; i++) {
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
    add_lease_notes(out, g);
    if (g->owners_key)
        buf_printf(out, "note     the release frees what KEYS[%zu] names: where each owner has a key of its own there, "
                   "write\n         \"{$lock}:%zu:$owner\" for it in keys, with $token for permits\n", g->owners_key,
                   g->owners_key);
    else if (g->frees_for_anyone)
        buf_addz(out, "note     the release does not compare the owner: any client can free the lock (LK003)\n");
    if (g->keeps_part)
        buf_addz(out, "note     refused for its second key, the acquire keeps the first: that stays locked until its "
                      "lease ends\n");
    if (g->renews_for_anyone)
        buf_addz(out, "note     the renewal does not compare the owner: any client can prolong the lock (LK003)\n");
    if (g->renewal_takes)
        buf_addz(out, "note     the renewal takes the lock where it is free: one that comes after the release leaves\n"
                      "         a hold that no client knows of (LK040); a client has to end its renewals first\n");
    if (g->renewal_adds)
        buf_addz(out, "note     the renewal does not set the lease anew: how much it adds at a time is for you to say\n"
                 "         (more than what passes between two renewals is a lease longer than asked for: LK031)\n");
    if (g->release_error.n) {
        buf_addz(out, "note     the release frees the lock and then fails: ");
        clean_text(out, g->release_error);
        buf_byte(out, '\n');
    }
    if (starter_has_unknown(g)) {
        buf_addz(out, "note     what is marked \"?\" in the file, the trial did not show: fill it in before you run "
                      "it\n         (");
        starter_add_unknown(out, g);
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
    starter_add(&text, a, g, folder, rendered);
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
