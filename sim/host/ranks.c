/* ranks.c - see ranks.h. Open MPI's own words are said here and nowhere else. */
#include "host/ranks.h"

#include <stdlib.h>

#ifdef LOCKSIM_MPI

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"

enum { TAG_BYTES = 1, TAG_CANCEL };

static int own_rank, rank_count = 1;
static bool joined, told_to_stop;

/* Sent and not yet received: MPI reads it until then. */
typedef struct { MPI_Request request; char *bytes; } sending;
static sending *under_way;
static size_t sending_count, sending_cap;

/* What must be the same everywhere. */
typedef struct {
    uint64_t build, command;
    char host[64];
} identity;

static uint64_t print_of_build(void)
{
    enum { CHUNK = 1 << 16 };
    XXH3_state_t *s = XXH3_createState();
    FILE *f = fopen("/proc/self/exe", "re");
    char *chunk = mem_alloc(CHUNK);
    XXH3_64bits_reset(s);
    for (size_t n; f && (n = fread(chunk, 1, CHUNK, f)) > 0;)
        XXH3_64bits_update(s, chunk, n);
    if (f)
        fclose(f);
    uint64_t print = XXH3_64bits_digest(s);
    mem_free(chunk);
    XXH3_freeState(s);
    return print;
}

static uint64_t print_of_words(int argc, char **argv)
{
    buf b = { 0 };
    for (int i = 1; i < argc; i++)     /* not by which path it was called */
        buf_lenstr(&b, str_from(argv[i]));
    uint64_t print = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    return print;
}

/* All ranks know of all others, and so agree on whether they fit. */
static bool is_one_job(int argc, char **argv, err *e)
{
    identity own = { .build = print_of_build(), .command = print_of_words(argc, argv) };
    gethostname(own.host, sizeof own.host - 1);
    identity *all = mem_zero((size_t)rank_count * sizeof *all);
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    bool fits = true;
    for (int r = 1; r < rank_count && fits; r++) {
        bool build = all[r].build == all[0].build;
        fits = build && all[r].command == all[0].command;
        if (!fits && own_rank == 0) {
            err_set(e, ERR_USAGE, "rank %d (on %s) has another %s than rank 0 (on %s)", r, all[r].host,
                    build ? "command line" : "build of locksim", all[0].host);
            err_hint(e, build ? "start all ranks with one command: mpirun -n N locksim ... --mpi"
                     : "install the same file on every machine; locksim --version tells them apart");
        }
    }
    mem_free(all);
    return fits;
}

bool ranks_open(int argc, char **argv, err *e)
{
    int given;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS || given < MPI_THREAD_FUNNELED)
        return err_set(e, ERR_IO, "MPI does not start");
    joined = true;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    return is_one_job(argc, argv, e);
}

static void forget_sent(bool wait)
{
    for (size_t i = 0; i < sending_count;) {
        int done = 0;
        if (wait)
            MPI_Wait(&under_way[i].request, MPI_STATUS_IGNORE);
        else
            MPI_Test(&under_way[i].request, &done, MPI_STATUS_IGNORE);
        if (!wait && !done) {
            i++;
            continue;
        }
        mem_free(under_way[i].bytes);
        under_way[i] = under_way[--sending_count];
    }
}

void ranks_close(bool sudden, int status)
{
    if (!joined)
        return;
    fflush(NULL);
    if (sudden)
        _exit(status);
    forget_sent(true);
    mem_free(under_way);
    MPI_Finalize();
    joined = false;
}

bool ranks_joined(void) { return joined; }
size_t ranks_own(void) { return (size_t)own_rank; }
size_t ranks_all(void) { return (size_t)rank_count; }

static void send_tagged(size_t to, str bytes, int tag)
{
    forget_sent(false);
    MEM_RESERVE(under_way, sending_cap, sending_count + 1);
    sending *s = &under_way[sending_count++];
    s->bytes = mem_alloc(bytes.n + 1);
    if (bytes.n)
        memcpy(s->bytes, bytes.p, bytes.n);
    MPI_Isend(s->bytes, (int)bytes.n, MPI_BYTE, (int)to, tag, MPI_COMM_WORLD, &s->request);
}

void ranks_send(size_t to, str bytes) { send_tagged(to, bytes, TAG_BYTES); }

bool ranks_receive(size_t *from, buf *bytes)
{
    MPI_Status s;
    int there = 0, n = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_BYTES, MPI_COMM_WORLD, &there, &s) != MPI_SUCCESS || !there)
        return false;
    MPI_Get_count(&s, MPI_BYTE, &n);
    char *at = mem_alloc((size_t)n + 1);
    MPI_Recv(at, n, MPI_BYTE, s.MPI_SOURCE, TAG_BYTES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    buf_clear(bytes);
    buf_add(bytes, (str){ at, (size_t)n });
    mem_free(at);
    *from = (size_t)s.MPI_SOURCE;
    return true;
}

bool ranks_cancelled(void)
{
    int there = 0;
    if (joined && own_rank > 0 && !told_to_stop)
        told_to_stop = MPI_Iprobe(0, TAG_CANCEL, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there;
    return told_to_stop;
}

void ranks_cancel(void)
{
    for (size_t r = 1; r < (size_t)rank_count; r++)
        send_tagged(r, S(""), TAG_CANCEL);
}

#else

bool ranks_open(int argc, char **argv, err *e)
{
    (void)argc;
    (void)argv;
    err_set(e, ERR_USAGE, "this build of locksim knows no MPI");
    err_hint(e, "build it with `make MPI=1`, where Open MPI is installed (Debian: libopenmpi-dev, openmpi-bin)");
    return false;
}

void ranks_close(bool sudden, int status)
{
    (void)sudden;
    (void)status;
}

bool ranks_joined(void) { return false; }
size_t ranks_own(void) { return 0; }
size_t ranks_all(void) { return 1; }

void ranks_send(size_t to, str bytes)
{
    (void)to;
    (void)bytes;
    abort();               /* there are no other ranks */
}

bool ranks_receive(size_t *from, buf *bytes)
{
    (void)from;
    (void)bytes;
    return false;
}

bool ranks_cancelled(void) { return false; }
void ranks_cancel(void) { }

#endif
