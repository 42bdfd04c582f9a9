/* sockets.c - a connection to a port of Redis becomes one to locksim, and looks as if it were not. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload.h"

enum { DESCRIPTORS = 65536 };

/* The program's view of a descriptor that leads to locksim. */
typedef struct {
    bool ours;
    uint16_t port, local_port;     /* of the other side; of its own */
    uint8_t family;
    int64_t read_limit_ns;         /* 0: none */
} belief;
static belief beliefs[DESCRIPTORS];

static belief *belief_of(int fd)
{
    return driven() && fd >= 0 && fd < DESCRIPTORS ? &beliefs[fd] : NULL;
}

static bool is_ours(int fd)
{
    const belief *b = belief_of(fd);
    return b && b->ours;
}

int64_t socket_read_limit_ns(int fd)
{
    const belief *b = belief_of(fd);
    return b && b->read_limit_ns ? b->read_limit_ns : SHARED_NEVER;
}

static int port_of(const struct sockaddr *address, socklen_t length)
{
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in))
        return ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
    if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6))
        return ntohs(((const struct sockaddr_in6 *)(const void *)address)->sin6_port);
    return -1;
}

/* The port's place among those that lead to locksim; below 0: it does not. */
static int place_of(int port)
{
    for (int i = 0; i < SHARED_PORTS && preload_page->ports[i]; i++)
        if ((int)preload_page->ports[i] == port)
            return i;
    return -1;
}

/* Another socket takes the descriptor's place, with its flags. */
static int lead(int fd, int family, int port)
{
    static _Atomic uint32_t count;
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    fork_server_pass(fd);
    int flags = fcntl(fd, F_GETFL), kept = fcntl(fd, F_GETFD);
    strcpy(to.sun_path, preload_base);
    strcat(to.sun_path, ".sock");
    uint8_t place = (uint8_t)place_of(port);
    int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (other < 0)
        return -1;
    if (REAL(connect)(other, (const struct sockaddr *)&to, sizeof to) != 0 ||
        RAW(SYS_write, other, &place, sizeof place) != sizeof place) {
        RAW(SYS_close, other);
        errno = ECONNREFUSED;
        return -1;
    }
    if (dup2(other, fd) < 0)
        return -1;
    RAW(SYS_close, other);
    fcntl(fd, F_SETFD, kept);
    fcntl(fd, F_SETFL, flags);
    belief *b = belief_of(fd);
    if (b)
        *b = (belief){ .ours = true, .port = (uint16_t)port, .family = (uint8_t)family,
                       .read_limit_ns = b->read_limit_ns,
                       .local_port = (uint16_t)(40000 + atomic_fetch_add(&count, 1) % 20000) };
    return 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int port = driven() && address && length >= sizeof(sa_family_t) ? port_of(address, length) : -1;
    if (port < 0 || place_of(port) < 0)
        return REAL(connect)(fd, address, length);
    if (is_ours(fd)) {
        errno = EISCONN;
        return -1;
    }
    return lead(fd, address->sa_family, port);
}

int close(int fd)
{
    belief *b = belief_of(fd);
    /* a child of vfork writes in its parent's memory */
    if (b && (b->ours || b->read_limit_ns) && (int32_t)RAW(SYS_getpid) == preload_pid())
        *b = (belief){ 0 };
    if (b && (int32_t)RAW(SYS_getpid) == preload_pid())
        timers_closed(fd);
    return (int)RAW(SYS_close, fd);
}

/* ---- questions about the connection ---- */

static void tell_address(const belief *b, uint16_t port, struct sockaddr *out, socklen_t *length)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    const void *from = b->family == AF_INET ? (const void *)&v4 : (const void *)&v6;
    socklen_t bytes = b->family == AF_INET ? sizeof v4 : sizeof v6;
    memcpy(out, from, *length < bytes ? *length : bytes);
    *length = bytes;
}

int getpeername(int fd, struct sockaddr *restrict out, socklen_t *restrict length)
{
    if (!is_ours(fd))
        return REAL(getpeername)(fd, out, length);
    tell_address(&beliefs[fd], beliefs[fd].port, out, length);
    return 0;
}

int getsockname(int fd, struct sockaddr *restrict out, socklen_t *restrict length)
{
    if (!is_ours(fd))
        return REAL(getsockname)(fd, out, length);
    tell_address(&beliefs[fd], beliefs[fd].local_port, out, length);
    return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    belief *b = belief_of(fd);
    if (b && level == SOL_SOCKET && name == SO_RCVTIMEO && length >= sizeof(struct timeval)) {
        struct timeval t;
        memcpy(&t, value, sizeof t);
        b->read_limit_ns = (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
        return 0;
    }
    if (b && b->ours && level != SOL_SOCKET)
        return 0;                  /* of TCP and IP: there is nothing to be set */
    return REAL(setsockopt)(fd, level, name, value, length);
}

int getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict length)
{
    if (!is_ours(fd) || (level == SOL_SOCKET && name != SO_DOMAIN && name != SO_PROTOCOL))
        return REAL(getsockopt)(fd, level, name, value, length);
    int said = level == SOL_SOCKET ? (name == SO_DOMAIN ? beliefs[fd].family : IPPROTO_TCP)
               : level == IPPROTO_TCP && name == TCP_NODELAY;
    memcpy(value, &said, *length < sizeof said ? *length : sizeof said);
    *length = sizeof said;
    return 0;
}
