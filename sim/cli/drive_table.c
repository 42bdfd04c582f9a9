/* drive_table.c - see drive_table.h. */
#include "cli/drive_table.h"

#include <string.h>

#include "host/files.h"
#include "judge/names.h"
#include "trace/family.h"

enum { CLAIMS_MAX = 8 };

struct table_read {
    search_path where;
    loader l;
    family *f;
    lock_table table;
};

/* The driver's word if there is one, else the model's. */
static str word_of(const claim *c)
{
    static const char *const words[] = { [DEED_OTHER] = "", [DEED_ACQUIRE] = "acquire", [DEED_RENEW] = "renew",
                                         [DEED_RELEASE] = "release", [DEED_FORCE_RELEASE] = "force_release",
                                         [DEED_ABANDON] = "abandon" };
    return c->op.n ? c->op : str_from(words[c->deed]);
}

static size_t match(void *context, const str *argv, size_t argc, str sha, lock_claim *out, size_t most)
{
    claim claims[CLAIMS_MAX];
    bool founds = false;
    size_t n = family_match(context, argv, argc, sha, claims, most < CLAIMS_MAX ? most : CLAIMS_MAX, &founds);
    for (size_t i = 0; i < n; i++)
        out[i] = (lock_claim){ .op = word_of(&claims[i]), .lock = claims[i].lock, .owner = claims[i].owner,
                               .lease_ms = claims[i].lease_ms, .acquires = founds && claims[i].deed == DEED_ACQUIRE };
    return n;
}

static bool view(void *context, str lock, int64_t now_ms, view_read *read, void *read_context, arena *a, lock_view *out,
                 err *e)
{
    return family_view(context, lock, now_ms, read, read_context, a, out, e);
}

static bool is_file(const char *name)
{
    return strchr(name, '/') || (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".lua") == 0);
}

table_read *table_open(arena *a, const options *o, const char *name, err *e)
{
    table_read *t = ARENA_NEW(a, table_read);
    str path = S(""), text = S("");
    t->where = search_path_new(a, o);
    if (is_file(name)) {
        path = str_from(name);
        if (!files_read(a, path, &text, e))
            return NULL;
        search_path_for(&t->where, a, path);
    }
    t->l = search_path_loader(&t->where);
    t->f = family_open(str_from(name), path, text, &t->l, e);
    if (!t->f)
        return NULL;
    t->table = (lock_table){ .context = t->f, .spec = family_spec(t->f), .match = match, .view = view };
    return t;
}

void table_close(table_read *t)
{
    if (t)
        family_free(t->f);
}

const lock_table *table_of(const table_read *t)
{
    return &t->table;
}
