/* preload.c - the library's beginning: the client's page is mapped, the process makes itself known, and its identity is
 * steady. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

shared *preload_page;
char preload_base[100];
static int32_t true_pid;
static uint32_t place;             /* of this process among the client's */

void *preload_real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        preload_die(name);
    return found;
}

void preload_die(const char *why)
{
    static const char head[] = "locksim drive: ";
    ssize_t ignored = RAW(SYS_write, 2, head, sizeof head - 1);
    ignored = RAW(SYS_write, 2, why, strlen(why));
    ignored = RAW(SYS_write, 2, "\n", 1);
    (void)ignored;
    _exit(70);
}

int32_t preload_pid(void)
{
    return true_pid;
}

uint32_t preload_place(void)
{
    return place;
}

void preload_become_first(void)
{
    true_pid = (int32_t)RAW(SYS_getpid);
    place = 0;
    atomic_store(&preload_page->processes[0], true_pid);
    atomic_store(&preload_page->process_count, 1);
}

/* A process keeps its place when it becomes another program. */
static void enlist(void)
{
    shared *p = preload_page;
    true_pid = (int32_t)RAW(SYS_getpid);
    uint32_t count = atomic_load(&p->process_count);
    for (place = 0; place < count && place < SHARED_PROCESSES; place++)
        if (atomic_load(&p->processes[place]) == true_pid)
            return;
    place = atomic_fetch_add(&p->process_count, 1);
    if (place >= SHARED_PROCESSES)
        preload_die("this client has started too many processes: 4000 are followed");
    atomic_store(&p->processes[place], true_pid);
}

static void on_wake(int signal)
{
    (void)signal;                  /* the call that it interrupts is what matters */
}

static void listen_for_wakes(void)
{
    struct sigaction wake = { .sa_handler = on_wake };
    REAL(sigaction)(SHARED_WAKE_SIGNAL, &wake, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SHARED_WAKE_SIGNAL);
    REAL(pthread_sigmask)(SIG_UNBLOCK, &set, NULL);
}

static void in_child(void)
{
    if (!driven())
        return;
    enlist();
    slots_after_fork();
    timers_after_fork();
}

__attribute__((constructor)) static void begin(void)
{
    const char *base = getenv(SHARED_VARIABLE);
    char path[sizeof preload_base + 8];
    if (!base || !*base || strlen(base) >= sizeof preload_base || preload_page)
        return;
    strcpy(preload_base, base);
    strcpy(path, base);
    strcat(path, ".shm");
    int fd = (int)RAW(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;                    /* the run is over, and this program was left behind */
    void *page = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    RAW(SYS_close, fd);
    if (page == MAP_FAILED || ((shared *)page)->version != SHARED_VERSION)
        preload_die("the preloaded library and locksim are not of one build");
    preload_page = page;
    enlist();
    if (strcmp(program_invocation_short_name, "node") == 0 || strcmp(program_invocation_short_name, "nodejs") == 0)
        preload_page->baton = 0;       /* its threads wait for one another in ways that a baton would change */
    listen_for_wakes();
    pthread_atfork(NULL, NULL, in_child);
}

/* ---- who it is ---- */

pid_t getpid(void)
{
    return driven() ? preload_page->first_pid + (pid_t)place : (pid_t)RAW(SYS_getpid);
}

/* Ids are made of this one, too (libuuid). */
pid_t getppid(void)
{
    return driven() ? preload_page->first_pid - 1 : (pid_t)RAW(SYS_getppid);
}

/* Its own number, and those of its relatives that it may have been told. */
static pid_t truly(pid_t pid)
{
    if (!driven() || pid < preload_page->first_pid)
        return pid;
    uint32_t at = (uint32_t)(pid - preload_page->first_pid);
    int32_t found = at < SHARED_PROCESSES ? atomic_load(&preload_page->processes[at]) : 0;
    return found > 0 ? found : pid;
}

int kill(pid_t pid, int signal)
{
    return (int)RAW(SYS_kill, truly(pid), signal);
}

/* ---- signals: the one that ends waits stays ours, and is never held back ---- */

int sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
    return REAL(sigaction)(signal, driven() && signal == SHARED_WAKE_SIGNAL ? NULL : act, old);
}

static const sigset_t *without_wake(const sigset_t *set, sigset_t *room)
{
    if (!driven() || !set)
        return set;
    *room = *set;
    sigdelset(room, SHARED_WAKE_SIGNAL);
    return room;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t room;
    return REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_wake(set, &room), old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t room;
    return REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_wake(set, &room), old);
}
