/* fork_server.c - a start that costs a hundred milliseconds (Python's imports) is done once: when a client's first
 * process is about to connect for the first time, it offers itself to locksim, and from then on makes a copy of itself
 * for each run. A copy is a child of locksim's, not of the server's, takes the server's place, and goes on in
 * connect(). What a process is then has to follow from its command and from early_seed alone: it has one thread, has
 * not waited or said anything, has started nothing, and has no descriptor or memory that its copies would share. Any
 * other process goes on by itself, and is started anew by each run. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload.h"

enum { FILES_MAX = 64 };

/* Open files, whose offsets a copy shares with its server. */
typedef struct {
    size_t count;
    struct {
        int fd;
        off_t at;
    } files[FILES_MAX];
} open_files;

bool fork_server_early(void)
{
    const shared *p = preload_page;
    return preload_place() == 0 && !p->connected && p->baton && atomic_load(&p->process_count) == 1 &&
           atomic_load(&p->threads) == 0;          /* nor has it waited, or been held in a line: that takes a slot */
}

/* ---- what can be copied ---- */

static bool take_file(open_files *o, int fd, int connecting)
{
    struct stat st;
    if (fd == connecting || fstat(fd, &st) != 0 || S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode))
        return true;
    if (S_ISFIFO(st.st_mode))
        return fd == STDOUT_FILENO || fd == STDERR_FILENO;
    if (!S_ISREG(st.st_mode) || o->count == FILES_MAX)
        return false;
    o->files[o->count].fd = fd;
    o->files[o->count++].at = lseek(fd, 0, SEEK_CUR);
    return true;
}

static bool take_files(open_files *o, int connecting)
{
    DIR *d = opendir("/proc/self/fd");
    bool all = d != NULL;
    for (struct dirent *entry; all && (entry = readdir(d)) != NULL;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(d))
            all = take_file(o, atoi(entry->d_name), connecting);
    if (d)
        closedir(d);
    return all;
}

static bool one_thread(void)
{
    struct stat st;
    return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

/* Memory that it would share with its copies and write to; but for the client's page. */
static bool shares_memory(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512], rights[8];
    bool any = f == NULL;
    while (!any && fgets(line, sizeof line, f))
        any = sscanf(line, "%*s %7s", rights) == 1 && rights[1] == 'w' && rights[3] == 's' &&
              !strstr(line, preload_base);
    if (f)
        fclose(f);
    return any;
}

/* ---- serving ---- */

static int reach_locksim(void)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    strcpy(to.sun_path, preload_base);
    strcat(to.sun_path, ".fork");
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && REAL(connect)(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    if (fd >= 0)
        RAW(SYS_close, fd);
    return -1;
}

static char next_order(int control)
{
    char order;
    long n;
    while ((n = RAW(SYS_read, control, &order, 1)) < 0 && errno == EINTR) {
    }
    return n == 1 ? order : ORDER_REFUSED;
}

/* glibc keeps the thread's number where the kernel clears it at the thread's end. */
static void correct_thread(int *tid)
{
    *tid = (int)RAW(SYS_gettid);
    RAW(SYS_set_tid_address, tid);
}

static void begin_copy(int control, const open_files *o)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    RAW(SYS_setpgid, 0, 0);
    preload_become_first();
    for (size_t i = 0; i < o->count; i++)
        lseek(o->files[i].fd, o->files[i].at, SEEK_SET);
    int32_t pid = preload_pid();
    if (RAW(SYS_write, control, &pid, sizeof pid) != (long)sizeof pid)
        _exit(70);
    RAW(SYS_close, control);
}

/* Returns in each copy. */
static void serve(int control, const open_files *o, int *tid)
{
    do {
        long pid = RAW(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
        if (pid == 0) {
            correct_thread(tid);
            begin_copy(control, o);
            return;
        }
        int32_t none = -1;
        if (pid < 0 && RAW(SYS_write, control, &none, sizeof none) < 0)
            break;
    } while (next_order(control) == ORDER_COPY);
    _exit(0);
}

static void offer(int fd)
{
    open_files o = { 0 };
    int *tid = NULL;
    if (!one_thread() || shares_memory() || !take_files(&o, fd) || prctl(PR_GET_TID_ADDRESS, &tid) != 0 || !tid)
        return;
    int control = reach_locksim();
    if (control < 0)
        return;
    if (next_order(control) == ORDER_COPY)
        serve(control, &o, tid);
    else
        RAW(SYS_close, control);
}

void fork_server_pass(int fd)
{
    if (preload_page->copies && fork_server_early())
        offer(fd);
    preload_page->connected = 1;
}
