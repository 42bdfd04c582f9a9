/* real_server.c - starting, asking and ending a real redis-server; see real_server.h. */
#include "real_server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

struct real_server {
    char folder[32], path[64], program[64];
    pid_t pid;
};

__attribute__((noreturn))
static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

static const char *binary(void)
{
    static const char *const places[] = { "/usr/bin/redis-server", "/usr/bin/redis-check-rdb",
                                          "/usr/local/bin/redis-server" };
    for (size_t i = 0; i < COUNT(places); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

static int try_connect(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof at.sun_path)
        die(path, "too long for a socket");
    memcpy(at.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void become_server(const real_server *s)
{
    if (!freopen("/dev/null", "w", stdout) || chdir(s->folder) != 0)
        _exit(1);
    execl(s->program, s->program, "--port", "0", "--unixsocket", s->path, "--save", "", "--appendonly", "no",
          "--daemonize", "no", (char *)NULL);
    _exit(1);
}

bool unix_wait(const char *path)
{
    for (int tries = 0; tries < 400; tries++) {
        int fd = try_connect(path);
        if (fd >= 0)
            return close(fd) == 0;
        nanosleep(&(struct timespec){ .tv_nsec = 25000000 }, NULL);
    }
    return false;
}

real_server *real_server_start(void)
{
    const char *program = binary();
    if (!program) {
        fprintf(stderr, "bench: no redis-server here to compare with: apt-get install redis-tools\n");
        return NULL;
    }
    real_server *s = mem_zero(sizeof *s);
    snprintf(s->folder, sizeof s->folder, "/tmp/locksim-bench.XXXXXX");
    if (!mkdtemp(s->folder))
        die(s->folder, strerror(errno));
    snprintf(s->path, sizeof s->path, "%s/s", s->folder);
    snprintf(s->program, sizeof s->program, "%s/redis-server", s->folder);
    if (symlink(program, s->program) != 0)         /* the one binary is the server by its name */
        die(s->program, strerror(errno));
    s->pid = fork();
    if (s->pid == 0)
        become_server(s);
    if (s->pid > 0 && unix_wait(s->path))
        return s;
    real_server_stop(s);
    die("redis-server", "it does not listen after 10 s");
}

void real_server_stop(real_server *s)
{
    if (!s)
        return;
    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        waitpid(s->pid, NULL, 0);
    }
    unlink(s->path);
    unlink(s->program);
    rmdir(s->folder);
    mem_free(s);
}

const char *real_server_path(const real_server *s)
{
    return s->path;
}

double real_server_cpu_s(const real_server *s)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(s->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        die("the server's processor time", strerror(errno));
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int unix_connect(const char *path)
{
    int fd = try_connect(path);
    if (fd < 0)
        die(path, strerror(errno));
    return fd;
}

void pipeline_add(buf *out, const str *argv, size_t argc)
{
    buf_printf(out, "*%zu\r\n", argc);
    for (size_t i = 0; i < argc; i++) {
        buf_printf(out, "$%zu\r\n", argv[i].n);
        buf_add(out, argv[i]);
        buf_addz(out, "\r\n");
    }
}

/* Of a few commands only: the answers must fit what the socket holds, for none is read before all is sent. */
void pipeline_run(int fd, const buf *commands, size_t answers)
{
    for (size_t sent = 0; sent < commands->n;) {
        ssize_t n = send(fd, commands->p + sent, commands->n - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            die("send", strerror(errno));
        sent += n > 0 ? (size_t)n : 0;
    }
    char bytes[16384];
    bool begins = true;                            /* an answer, with the next byte */
    while (answers > 0) {
        ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        if (n == 0)
            die("recv", "the server closed the connection");
        for (ssize_t i = 0; i < n; i++) {
            if (begins && bytes[i] == '-')
                die("an answer", "it is an error");
            begins = bytes[i] == '\n';
            answers -= begins && answers > 0;
        }
    }
}
