/* polls.c - waits for descriptors: only locksim ends them, as if their time had passed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload.h"

static const struct timespec at_once;

/* The thread acts: counted, so that locksim notices threads that run without a step of their own. */
static bool counted(void)
{
    if (!driven())
        return false;
    atomic_fetch_add_explicit(&preload_page->calls, 1, memory_order_relaxed);
    return true;
}

static const sigset_t *open_mask(const sigset_t *mask, sigset_t *room)
{
    if (!mask)
        return NULL;
    *room = *mask;
    sigdelset(room, SHARED_WAKE_SIGNAL);
    return room;
}

/* What such a call returns: 0 where locksim ended it. */
static int result_of(shared_slot *s, int result, int problem)
{
    bool fired = wait_end(s);
    if (result < 0 && problem == EINTR && fired)
        return 0;
    errno = problem;
    return result;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
    sigset_t room;
    if (!counted())
        return REAL(ppoll)(fds, n, limit, mask);
    if (!limit && baton_counts()) {
        int ready = REAL(ppoll)(fds, n, &at_once, open_mask(mask, &room));
        if (ready == 0) {
            ready = REAL(ppoll)(fds, n, NULL, open_mask(mask, &room));
            baton_wait();
        }
        return ready;
    }
    if (!limit || span_ns(limit) == 0)
        return REAL(ppoll)(fds, n, limit, open_mask(mask, &room));
    shared_slot *s = wait_begin(SLOT_WAITS, span_ns(limit), "poll");
    int got = REAL(ppoll)(fds, n, NULL, open_mask(mask, &room));
    return result_of(s, got, errno);
}

int poll(struct pollfd *fds, nfds_t n, int limit_ms)
{
    if (!counted() || limit_ms == 0)
        return REAL(poll)(fds, n, limit_ms);
    if (limit_ms < 0)
        return ppoll(fds, n, NULL, NULL);
    struct timespec limit = { .tv_sec = limit_ms / 1000, .tv_nsec = (long)(limit_ms % 1000) * 1000000 };
    return ppoll(fds, n, &limit, NULL);
}

/* The variant of poll in glibc's headers, for arrays of known size. */
int __poll_chk(struct pollfd *fds, nfds_t n, int limit_ms, size_t bytes);
int __poll_chk(struct pollfd *fds, nfds_t n, int limit_ms, size_t bytes)
{
    (void)bytes;
    return poll(fds, n, limit_ms);
}

int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
            const struct timespec *restrict limit, const sigset_t *restrict mask)
{
    sigset_t room;
    if (!counted())
        return REAL(pselect)(n, in, out, other, limit, mask);
    if (!limit || span_ns(limit) == 0)
        return REAL(pselect)(n, in, out, other, limit, open_mask(mask, &room));
    shared_slot *s = wait_begin(SLOT_WAITS, span_ns(limit), "select");
    int got = REAL(pselect)(n, in, out, other, NULL, open_mask(mask, &room)), problem = errno;
    if (got < 0 && problem == EINTR && wait_fired(s)) {
        fd_set *sets[] = { in, out, other };
        for (size_t i = 0; i < 3; i++)
            if (sets[i])
                FD_ZERO(sets[i]);
    }
    return result_of(s, got, problem);
}

int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, struct timeval *restrict limit)
{
    if (!counted())
        return REAL(select)(n, in, out, other, limit);
    struct timespec t;
    if (limit)
        t = (struct timespec){ .tv_sec = limit->tv_sec, .tv_nsec = limit->tv_usec * 1000 };
    return pselect(n, in, out, other, limit ? &t : NULL, NULL);
}

int epoll_pwait(int fd, struct epoll_event *events, int n, int limit_ms, const sigset_t *mask)
{
    sigset_t room;
    if (!counted())
        return REAL(epoll_pwait)(fd, events, n, limit_ms, mask);
    if (limit_ms < 0 && baton_counts()) {
        int ready = REAL(epoll_pwait)(fd, events, n, 0, open_mask(mask, &room));
        if (ready == 0) {
            ready = REAL(epoll_pwait)(fd, events, n, -1, open_mask(mask, &room));
            baton_wait();
        }
        return ready;
    }
    if (limit_ms <= 0)
        return REAL(epoll_pwait)(fd, events, n, limit_ms, open_mask(mask, &room));
    shared_slot *s = wait_begin(SLOT_WAITS, (int64_t)limit_ms * 1000000, "epoll_wait");
    int got = REAL(epoll_pwait)(fd, events, n, -1, open_mask(mask, &room));
    return result_of(s, got, errno);
}

int epoll_wait(int fd, struct epoll_event *events, int n, int limit_ms)
{
    /* cppcheck-suppress nullPointer ; without a mask it is epoll_wait */
    return counted() ? epoll_pwait(fd, events, n, limit_ms, NULL) : REAL(epoll_wait)(fd, events, n, limit_ms);
}

int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *limit, const sigset_t *mask)
{
    if (!counted())
        return REAL(epoll_pwait2)(fd, events, n, limit, mask);
    int64_t ms = !limit ? -1 : (span_ns(limit) + 999999) / 1000000;
    return epoll_pwait(fd, events, n, ms > 2000000000 ? 2000000000 : (int)ms, mask);
}

/* ---- reads with a time-out: SO_RCVTIMEO was kept from the kernel (sockets.c) ---- */

typedef struct {
    int fd;
    shared_slot *s;                /* NULL: it may wait for ever */
    bool waits;                    /* nothing is there yet */
} reading;

/* Would a read of it wait? */
static bool is_empty(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return REAL(ppoll)(&p, 1, &at_once, NULL) == 0;
}

static reading read_begin(int fd, int flags, const char *call)
{
    int64_t limit = counted() && !(flags & MSG_DONTWAIT) ? socket_read_limit_ns(fd) : SHARED_NEVER;
    bool waits = baton_counts() && !(flags & MSG_DONTWAIT) && is_empty(fd) && !(fcntl(fd, F_GETFL) & O_NONBLOCK);
    return (reading){ .fd = fd, .waits = waits, .s = limit < SHARED_NEVER ? wait_begin(SLOT_WAITS, limit, call)
                      : NULL };
}

static ssize_t read_end(reading r, ssize_t got)
{
    int problem = errno;
    bool fired = r.s && wait_end(r.s);
    if (!r.s && r.waits)
        baton_wait();
    errno = got < 0 && problem == EINTR && fired ? EAGAIN : problem;
    return got;
}

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
    reading r = read_begin(fd, flags, "recv");
    return read_end(r, REAL(recv)(fd, bytes, n, flags));
}

ssize_t recvfrom(int fd, void *restrict bytes, size_t n, int flags, struct sockaddr *restrict from,
                 socklen_t *restrict length)
{
    reading r = read_begin(fd, flags, "recvfrom");
    return read_end(r, REAL(recvfrom)(fd, bytes, n, flags, from, length));
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    reading r = read_begin(fd, flags, "recvmsg");
    return read_end(r, REAL(recvmsg)(fd, message, flags));
}

ssize_t read(int fd, void *bytes, size_t n)
{
    reading r = read_begin(fd, 0, "read");
    return read_end(r, REAL(read)(fd, bytes, n));
}

ssize_t readv(int fd, const struct iovec *parts, int count)
{
    reading r = read_begin(fd, 0, "readv");
    return read_end(r, REAL(readv)(fd, parts, count));
}

/* ---- what is printed ---- */

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (counted() && fd == STDOUT_FILENO)
        lines_hold(fd, bytes, n);
    return REAL(write)(fd, bytes, n);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (counted() && fd == STDOUT_FILENO)
        for (int i = 0; i < count; i++)
            lines_hold(fd, parts[i].iov_base, parts[i].iov_len);
    return REAL(writev)(fd, parts, count);
}
