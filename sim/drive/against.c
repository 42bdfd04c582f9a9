/* against.c - see against.h. The driver's world follows the run's story row by row: a request is executed and answered
 * when the program's was, time passes as it did, and the same faults strike. In between the driver goes on by
 * itself. */
#include "drive/against_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* ---- the whole run ---- */

static bool follow_row(follower *f, size_t row)
{
    str token = f->real->rows[row - 1].token;
    if (token.n > 1 && token.p[0] == '!')
        return follow_strike(f, token, row);
    if (token.n > 1 && token.p[0] == '+') {
        int64_t before = row > 1 ? f->real->rows[row - 2].at_ms : WORLD_EPOCH_MS;
        return follow_pass(f, f->real->rows[row - 1].at_ms - before, row);
    }
    for (size_t i = 0; i < f->real->request_count; i++) {
        const story_request *r = &f->real->requests[i];
        if (r->executed_step == row && r->copy == 0 && follow_counts(r) && !follow_execute(f, i))
            return false;
        if (r->answered_step == row && !follow_answer(f, i, row))
            return false;
    }
    uint32_t who = f->real->rows[row - 1].process;
    if (who != NOBODY && f->put_off[who] && follow_is_line(&f->real->rows[row - 1])) {
        size_t r = f->put_off[who] - 1;
        f->put_off[who] = NONE;
        if (!follow_answer(f, r, row))
            return false;
    }
    size_t arrow = str_find(token, '<', 0);
    if (str_starts(str_slice(token, arrow, token.n), S("<msg")))
        return follow_message(f, follow_client_named(f, str_slice(token, 0, arrow)));
    size_t dot = str_find(token, '.', 0);
    if (str_starts(str_slice(token, dot, token.n), S(".wake")))
        return follow_pauses_in_line(f, who, row) || follow_fire_timer(f, f->nodes[who]);
    return true;
}

/* Every program has ended: nothing may follow, however long one waits. */
static bool follow_end(follower *f)
{
    for (size_t n = 0; n < LATER_STEPS_MAX; n++) {
        if (!follow_come_to_rest(f, f->real->count + 1))
            return false;
        if (!follow_pass_step(f))
            return f->problem->class_ == ERR_NONE;
    }
    return true;
}

/* The run's faults as a schedule, from which the world takes its budgets. */
static const char *fault_text(const follower *f)
{
    buf b = { 0 };
    for (size_t i = 0; i < f->real->count; i++) {
        str token = f->real->rows[i].token;
        if (token.n < 2 || token.p[0] != '!' || str_starts(token, S("!resume")))
            continue;
        buf_addz(&b, b.n ? " " : "");
        token = str_slice(token, 0, str_find(token, '#', 0));
        buf_add(&b, str_slice(token, 0, str_ends(token, S("=silent")) ? token.n - 7 : token.n));
        if (str_starts(token, S("!clock_jump")))
            buf_addz(&b, "=60000");
    }
    str text = arena_str(f->a, buf_str(&b));
    buf_free(&b);
    return text.n ? text.p : NULL;
}

static bool follow(follower *f)
{
    scenario sc = *f->with->sc;
    memset(sc.faults, 0, sizeof sc.faults);
    if (f->with->slow_ms > sc.latency_hi_ms) {
        sc.latency_lo_ms = 0;
        sc.latency_hi_ms = f->with->slow_ms;
    }
    f->w = world_new(&sc, f->with->l, &(world_options){ .record = true, .folded = true, .schedule = fault_text(f) },
                     f->problem);
    bool ok = f->w != NULL;
    for (size_t row = 1; ok && !f->enough && row <= f->real->count; row++)
        ok = follow_row(f, row);
    return ok;
}

/* ---- side by side ---- */

enum { SIDE_COLUMNS = 58 };

static void add_clipped(buf *b, str text)
{
    if (text.n <= SIDE_COLUMNS) {
        buf_add(b, text);
        return;
    }
    buf_add(b, str_slice(text, 0, SIDE_COLUMNS - 3));
    buf_addz(b, "...");
}

/* Scripts by the first letters of their hash. */
static str told(arena *a, const story_request *r)
{
    buf b = { 0 };
    for (size_t i = 0; r && i < r->argc; i++) {
        buf_addz(&b, i ? " " : "");
        buf_add(&b, str_slice(r->argv[i], 0, follow_runs_script(r) && i == 1 ? 8 : r->argv[i].n));
    }
    if (r && r->answer.n)
        buf_printf(&b, " -> %.*s", STR_ARG(r->answer));
    for (size_t i = 0; i < b.n; i++)
        b.p[i] = (unsigned char)b.p[i] < ' ' || b.p[i] == 127 ? '.' : b.p[i];
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static void add_row(follower *f, buf *b, const char *mark, const story_request *theirs, const story_request *ours)
{
    /* cppcheck-suppress nullPointerRedundantCheck ; one of the two is there */
    str client = f->clients[theirs ? theirs->process : follow_client_of(f, ours->process)];
    buf side = { 0 };
    add_clipped(&side, theirs ? told(f->a, theirs) : S("(nothing more)"));
    /* cppcheck-suppress nullPointerRedundantCheck ; the same */
    str when = follow_instant(f->a, theirs ? theirs->sent_ms : ours->sent_ms);
    buf_printf(b, "%s %9.*s  %-8.*s %-*.*s", mark, STR_ARG(when),
               STR_ARG(client), SIDE_COLUMNS, STR_ARG(buf_str(&side)));
    buf_clear(&side);
    if (*mark == '!') {
        add_clipped(&side, ours ? told(f->a, ours) : S("(nothing more)"));
        buf_printf(b, "  %.*s%s%.*s", STR_ARG(ours ? follow_instant(f->a, ours->sent_ms) : S("")), ours ? "  " : "",
                   STR_ARG(buf_str(&side)));
    } else {
        buf_addz(b, "  the same");
    }
    buf_byte(b, '\n');
    buf_free(&side);
}

static str side_by_side(follower *f)
{
    buf b = { 0 };
    buf_printf(&b, "  %9s  %-8s %-*s  %s\n", "sent", "client", SIDE_COLUMNS, "the program", "the driver");
    size_t alike = 0, seen = 0;
    for (size_t i = 0; i < f->real->request_count; i++)
        alike += f->ours[i] != NONE && &f->real->requests[i] != f->theirs;
    for (size_t i = 0; i < f->real->request_count; i++) {
        const story_request *r = &f->real->requests[i];
        if (f->ours[i] != NONE && r != f->theirs && seen++ + ROWS_BEFORE >= alike)
            add_row(f, &b, " ", r, NULL);
    }
    add_row(f, &b, "!", f->theirs, f->instead);
    if (told(f->a, f->theirs).n > SIDE_COLUMNS || told(f->a, f->instead).n > SIDE_COLUMNS)
        buf_printf(&b, "\n  the program: %.*s\n  the driver:  %.*s\n", STR_ARG(told(f->a, f->theirs)),
                   STR_ARG(told(f->a, f->instead)));
    str text = arena_str(f->a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* ---- ways of the driver ---- */

/* The client's last choice with another option takes it, and later choices are made anew. Choices of the other clients
 * are kept: their requests were right so far. false: all options were tried. */
static bool choose_otherwise(picks_of *p, size_t asked)
{
    p->count = asked < p->count ? asked : p->count;
    while (p->count > 0) {
        pick *last = &p->at[p->count - 1];
        if (++last->taken < last->of)
            return true;
        p->count--;
    }
    return false;
}

static void keep(arena *a, follower *f, against_result *out)
{
    out->differs = f->differs;
    out->requests = f->alike;
    out->reason = arena_str(a, f->reason);
    out->table = f->differs ? arena_str(a, side_by_side(f)) : S("");
}

static bool find_nodes(const against *with, const str *clients, size_t count, uint32_t *nodes)
{
    for (size_t c = 0; c < count; c++) {
        uint32_t node = 0;
        while (node < with->sc->client_count && !str_eq(with->sc->clients[node].name, clients[c]))
            node++;
        if (node == with->sc->client_count)
            return false;
        nodes[c] = node;
    }
    return true;
}

bool against_fits(const against *with, const str *clients, size_t count, err *e)
{
    arena *a = arena_new();
    uint32_t *nodes = ARENA_ARRAY(a, uint32_t, count + 1);
    bool fits = with->sc->client_count == count && find_nodes(with, clients, count, nodes);
    if (!fits) {
        buf b = { 0 };
        for (size_t i = 0; i < with->sc->client_count; i++)
            buf_printf(&b, "%s%.*s", i ? ", " : "", STR_ARG(with->sc->clients[i].name));
        err_set(e, ERR_USAGE, "%.*s: its clients are %.*s, and other ones are driven", STR_ARG(with->sc->file),
                STR_ARG(buf_str(&b)));
        err_hint(e, "each program is held against the client of the scenario that has its name");
        buf_free(&b);
    }
    arena_free(a);
    return fits;
}

static str told_problem(arena *a, const err *e)
{
    if (e->line == 0)
        return arena_str(a, buf_str(&e->message));
    return arena_printf(a, "%.*s:%d: %.*s", STR_ARG(buf_str(&e->path)), e->line, STR_ARG(buf_str(&e->message)));
}

/* Runs the driver again with the stored choices. false: it cannot be run. */
static bool one_way(arena *a, follower *f, bool ended, against_result *out)
{
    bool same = (follow(f) && (!ended || f->enough || follow_end(f))) ||
                (f->enough && !f->differs && f->problem->class_ == ERR_NONE);
    if (!same && !f->differs) {
        out->failed = true;
        out->differs = false;
        out->reason = told_problem(a, f->problem);
        return false;
    }
    if (same || out->ways == 0 || f->alike > out->requests)
        keep(a, f, out);
    out->ways++;
    return true;
}

void against_compare(arena *a, const against *with, const story *real, const str *clients, size_t count, bool ended,
                     against_result *out)
{
    err e = { 0 };
    *out = (against_result){ .reason = S(""), .table = S("") };
    uint32_t *nodes = ARENA_ARRAY(a, uint32_t, count + 1);
    picks_of *picks = ARENA_ARRAY(a, picks_of, with->sc->client_count + 1);
    bool ok = find_nodes(with, clients, count, nodes), goes_on = ok;
    while (goes_on) {
        arena *room = arena_new();
        follower f = { .a = room, .with = with, .real = real, .clients = clients, .client_count = count,
                       .nodes = nodes, .words = { .a = room }, .scripts = { .a = room }, .problem = &e,
                       .ours = ARENA_ARRAY(room, size_t, real->request_count + 1),
                       .gone = ARENA_ARRAY(room, bool, real->request_count + 1),
                       .left_out = ARENA_ARRAY(room, bool, real->request_count + 1),
                       .put_off = ARENA_ARRAY(room, size_t, count + 1), .picks = picks, .reason = S("") };
        for (size_t n = 0; n < with->sc->client_count; n++)
            picks[n].asked = 0;
        ok = one_way(a, &f, ended, out);
        goes_on = ok && f.differs && out->ways < WAYS_MAX && choose_otherwise(&picks[f.whose], f.asked);
        world_free(f.w);
        arena_free(room);
    }
    for (size_t n = 0; n < with->sc->client_count; n++)
        mem_free(picks[n].at);
    err_clear(&e);
}
