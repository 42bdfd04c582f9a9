/* drive_held.c - see drive_held.h. */
#include "cli/drive_held.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "host/print.h"
#include "judge/names.h"

bool held_open(arena *a, const options *o, const drive_setup *setup, held *h, err *e)
{
    scenario *sc = ARENA_NEW(a, scenario);
    str *names = ARENA_ARRAY(a, str, setup->client_count + 1);
    *h = (held){ .found = { .reason = S(""), .table = S(""), .schedule = S("") } };
    h->where = search_path_new(a, o);
    if (!judge_load(a, &h->where, names_tidy(a, str_from(o->against)), (overrides){ 0 }, sc, e))
        return false;
    if (sc->servers != setup->host.port_count) {
        err_set(e, ERR_USAGE, "%.*s: it has %u server%s, and --port names %zu", STR_ARG(sc->file),
                sc->servers, sc->servers == 1 ? "" : "s", setup->host.port_count);
        return err_hint(e, "--port takes a list, as in 6379,6380,6381: a server each, in the scenario's order");
    }
    h->l = search_path_loader(&h->where);
    h->with = (against){ .sc = sc, .l = &h->l, .slow_ms = setup->latency_ms };
    for (size_t c = 0; c < setup->client_count; c++)
        names[c] = setup->clients[c].name;
    return against_fits(&h->with, names, setup->client_count, e);
}

static void add_text(const options *o, const outcome *out, const campaign_held *f, buf *b)
{
    buf_printf(b, "%s  %.*s  against %s\n", verdict_name(out->verdict), STR_ARG(out->path), o->against);
    if (f->differs) {
        buf_printf(b, "  %.*s\n\n%.*s\n", STR_ARG(f->reason), STR_ARG(f->table));
        buf_printf(b, "  It is the run with seed %" PRIu64 ", made short", f->seed);
        if (o->verbose)
            buf_printf(b, ": --seed %" PRIu64 " --schedule '%.*s'\n", f->seed, STR_ARG(f->schedule));
        else
            buf_addz(b, "; -v shows its schedule.\n");
    } else if (out->reason.n) {
        buf_printf(b, "  %.*s\n", STR_ARG(out->reason));
    }
    buf_printf(b, "  %" PRIu64 " requests of %" PRIu64 " runs%s\n", f->requests, out->search.runs,
               out->verdict == VERDICT_PASS ? ": client, time, words and answer are the driver's" : " were compared");
}

static json_t *text_of(str s)
{
    return json_stringn_nocheck(s.p ? s.p : "", s.n);
}

static void add_json(const options *o, const outcome *out, const campaign_held *f, int status, buf *b)
{
    json_t *j = json_object();
    json_object_set_new(j, "against", json_string(o->against));
    json_object_set_new(j, "verdict", json_string(verdict_name(out->verdict)));
    json_object_set_new(j, "runs", json_integer((json_int_t)out->search.runs));
    json_object_set_new(j, "requests", json_integer((json_int_t)f->requests));
    json_object_set_new(j, "differs", json_boolean(f->differs));
    json_object_set_new(j, "reason", text_of(f->differs ? f->reason : out->reason));
    if (f->differs) {
        json_object_set_new(j, "seed", json_integer((json_int_t)f->seed));
        json_object_set_new(j, "schedule", text_of(f->schedule));
        json_object_set_new(j, "table", text_of(f->table));
    }
    json_object_set_new(j, "exit_status", json_integer(status));
    char *text = json_dumps(j, JSON_INDENT(2));
    buf_addz(b, text ? text : "{}");
    buf_byte(b, '\n');
    free(text);
    json_decref(j);
}

int held_print(const options *o, const outcome *out, const held *h, int status)
{
    buf b = { 0 };
    if (o->format == FORMAT_JSON)
        add_json(o, out, &h->found, status, &b);
    else
        add_text(o, out, &h->found, &b);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    buf_free(&b);
    return status;
}
