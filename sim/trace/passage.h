/* passage.h - a passage of a log as a scenario: the requests about one lock, from a moment at which it was free, as
 * clients that send them again at their own times, and a schedule that keeps their order. The text is Lua for
 * scripts/recorded.lua. */
#ifndef LOCKSIM_TRACE_PASSAGE_H
#define LOCKSIM_TRACE_PASSAGE_H

#include "base/buf.h"
#include "trace/tracer.h"

enum { PASSAGE_REQUESTS_MAX = 5000, PASSAGE_CLIENTS_MAX = 64 };

typedef struct passage passage;
passage *passage_new(void);
void passage_free(passage *p);                     /* NULL is fine */
/* A script that the passage may run. `name`: for `script` in a scenario; "": its text is included. */
void passage_know_script(passage *p, str name, str body);
void passage_each_script(const passage *p, void (*fn)(void *context, str body), void *context);
/* One more request; all of one passage are about one lock. false: it cannot be part of a scenario, and `e` says why
 * (ERR_SCENARIO). */
bool passage_add(passage *p, const seen_request *r, err *e);
void passage_restart(passage *p);                  /* without the requests so far */
size_t passage_count(const passage *p);

typedef struct {
    str title, log;        /* of the scenario; the log's name */
    str dialect;           /* as a scenario names it; "": not said */
    str driver;            /* as `require` takes it */
    str story;             /* what the passage shows, in a sentence; may be empty */
    bool violated[PROPERTY_COUNT];     /* what the scenario expects */
} passage_about;
/* Appends the scenario's text to `out`. There must be a request. */
void passage_write(const passage *p, const passage_about *about, buf *out);

#endif
