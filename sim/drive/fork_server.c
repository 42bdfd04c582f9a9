/* fork_server.c - see fork_server.h. */
#define _GNU_SOURCE
#include "drive/fork_server.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drive/shared.h"

bool fork_servers_open(fork_servers *f, str file, err *e)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    *f = (fork_servers){ .door = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) };
    if (file.n >= sizeof at.sun_path)
        return err_set(e, ERR_USAGE, "%.*s is too long for a socket: set TMPDIR to a shorter folder", STR_ARG(file));
    memcpy(at.sun_path, file.p, file.n + 1);
    unlink(file.p);
    if (f->door < 0 || bind(f->door, (const struct sockaddr *)&at, sizeof at) != 0 || listen(f->door, 8) != 0)
        return err_set(e, ERR_USAGE, "%.*s: %s", STR_ARG(file), strerror(errno));
    return true;
}

static void end_server(fork_servers *f, uint32_t variant)
{
    pid_t pid = f->at[variant].pid;
    if (!pid)
        return;
    close(f->at[variant].control);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    f->at[variant].pid = 0;
}

void fork_servers_close(fork_servers *f)
{
    for (uint32_t i = 0; i < START_VARIANTS; i++)
        end_server(f, i);
    if (f->door >= 0)
        close(f->door);
    f->door = -1;
}

static bool order(int control, char what)
{
    return send(control, &what, 1, MSG_NOSIGNAL) == 1;
}

static pid_t read_pid(int control)
{
    int32_t pid;
    ssize_t n;
    while ((n = recv(control, &pid, sizeof pid, MSG_WAITALL)) < 0 && errno == EINTR) {
    }
    return n == (ssize_t)sizeof pid ? pid : -1;
}

pid_t fork_servers_copy(fork_servers *f, uint32_t variant)
{
    if (!f->at[variant].pid)
        return 0;
    pid_t copy = order(f->at[variant].control, ORDER_COPY) ? read_pid(f->at[variant].control) : -1;
    if (copy > 0)
        return copy;
    end_server(f, variant);            /* it died, or there is no room for another process */
    return 0;
}

bool fork_servers_meet(fork_servers *f, uint32_t variant, bool keep, pid_t *copy)
{
    struct ucred who = { 0 };
    socklen_t length = sizeof who;
    /* cppcheck-suppress nullPointer ; the peer's address is not needed */
    int control = accept4(f->door, NULL, NULL, SOCK_CLOEXEC);
    *copy = 0;
    if (control < 0)
        return false;
    getsockopt(control, SOL_SOCKET, SO_PEERCRED, &who, &length);
    if (keep && who.pid > 0 && !f->at[variant].pid) {
        f->at[variant].pid = who.pid;
        f->at[variant].control = control;
        *copy = fork_servers_copy(f, variant);
        return true;
    }
    order(control, ORDER_REFUSED);
    close(control);
    return true;
}
