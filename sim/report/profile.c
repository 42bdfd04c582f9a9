/* profile.c - the parts that make up a search's states, for people and for programs. */
#include <inttypes.h>

#include "report/clean.h"
#include "report/profile.h"

enum { ROWS_SHOWN = 6 };

static const char *kind_name(profile_kind k)
{
    static const char *const name[] = { [PROFILE_FACT] = "part", [PROFILE_WHOLE] = "whole", [PROFILE_FAULT] = "fault",
                                        [PROFILE_PROPERTY] = "property" };
    return name[k];
}

/* "client A", "client A (B and C alike)" */
static void add_clients(buf *out, const outcome *o, uint64_t clients)
{
    size_t n = 0, left = 0;
    for (size_t i = 0; i < o->client_count; i++)
        left += clients >> i & 1;
    for (size_t i = 0; i < o->client_count; i++) {
        if (!(clients >> i & 1))
            continue;
        buf_addz(out, n == 0 ? "client " : n == 1 ? " (" : left == 1 ? " and " : ", ");
        buf_add(out, o->clients[i]);
        n++;
        left--;
    }
    buf_addz(out, n > 1 ? " alike)" : "");
}

static void add_what(buf *out, const outcome *o, const profile_row *r)
{
    static const char *const parts_of[] = { [PROFILE_SERVERS] = " the servers", [PROFILE_MONITORS] = " the monitors",
                                            [PROFILE_FAULTS] = " the faults" };
    switch (r->kind) {
    case PROFILE_FAULT: buf_printf(out, "without the fault %.*s", STR_ARG(r->what)); return;
    case PROFILE_PROPERTY: buf_printf(out, "if %.*s were not judged", STR_ARG(r->what)); return;
    case PROFILE_FACT: buf_printf(out, "if %.*s", STR_ARG(r->what)); break;
    case PROFILE_WHOLE: buf_addz(out, "if"); break;
    }
    if (r->of == PROFILE_CLIENTS) {
        buf_addz(out, r->kind == PROFILE_FACT ? " of " : " ");
        add_clients(out, o, r->clients);
    } else if (r->kind == PROFILE_WHOLE)
        buf_addz(out, parts_of[r->of]);
    buf_addz(out, r->kind == PROFILE_WHOLE ? " never changed (" : " had one value (of ");
    report_add_count(out, r->values);
    buf_addz(out, r->more ? " or more" : "");
    buf_addz(out, r->kind == PROFILE_WHOLE ? " values)" : ")");
}

void report_add_profile(buf *out, const outcome *o, bool all)
{
    const profile *p = o->profile;
    report_add_count(out, p->states);
    buf_addz(out, p->states == 1 ? " state" : " states");
    if (p->sampled < p->states) {
        buf_addz(out, " (");
        report_add_count(out, p->sampled);
        buf_addz(out, " of them looked at)");
    }
    if (p->count == 0) {
        buf_addz(out, "; no single part of the world makes many of them");
        return;
    }
    buf_addz(out, "; there would be about");
    for (size_t i = 0; i < p->count && (all || i < ROWS_SHOWN); i++) {
        const profile_row *r = &p->rows[i];
        buf_byte(out, '\n');
        report_add_count(out, r->left);
        buf_addz(out, "  ");
        add_what(out, o, r);
    }
}

static const char *part_name(profile_part p)
{
    static const char *const name[] = { [PROFILE_CLIENTS] = "clients", [PROFILE_SERVERS] = "servers",
                                        [PROFILE_MONITORS] = "monitors", [PROFILE_FAULTS] = "faults" };
    return name[p];
}

json_t *report_profile_json(const outcome *o)
{
    const profile *p = o->profile;
    json_t *j = json_object(), *rows = json_array();
    for (size_t i = 0; i < p->count; i++) {
        const profile_row *r = &p->rows[i];
        json_t *x = json_object(), *clients = json_array();
        json_object_set_new(x, "kind", json_string(kind_name(r->kind)));
        json_object_set_new(x, "of", json_string(part_name(r->of)));
        for (size_t c = 0; c < o->client_count; c++)
            if (r->clients >> c & 1)
                json_array_append_new(clients, json_text(o->clients[c]));
        json_object_set_new(x, "clients", clients);
        json_object_set_new(x, "what", json_text(r->what));
        json_object_set_new(x, "where", r->where.n ? json_text(r->where) : json_null());
        json_object_set_new(x, "values", json_integer((json_int_t)r->values));
        json_object_set_new(x, "more_values", json_boolean(r->more));
        json_object_set_new(x, "states_left", json_integer((json_int_t)r->left));
        json_array_append_new(rows, x);
    }
    json_object_set_new(j, "states", json_integer((json_int_t)p->states));
    json_object_set_new(j, "looked_at", json_integer((json_int_t)p->sampled));
    json_object_set_new(j, "parts", rows);
    return j;
}
