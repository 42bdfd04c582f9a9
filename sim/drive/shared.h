/* shared.h - the page of memory that a driven program and locksim share: its clock, its waits, its seed. One file for
 * each client, mapped by every process of it. locksim writes only at a rest, when every thread of every client sleeps;
 * then only locksim writes. Instants are nanoseconds; both sides are built together, and a program that finds
 * another version ends with a message. */
#ifndef LOCKSIM_DRIVE_SHARED_H
#define LOCKSIM_DRIVE_SHARED_H

#include <stdint.h>
#include <stdatomic.h>

enum {
    SHARED_VERSION = 4,
    SHARED_SLOTS = 512,            /* threads of one client that wait at one time */
    SHARED_PROCESSES = 4000,       /* that one client has started in one run */
    SHARED_PORTS = 8,
    SHARED_LINE_BYTES = 192,
    SHARED_WAKE_SIGNAL = 61,       /* ends a wait in the kernel; reserved for that */
};
#define SHARED_NEVER INT64_MAX
/* A deadline that is less than this after an instant is that instant. */
#define SHARED_MOMENT_NS 1000

/* Where the files of a client lie: this names them without their endings .shm, .sock, .fork and .err. */
#define SHARED_VARIABLE "LOCKSIM_DRIVE"

typedef enum {
    SLOT_FREE,
    SLOT_IDLE,                     /* of a thread that does not wait */
    SLOT_SLEEPS,                   /* on `word` alone: a sleep, a condition, a line that it prints */
    SLOT_WAITS,                    /* in the kernel, for descriptors or a semaphore: a signal ends it */
    SLOT_PRINTS,                   /* on `word`, in the write of `line` */
    SLOT_READS,                    /* on `word`, in a read of its clock, whose result it has */
    SLOT_TIMER,                    /* of no thread: the descriptor `fd` of timerfd_create, until its deadline */
    SLOT_ALARM,                    /* of no thread: setitimer's */
    SLOT_READY,                    /* on `word`: it was woken, or is new, and goes on when locksim lets it (the
                                    * baton) */
} slot_state;

/* Orders to a fork server, one byte each; it answers ORDER_COPY by the copy's process number, an int32_t. */
enum { ORDER_COPY = 'c', ORDER_REFUSED = 'r' };

/* TOLD: by another thread of the client; FIRED: by locksim */
typedef enum { WORD_WAITS, WORD_TOLD, WORD_FIRED } slot_word;

typedef struct {
    _Atomic uint32_t state, word;
    _Atomic int32_t pid, tid;      /* as the kernel knows them */
    _Atomic uint32_t next;         /* of the list of waiters for one condition: the next slot + 1; 0: none */
    uint32_t number;               /* how many threads of the client had a slot before */
    int64_t deadline_ns;           /* by the client's monotonic clock; SHARED_NEVER: none */
    int64_t interval_ns;           /* of a timer that begins anew; 0: it does not */
    int32_t fd;                    /* of SLOT_TIMER, in its process */
    uint64_t order;                /* of its wait, among those of the client */
    uint32_t seen;                 /* locksim has taken note of the line */
    char call_name[24];            /* what the program called */
    char line[SHARED_LINE_BYTES];
} shared_slot;

typedef struct {
    uint32_t version;
    uint32_t ports[SHARED_PORTS];  /* that lead to locksim, each to a server of its own; 0: no more. The first byte
                                    * of a connection is the place of its port in here */
    uint64_t seed, early_seed;     /* early: drawn from until the first connection, see preload/fork_server.c */
    uint32_t copies;               /* the client's first process may become a fork server */
    uint32_t connected;            /* it has connected to locksim */
    int32_t first_pid;             /* the process number that the client's first process sees; the others count on */
    uint32_t clock_points;         /* once connected, a thread is held in each read of a clock */
    uint32_t baton;                /* threads go on one after the other */
    _Atomic uint32_t several;      /* the client has started a second thread */
    _Atomic int64_t real_ns, mono_ns;
    _Atomic uint64_t clock_reads;
    _Atomic uint64_t calls, waits;     /* of functions that the library intercepts: a thread that calls none changes
                                        * nothing */
    _Atomic uint32_t marks;        /* lines like `enter` that were held in their write */
    _Atomic uint32_t threads;      /* that ever had a slot */
    _Atomic uint32_t process_count;
    _Atomic int32_t processes[SHARED_PROCESSES];   /* in the order of their coming, by their true numbers; below 0: it
                                                    * is gone */
    shared_slot slots[SHARED_SLOTS];
} shared;

#endif
