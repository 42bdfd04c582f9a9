/* jobs.c - see jobs.h. */
#include "judge/jobs.h"

#include "judge/changes.h"
#include "judge/names.h"
#include "judge/shard.h"

/* The scenario that shows the same world without the bug, as a tidy path; "" if `path` is no exhibit, has no twin or
 * cannot be loaded (the run will say why). */
static str twin_of(arena *a, const options *o, str path)
{
    arena *scratch = arena_new();
    search_path where = search_path_new(scratch, o);
    scenario sc;
    err unread = { 0 };
    str twin = S("");
    if (judge_load(scratch, &where, path, (overrides){ 0 }, &sc, &unread) && sc.exhibit.twin.n)
        twin = names_tidy(a, files_join(a, files_folder(path), sc.exhibit.twin));
    err_clear(&unread);
    arena_free(scratch);
    return twin;
}

static void find_twins(arena *a, const options *o, job_list *jobs)
{
    size_t named = jobs->count;
    str *tidy = ARENA_ARRAY(a, str, 2 * named + 1);
    for (size_t i = 0; i < named; i++)
        tidy[i] = names_tidy(a, jobs->at[i].path);
    for (size_t i = 0; i < named; i++) {
        str twin = jobs->at[i].unread ? S("") : twin_of(a, o, jobs->at[i].path);
        size_t k = 0;
        if (twin.n == 0)
            continue;
        while (k < jobs->count && (jobs->at[k].unread || !str_eq(tidy[k], twin)))
            k++;
        if (k == jobs->count) {
            tidy[k] = twin;
            jobs->at[jobs->count++] = (job){ .path = twin };
        }
        jobs->at[k].is_twin = true;
        jobs->at[i].twin = k + 1;
    }
}

/* An argument that cannot be read is kept in every case. */
static bool keep_changed(arena *a, const options *o, job_list *jobs, err *e)
{
    changes *since = changes_new(a, o, o->in_diff);
    size_t kept = 0;
    bool ok = true;
    for (size_t i = 0; i < jobs->count && ok; i++) {
        bool wanted = jobs->at[i].unread != NULL;
        ok = wanted || changes_concern(since, jobs->at[i].path, &wanted, e);
        if (ok && wanted)
            jobs->at[kept++] = jobs->at[i];
    }
    jobs->count = kept;
    changes_free(since);
    return ok;
}

static void keep_part(const shard *part, job_list *jobs)
{
    size_t kept = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (shard_has(part, i))
            jobs->at[kept++] = jobs->at[i];
    jobs->count = kept;
}

static job_list collect_all(arena *a, const options *o)
{
    file_list files = { 0 };
    err *unread = ARENA_ARRAY(a, err, o->argument_count);
    /* files[.. end[i]) come from the first i + 1 arguments */
    size_t *end = ARENA_ARRAY(a, size_t, o->argument_count);
    for (size_t i = 0; i < o->argument_count; i++) {
        names_expand(a, o, str_from(o->arguments[i]), files_is_scenario, &files, &unread[i]);
        end[i] = files.count;
    }
    job_list jobs = { .at = ARENA_ARRAY(a, job, 2 * (files.count + o->argument_count) + 1) };
    for (size_t i = 0, k = 0; i < o->argument_count; i++) {
        for (; k < end[i]; k++)
            jobs.at[jobs.count++] = (job){ .path = files.paths[k] };
        if (unread[i].class_ != ERR_NONE)
            jobs.at[jobs.count++] = (job){ .path = str_from(o->arguments[i]), .unread = &unread[i] };
    }
    return jobs;
}

bool jobs_collect(arena *a, const options *o, job_list *out, err *e)
{
    shard part;
    if (!shard_parse(o->shard, &part, e))
        return false;
    *out = collect_all(a, o);
    size_t named = out->count;
    if (o->in_diff && !keep_changed(a, o, out, e))
        return false;
    keep_part(&part, out);
    out->left_out = named - out->count;
    if (o->table)
        find_twins(a, o, out);
    return true;
}
