/* program.h - a client of a driven run as processes of this machine: started with the preloaded library, followed,
 * ended. */
#ifndef LOCKSIM_DRIVE_PROGRAM_H
#define LOCKSIM_DRIVE_PROGRAM_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "drive/shared.h"

/* One client as the command line has it: NAME=COMMAND. */
typedef struct {
    str name;
    str command;           /* as given */
    str *words;            /* of the command; the first names the program */
    size_t word_count;
    int64_t skew_ms;       /* its clock minus the server's, at first */
    int64_t drift;         /* it gains one millisecond per `drift` ms, or loses one if negative; 0: neither */
} drive_client;

/* Splits "NAME=COMMAND" by redis-cli's rules of quoting. false and a usage error where it has no name, no command, or
 * an open quote. */
bool drive_client_parse(arena *a, str text, drive_client *out, err *e);

/* Can it be driven? false: there is no such program, or it is one that no preloaded library reaches (static, musl, Go),
 * and `e` says so. Follows "#!" once. `path` is what $PATH holds. */
bool program_check(arena *a, const drive_client *c, str path, err *e);

typedef struct {
    const char *library;   /* the preloaded library's file */
    str folder;            /* for sockets and pages; private, and short: a socket's path has 100 bytes */
    char **environment;
    const uint16_t *ports; /* that lead to us; at least one */
    size_t port_count;
} program_host;

typedef struct program program;
/* Makes its page and its door (a listening socket); nothing runs yet. The client must outlive it. */
program *program_new(const program_host *h, const drive_client *c, uint32_t number, err *e);
void program_free(program *p);                     /* ends what still runs */
/* What a program's random numbers are drawn from; `early_seed` until it first connects. */
typedef struct {
    uint64_t seed, early_seed;
    bool clock_points;     /* shared.h */
    bool copies;           /* the process may be a copy of one that started before with this variant (fork_server.h) */
    uint32_t variant;      /* below START_VARIANTS; early_seed follows from it */
} program_beginning;
/* Starts it, also again after its end. */
bool program_start(program *p, const program_beginning *b, err *e);
/* At a rest: where its process waits in its first connect(), to serve copies of itself, it is taken on and the first of
 * them is the program from now on; or refused, if `keep` is false. true: a thread goes on by that. */
bool program_meet_server(program *p, bool keep);
void program_kill(program *p);                     /* all of its processes, at once */
bool program_poll(program *p);                     /* looks whether it ended; true: nothing of it is left */
int program_status(const program *p);    /* of its first process: 0 to 255, 256 + a signal's number; -1: still there */

shared *program_page(const program *p);
int program_door(const program *p);                /* to be accepted from; does not block */
/* Its processes' numbers, those that still are. Borrowed until the next call. */
size_t program_processes(program *p, const pid_t **out);
/* Appends what it wrote to standard output since the last call. */
void program_read_output(program *p, buf *out);
/* The last line that it wrote to standard error; lives in `a`. */
str program_last_words(const program *p, arena *a);

#endif
