/* job.c - see job.h. A message is the record of a run (workers.h), in the order of the sender's runs; an empty one is
 * the sender's last. */
#include "drive/job.h"

#include <sys/queue.h>
#include <time.h>

#include "base/mem.h"

typedef struct record {
    buf bytes;
    STAILQ_ENTRY(record) next;
} record;
typedef STAILQ_HEAD(records, record) records;

struct job {
    const campaign *c;
    records *waiting;              /* of each rank, the oldest first */
    bool *gone;
    size_t gone_count;
};

static void send_run(const campaign *c, const run_result *got, const picks *taken)
{
    buf b = { 0 };
    workers_record(&b, got, taken, c->setup->client_count);
    c->ranks->send(0, buf_str(&b));
    buf_free(&b);
}

void job_serve(const campaign *c, run *r, size_t length)
{
    bool goes_on = true;
    for (uint64_t i = c->ranks->own; goes_on && i < c->runs && !c->ranks->cancelled(); i += c->ranks->all) {
        chooser x;
        arena *room = arena_new();
        run_result got = campaign_attempt(c, r, i, length, &x, room);
        send_run(c, &got, &x.taken);
        goes_on = got.ending != RUN_STOPPED;
        chooser_free(&x);
        arena_free(room);
    }
    c->ranks->send(0, S(""));
}

job *job_begin(arena *a, const campaign *c)
{
    job *j = ARENA_NEW(a, job);
    j->c = c;
    j->waiting = ARENA_ARRAY(a, records, c->ranks->all);
    j->gone = ARENA_ARRAY(a, bool, c->ranks->all);
    for (size_t i = 0; i < c->ranks->all; i++)
        STAILQ_INIT(&j->waiting[i]);
    return j;
}

bool job_is_own(const job *j, uint64_t number)
{
    return number % j->c->ranks->all == 0;
}

/* Keeps a message that has come; false: none has. */
static bool listen(job *j)
{
    size_t from;
    record *x = mem_zero(sizeof *x);
    if (!j->c->ranks->receive(&from, &x->bytes)) {
        mem_free(x);
        return false;
    }
    if (x->bytes.n) {
        STAILQ_INSERT_TAIL(&j->waiting[from], x, next);
        return true;
    }
    j->gone_count += !j->gone[from];
    j->gone[from] = true;
    buf_free(&x->bytes);
    mem_free(x);
    return true;
}

static void wait_briefly(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

static void forget_first(records *of)
{
    record *x = STAILQ_FIRST(of);
    STAILQ_REMOVE_HEAD(of, next);
    buf_free(&x->bytes);
    mem_free(x);
}

bool job_take(job *j, uint64_t number, arena *a, run_result *out, picks *taken)
{
    size_t from = number % j->c->ranks->all;
    records *of = &j->waiting[from];
    const rest_limits *l = &j->c->setup->limits;
    *out = (run_result){ 0 };
    *taken = (picks){ 0 };
    while (STAILQ_EMPTY(of) && !j->gone[from] && l->goes_on(l->context))
        if (!listen(j))
            wait_briefly();
    if (STAILQ_EMPTY(of))
        return false;
    workers_read(arena_str(a, buf_str(&STAILQ_FIRST(of)->bytes)), j->c->setup->client_count, a, out, taken);
    forget_first(of);
    return true;
}

void job_end(job *j)
{
    if (!j)
        return;
    j->c->ranks->cancel();
    while (j->gone_count < j->c->ranks->all - 1 && !j->c->ranks->interrupted())
        if (!listen(j))
            wait_briefly();
    for (size_t i = 0; i < j->c->ranks->all; i++)
        while (!STAILQ_EMPTY(&j->waiting[i]))
            forget_first(&j->waiting[i]);
}
