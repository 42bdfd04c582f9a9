/* checkpoint_files.c - see checkpoint_files.h. */
#include "judge/checkpoint_files.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/codec.h"
#include "base/mem.h"
#include "host/about.h"
#include "host/ranks.h"
#include "host/sealed_file.h"
#include "judge/packed.h"

enum { ATTEMPTS_MAX = 8 };             /* attempts that are kept: of a search with more, the last ones are lost */

struct scenario_files {
    arena *memory;
    const options *o;
    const opened *s;
    progress *p;
    str stem;              /* DIR/NAME.PRINT */
    uint64_t run;          /* print of the build and the options: a folder may hold files of other runs */
    checkpoints door;
    sealed_file *to;
    str from;              /* of the file that was read */
    size_t attempts;       /* number begun to be written */
    int status;            /* the worst file error */
};

const char *checkpoint_folder(const options *o)
{
    return o->resume ? o->resume : o->checkpoint;
}

static bool refuse(str path, err *e, const char *why, str what)
{
    err_at(e, ERR_SCENARIO, path, 0, 0, why, STR_ARG(what));
    return err_hint(e, "--checkpoint instead of --resume begins anew");
}

/* ---- the run's identity ---- */

/* Everything else on which a result depends, besides files. */
static void put_options(const options *o, buf *out)
{
    options_tell(o, out);
    const bool flags[] = { o->verbose, o->measure, o->profile, o->write_expect, o->expected, o->out_dir != NULL,
                           o->format == FORMAT_JSON };
    for (size_t i = 0; i < COUNT(flags); i++)
        buf_byte(out, flags[i] ? '1' : '0');
}

/* A print of all on which a scenario's result depends, besides files. */
static uint64_t print_of_run(const options *o)
{
    buf b = { 0 };
    about_tell(&b);
    put_options(o, &b);
    uint64_t print = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    return print;
}

static void put_run(const options *o, const job_list *jobs, buf *out)
{
    buf b = { 0 };
    about_tell(&b);
    buf_lenstr(out, buf_str(&b));
    buf_clear(&b);
    put_options(o, &b);
    buf_lenstr(out, buf_str(&b));
    buf_clear(&b);
    for (size_t i = 0; i < jobs->count; i++)
        buf_lenstr(&b, jobs->at[i].path);
    buf_lenstr(out, buf_str(&b));
    buf_free(&b);
}

/* Compares one of the run's three properties; if it differs, this is another run. */
static bool is_of(str path, str kept, str here, err *e)
{
    static const char *const why[] = {
        "cannot go on from it: another build of locksim made it",
        "cannot go on from it: that run had other options",
        "cannot go on from it: that run was one of other scenarios",
    };
    for (size_t i = 0; i < COUNT(why); i++)
        if (!str_eq(take_lenstr(&kept), take_lenstr(&here)))
            return refuse(path, e, why[i], S(""));
    return true;
}

static bool write_whole(str path, str bytes, err *e)
{
    sealed_file *to = sealed_begin(path, e);
    if (!to)
        return false;
    sealed_put(to, bytes.p, bytes.n);
    return sealed_end(to, e);
}

bool checkpoint_run_begins(const options *o, const job_list *jobs, err *e)
{
    const char *folder = checkpoint_folder(o);
    if (!folder)
        return true;
    if (o->resume && o->checkpoint)
        return err_set(e, ERR_USAGE, "--resume DIR goes on in that folder: --checkpoint has no place beside it");
    arena *a = arena_new();
    buf here = { 0 };
    str path = files_join(a, str_from(folder), S("run")), kept;
    put_run(o, jobs, &here);
    bool ok;
    if (!o->resume)
        ok = files_make_folder(a, str_from(folder), e) && (ranks_own() > 0 || write_whole(path, buf_str(&here), e));
    else if ((ok = sealed_open(path, &kept, e))) {
        ok = is_of(path, kept, buf_str(&here), e);
        sealed_close(kept);
    } else if (e->class_ == ERR_NONE) {
        err_at(e, ERR_USAGE, str_from(folder), 0, 0, "nothing to go on from: no run has kept anything here");
        err_hint(e, "--checkpoint %s keeps what --resume goes on from", folder);
    }
    buf_free(&here);
    arena_free(a);
    return ok;
}

/* ---- the files on which a scenario's result depends ---- */

static void put_basis(const scenario_files *f, buf *out)
{
    const looked *l = &f->s->looked;
    buf_u64(out, f->run);
    put_varint(out, l->count);
    for (size_t i = 0; i < l->count; i++) {
        buf_lenstr(out, l->at[i].path);
        buf_u64(out, l->at[i].print);
    }
}

/* Takes one file off the front of `from`. */
static bool basis_stands(str path, str *from, err *e)
{
    str changed = S("");
    uint64_t count = take_varint(from);
    for (uint64_t i = 0; i < count; i++) {
        str of = take_lenstr(from);
        file_print print = take_u64(from);
        if (!changed.n && file_print_now(of) != print)
            changed = of;
    }
    return !changed.n || refuse(path, e, "cannot go on from it: '%.*s' has changed since", changed);
}

/* false with an empty `e`: there is none of this run. */
static bool open_one(const scenario_files *f, str path, str *whole, str *bytes, err *e)
{
    if (!sealed_open(path, whole, e))
        return false;
    *bytes = *whole;
    bool ours = bytes->n >= sizeof f->run && take_u64(bytes) == f->run;
    if (ours && basis_stands(path, bytes, e))
        return true;
    sealed_close(*whole);
    return false;
}

static str result_name(arena *a, const scenario_files *f)
{
    return arena_printf(a, "%.*s.result", STR_ARG(f->stem));
}

static str attempt_name(arena *a, const scenario_files *f, size_t attempt)
{
    return arena_printf(a, "%.*s.%zu.checkpoint", STR_ARG(f->stem), attempt);
}

/* ---- for the search ---- */

static void complain(scenario_files *f, err *e)
{
    err_hint(e, "the search goes on; what was kept before is still there");
    f->status = status_worse(f->status, print_complaint(e));
    err_clear(e);
}

static bool begin(void *context, size_t attempt)
{
    scenario_files *f = context;
    err e = { 0 };
    if (attempt >= ATTEMPTS_MAX)
        return false;
    f->to = sealed_begin(attempt_name(f->memory, f, attempt), &e);
    if (!f->to) {
        complain(f, &e);
        return false;
    }
    buf basis = { 0 };
    put_basis(f, &basis);
    sealed_put(f->to, basis.p, basis.n);
    buf_free(&basis);
    return true;
}

static void put(void *context, const void *bytes, size_t n)
{
    sealed_put(((scenario_files *)context)->to, bytes, n);
}

static bool end(void *context)
{
    scenario_files *f = context;
    err e = { 0 };
    bool ok = sealed_end(f->to, &e);
    f->to = NULL;
    if (!ok)
        complain(f, &e);
    return ok;
}

/* Only attempts that existed before the search began can be resumed. */
static bool open_attempt(void *context, size_t attempt, str *bytes)
{
    scenario_files *f = context;
    err e = { 0 };
    bool there = f->o->resume && attempt < ATTEMPTS_MAX &&
                 open_one(f, attempt_name(f->memory, f, attempt), &f->from, bytes, &e);
    err_clear(&e);
    return there;
}

static void close_attempt(void *context)
{
    sealed_close(((scenario_files *)context)->from);
}

/* ---- one scenario ---- */

static bool all_fit(scenario_files *f, err *e)
{
    for (size_t i = 0; i < ATTEMPTS_MAX + 1 && e->class_ == ERR_NONE; i++) {
        str whole, bytes;
        str path = i < ATTEMPTS_MAX ? attempt_name(f->memory, f, i) : result_name(f->memory, f);
        if (open_one(f, path, &whole, &bytes, e))
            sealed_close(whole);
    }
    return e->class_ == ERR_NONE;
}

static void scenario_files_free(scenario_files *f)
{
    arena_free(f->memory);
    mem_free(f);
}

static int64_t every_s(const options *o)
{
    enum { USUAL_S = 300 };
    return o->has_checkpoint_every ? (int64_t)o->checkpoint_every_s : USUAL_S;
}

scenario_files *scenario_files_open(const options *o, str path, const opened *s, progress *p, err *e)
{
    const char *folder = checkpoint_folder(o);
    if (!folder)
        return NULL;
    scenario_files *f = mem_zero(sizeof *f);
    *f = (scenario_files){ .memory = arena_new(), .o = o, .s = s, .p = p, .run = print_of_run(o) };
    f->stem = files_join(f->memory, str_from(folder),
                         arena_printf(f->memory, "%.*s.%08" PRIx32, STR_ARG(flat_name(f->memory, path)),
                                      (uint32_t)XXH3_64bits(path.p, path.n)));
    f->door = (checkpoints){ .context = f, .every_ms = every_s(o) * 1000, .begin = begin, .put = put,
                             .end = end, .open = open_attempt, .close = close_attempt };
    if (!o->resume || all_fit(f, e))
        return f;
    scenario_files_free(f);
    return NULL;
}

bool scenario_files_result(scenario_files *f, judged *out)
{
    str whole, bytes;
    err e = { 0 };
    if (!f->o->resume || !open_one(f, result_name(f->memory, f), &whole, &bytes, &e)) {
        err_clear(&e);
        return false;
    }
    packed_read(bytes, out);
    sealed_close(whole);
    return true;
}

const checkpoints *scenario_files_door(scenario_files *f) { return f ? &f->door : NULL; }

/* Would the search have the same result at any other time? */
static bool is_final(const scenario_files *f, const judged *out)
{
    bool in_time = !f->o->has_time_limit || out->result.verdict != VERDICT_INCONCLUSIVE;
    return in_time && !out->result.search.limited && !progress_interrupted() && out->result.verdict != VERDICT_ERROR;
}

int scenario_files_close(scenario_files *f, const judged *out)
{
    err e = { 0 };
    buf b = { 0 };
    if (is_final(f, out)) {
        put_basis(f, &b);
        packed_write(out, &b);
        if (!write_whole(result_name(f->memory, f), buf_str(&b), &e))
            complain(f, &e);
        else
            for (size_t i = 0; i < ATTEMPTS_MAX; i++)
                unlink(attempt_name(f->memory, f, i).p);
    }
    int status = status_worse(out->status, f->status);
    buf_free(&b);
    scenario_files_free(f);
    return status;
}
