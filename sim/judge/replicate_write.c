/* replicate_write.c - the results of a simulation: an exit status, and data files. */
#include <stdio.h>
#include <string.h>

#include "judge/replicate.h"

int replicate_status(const simulated *t)
{
    switch (t->ending) {
    case SIMULATED_FAILED: return t->error->class_ == ERR_NONE ? STATUS_BUG : (int)t->error->class_;
    case SIMULATED_INTERRUPTED:
    case SIMULATED_LATE: return STATUS_INCONCLUSIVE;
    case SIMULATED_ALL: break;
    }
    return strcmp(simulated_verdict(t), "EMPTY") == 0 ? STATUS_VACUOUS : STATUS_PASS;
}

/* meta.tsv is written last, and a folder without it holds no data, so that files of two runs are never mixed. */
static void unmark(arena *a, str folder)
{
    str mark = files_join(a, folder, str_from(report_simulation_file(report_simulation_file_count() - 1)));
    remove(mark.p);
}

bool replicate_write(arena *a, const options *o, simulated *t, err *e)
{
    str folder = files_join(a, o->out_dir ? str_from(o->out_dir) : S(FILES_OUT), t->name), path;
    buf b = { 0 };
    bool ok = true;
    unmark(a, folder);
    for (size_t k = 0; k < report_simulation_file_count() && ok; k++) {
        buf_clear(&b);
        report_simulation_data(t, k, &b);
        ok = files_write(a, folder, str_from(report_simulation_file(k)), buf_str(&b), &path, e);
    }
    if (ok)
        t->folder = folder;
    buf_free(&b);
    return ok;
}
