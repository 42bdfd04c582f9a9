/* client_rig.h - a bench for processes: files in a table, inputs by hand, outputs as one line of text each. */
#ifndef LOCKSIM_TESTS_CLIENT_RIG_H
#define LOCKSIM_TESTS_CLIENT_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/load.h"
#include "client/process.h"

typedef struct {
    const char *name, *text;
} rig_file;

typedef struct {
    arena *a;
    const rig_file *files; /* ends with a NULL name */
    loader loader;
    scenario scenario;
    process *p;
    outputs out;
    err e;
    buf text;              /* what happened, a line each */
    int64_t now_ms;
} rig;

#define RIG_T0 INT64_C(1700000000000)

static inline bool rig_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    rig *r = context;
    (void)a;
    for (const rig_file *f = r->files; f && f->name; f++)
        if (str_eq(name, str_from(f->name))) {
            *path = str_from(f->name);
            *text = str_from(f->text);
            return true;
        }
    return err_set(e, ERR_SCENARIO, "no file \"%.*s\" in the test", STR_ARG(name));
}

/* Loads the scenario text. false: r->e says why. */
static inline bool rig_load(rig *r, const rig_file *files, const char *text)
{
    *r = (rig){ .a = arena_new(), .files = files, .now_ms = RIG_T0 };
    r->loader = (loader){ .context = r, .read = rig_read };
    r->out.memory = r->a;
    return scenario_load(r->a, &r->loader, S("s.lua"), str_from(text), &r->scenario, &r->e);
}

static inline const char *rig_error(rig *r)
{
    buf b = { 0 };
    err_print(&r->e, &b);
    const char *s = arena_str(r->a, buf_str(&b)).p;
    buf_free(&b);
    return s;
}

static inline void rig_free(rig *r)
{
    process_free(r->p);
    err_clear(&r->e);
    buf_free(&r->text);
    arena_free(r->a);
}

static inline void rig_note(rig *r)
{
    static const char *const event_names[] = { "wants", "refused", "granted", "gave_up", "released", "lost", "use" };
    for (size_t i = 0; i < r->out.count; i++) {
        const output *o = &r->out.items[i];
        buf_printf(&r->text, "%u ", o->task);
        if (o->kind == OUTPUT_REQUEST) {
            buf_printf(&r->text, "request %u %.*s@%u%s:", o->request->id, STR_ARG(o->request->op), o->request->server,
                       o->request->waited ? "" : " future");
            for (size_t w = 0; w < o->request->argc; w++) {
                buf_byte(&r->text, ' ');
                buf_add(&r->text, o->request->argv[w].n == 40 ? S("SHA") : o->request->argv[w]);
            }
        } else if (o->kind == OUTPUT_ANNOUNCE) {
            const event *v = &o->announcement;
            buf_printf(&r->text, "%s %.*s%.*s by %.*s", event_names[v->kind], STR_ARG(v->lock), STR_ARG(v->text),
                       STR_ARG(v->who));
            if (v->kind == EVENT_GRANTED)
                buf_printf(&r->text, " lease %d token %d count %d request %u", (int)v->lease_ms, (int)v->token,
                           (int)v->count, v->request);
        } else if (o->kind == OUTPUT_LOG) {
            buf_printf(&r->text, "log %.*s", STR_ARG(o->text));
        } else {
            buf_addz(&r->text, "ended");
        }
        buf_byte(&r->text, '\n');
    }
    r->out.count = 0;
}

/* Takes what happened so far as text, and forgets it. */
static inline const char *rig_text(rig *r)
{
    const char *s = r->text.n ? arena_str(r->a, buf_str(&r->text)).p : "";
    buf_clear(&r->text);
    return s;
}

static inline bool rig_run(rig *r, uint32_t task)
{
    bool ok = process_run(r->p, task, r->now_ms, &r->out, &r->e);
    rig_note(r);
    return ok;
}

static inline bool rig_answer(rig *r, uint32_t request, reply value)
{
    bool ok = process_answer(r->p, request, &value, r->now_ms, &r->out, &r->e);
    rig_note(r);
    return ok;
}

static inline bool rig_message(rig *r, const char *channel, const char *payload)
{
    bool ok = process_message(r->p, 0, str_from(channel), str_from(payload), S(""), r->now_ms, &r->out, &r->e);
    rig_note(r);
    return ok;
}

static inline bool rig_interrupt(rig *r, uint32_t task)
{
    bool ok = process_interrupt(r->p, task, r->now_ms, &r->out, &r->e);
    rig_note(r);
    return ok;
}

static inline const task_view *rig_task(rig *r, uint32_t id)
{
    const task_view *list;
    size_t n = process_tasks(r->p, &list);
    for (size_t i = 0; i < n; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

/* Loads a scenario whose program has this body, makes client 1's process, and runs task 0 up to its first wait. */
static inline void rig_program(rig *r, const rig_file *files, const char *body)
{
    static char text[65536];
    snprintf(text, sizeof text, "return { clients = { \"A\" }, program = function(me)\n%s\nend }\n", body);
    if (!rig_load(r, files, text)) {
        print_error("%s", rig_error(r));
        fail();
    }
    r->p = process_new(&r->scenario, &r->loader, 0, 0, r->now_ms, &r->e);
    if (!r->p || !rig_run(r, 0)) {
        print_error("%s", rig_error(r));
        fail();
    }
}

#endif
