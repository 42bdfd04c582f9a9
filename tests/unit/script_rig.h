/* script_rig.h - a server that runs scripts for tests and notes every finding, effect and log line. */
#ifndef LOCKSIM_TESTS_SCRIPT_RIG_H
#define LOCKSIM_TESTS_SCRIPT_RIG_H

/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/coverage.h"
#include "script/script.h"

/* A test that defines RIG_COVERED runs the same scripts while what they reach is counted: nothing may change. */
#ifdef RIG_COVERED
enum { RIG_COVERS = 1 };
#else
enum { RIG_COVERS = 0 };
#endif

typedef struct {
    redis *server;
    coverage *cover;                       /* NULL unless RIG_COVERED */
    redis_conn *conn;
    arena *a;
    buf answer, findings, effects, log;    /* findings: "kind@line text; " */
    size_t findings_n, budget_n;
} script_rig;

static inline void rig_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    static const char *const names[] = { "undeclared", "cross-slot", "global", "error", "budget", "crash" };
    script_rig *g = context;
    (void)sha1;
    g->findings_n++;
    g->budget_n += kind == FINDING_BUDGET;
    buf_printf(&g->findings, "%s@%d %.*s; ", names[kind], line, STR_ARG(text));
}

static inline void rig_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    script_rig *g = context;
    (void)sha1;
    buf_printf(&g->effects, "%d:", line);
    for (size_t i = 0; i < argc; i++)
        buf_printf(&g->effects, " %.*s", STR_ARG(argv[i]));
    buf_addz(&g->effects, " = ");
    reply_print_short(r, &g->effects);
    buf_addz(&g->effects, "; ");
}

static inline void rig_log(void *context, int level, str text)
{
    script_rig *g = context;
    buf_printf(&g->log, "%d %.*s; ", level, STR_ARG(text));
}

static inline script_rig *rig_open(redis_limits limits)
{
    script_rig *g = calloc(1, sizeof *g);
    *g = (script_rig){ .server = redis_new(limits), .a = arena_new() };
    g->conn = redis_connect(g->server, 1);
    redis_observer o = { .context = g, .finding = rig_finding, .effect = rig_effect, .log = rig_log };
    redis_observe(g->server, &o);
    g->cover = RIG_COVERS ? coverage_new() : NULL;
    redis_cover(g->server, g->cover);
    return g;
}

static inline void rig_close(script_rig *g)
{
    redis_free(g->server);
    coverage_free(g->cover);
    arena_free(g->a);
    buf_free(&g->answer);
    buf_free(&g->findings);
    buf_free(&g->effects);
    buf_free(&g->log);
    free(g);
}

static inline int rig_setup(void **state)
{
    *state = rig_open((redis_limits){ 0 });
    return 0;
}

static inline int rig_teardown(void **state)
{
    rig_close(*state);
    return 0;
}

static inline reply rig_command(script_rig *g, const str *argv, size_t argc)
{
    arena_reset(g->a);
    buf *told[] = { &g->findings, &g->effects, &g->log };
    for (size_t i = 0; i < COUNT(told); i++) {
        buf_clear(told[i]);
        buf_byte(told[i], ' ');                          /* so that there is a text to compare */
        buf_clear(told[i]);
    }
    g->findings_n = g->budget_n = 0;
    return redis_execute(g->server, g->conn, argv, argc, INT64_C(1700000000000), g->a);
}

/* The RESP2 bytes of EVAL with KEYS = {k, {k}2} and ARGV = {a, 5}, each \r\n as a blank, the last one dropped. */
static inline const char *rig_eval(script_rig *g, const char *body)
{
    str argv[] = { S("eval"), { body, strlen(body) }, S("2"), S("k"), S("{k}2"), S("a"), S("5") };
    reply r = rig_command(g, argv, COUNT(argv));
    buf bytes = { 0 };
    reply_encode(&r, 2, &bytes);
    buf_clear(&g->answer);
    for (size_t i = 0; i < bytes.n; i++) {
        if (bytes.p[i] == '\r' && i + 1 < bytes.n && bytes.p[i + 1] == '\n') {
            if (i + 2 < bytes.n)
                buf_byte(&g->answer, ' ');
            i++;
        } else {
            buf_byte(&g->answer, bytes.p[i]);
        }
    }
    buf_free(&bytes);
    return g->answer.p ? g->answer.p : "";
}

/* The same, with " script: <sha>" cut out of it. */
static inline const char *rig_eval_short(script_rig *g, const char *body)
{
    rig_eval(g, body);
    char *at = g->answer.p ? strstr(g->answer.p, " script: ") : NULL;
    if (at && strlen(at) >= 49)
        memmove(at, at + 49, strlen(at + 49) + 1);
    return g->answer.p ? g->answer.p : "";
}

typedef struct {
    const char *body, *answer;
} script_row;

static inline void rig_all(script_rig *g, const script_row *rows, size_t n)
{
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        const char *got = rig_eval_short(g, rows[i].body);
        if (strcmp(got, rows[i].answer) != 0)
            fail_msg("%s\n  gives   %s\n  not     %s", rows[i].body, got, rows[i].answer);
    }
}
#define RIG_ALL(g, ...) rig_all((g), (const script_row[]){ __VA_ARGS__ }, COUNT(((const script_row[]){ __VA_ARGS__ })))

#endif
