/* real.c - talking to the real redis-server over its unix socket; see real.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "real.h"

struct real {
    const char *socket_path;
    _Atomic int64_t *clock_us;             /* of held_clock.c, in the server's memory, too */
    dialect dialect;                       /* version 0: not asked yet */
    char release[32];
};

struct real_conn {
    int fd;
    buf out;               /* queued, not yet sent */
    buf in;                /* received; what lies before `taken` was handed over */
    size_t taken;
};

static struct {
    void (*fn)(void *context);
    void *context;
} when_lost;

void real_when_lost(void (*fn)(void *context), void *context)
{
    when_lost.fn = fn;
    when_lost.context = context;
}

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "real server: ");
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    if (when_lost.fn)
        when_lost.fn(when_lost.context);
    exit(1);
}

void real_give_up(const char *why)
{
    die("%s", why);
}

real *real_open(const char *socket_path, const char *clock_path)
{
    real *r = mem_zero(sizeof *r);
    int fd = open(clock_path, O_RDWR | O_CLOEXEC);
    void *clock = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *r->clock_us, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (clock == MAP_FAILED)
        die("%s: %s", clock_path, strerror(errno));
    close(fd);
    *r = (real){ .socket_path = socket_path, .clock_us = clock };
    return r;
}

/* The text of the bulk reply after this word, in a flat reply. */
static str bulk_after(str reply, str word)
{
    for (size_t i = 0; i + word.n < reply.n; i++) {
        if (!str_starts(str_slice(reply, i, reply.n), word))
            continue;
        size_t line = str_find(reply, '\n', i + word.n + 2) + 1;          /* behind the length */
        return str_slice(reply, line, str_find(reply, '\r', line));
    }
    return S("");
}

dialect real_dialect(real *r)
{
    if (r->dialect.version)
        return r->dialect;
    buf said = { 0 };
    real_conn *c = real_connect(r);
    real_execute(c, (str[]){ S("hello") }, 1, &said);
    real_disconnect(c);
    str server = bulk_after(buf_str(&said), S("server\r\n")), version = bulk_after(buf_str(&said), S("version\r\n"));
    char name[64];
    snprintf(name, sizeof name, "%.*s %.*s", STR_ARG(server), STR_ARG(version));
    snprintf(r->release, sizeof r->release, "%.*s", STR_ARG(version));
    if (!dialect_parse(str_from(name), &r->dialect))
        die("locksim does not know the release '%s'", name);
    buf_free(&said);
    return r->dialect;
}

str real_release(real *r)
{
    real_dialect(r);
    return str_from(r->release);
}

void real_close(real *r)
{
    if (r)
        munmap(r->clock_us, sizeof *r->clock_us);
    mem_free(r);
}

void real_set_clock(real *r, int64_t now_ms)
{
    atomic_store(r->clock_us, now_ms * 1000);
}

real_conn *real_connect(real *r)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    if (strlen(r->socket_path) >= sizeof at.sun_path)
        die("%s: a socket's path has at most %zu bytes", r->socket_path, sizeof at.sun_path - 1);
    memcpy(at.sun_path, r->socket_path, strlen(r->socket_path));
    real_conn *c = mem_zero(sizeof *c);
    c->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&at, sizeof at) != 0)
        die("%s: %s", r->socket_path, strerror(errno));
    return c;
}

void real_disconnect(real_conn *c)
{
    if (!c)
        return;
    close(c->fd);
    buf_free(&c->out);
    buf_free(&c->in);
    mem_free(c);
}

/* "*12\r\n": printf would take longer than all the rest. */
static void queue_length(real_conn *c, char kind, size_t n)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\n';
    digits[--at] = '\r';
    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    digits[--at] = kind;
    buf_add(&c->out, (str){ digits + at, sizeof digits - at });
}

void real_queue(real_conn *c, const str *argv, size_t argc)
{
    queue_length(c, '*', argc);
    for (size_t i = 0; i < argc; i++) {
        queue_length(c, '$', argv[i].n);
        buf_add(&c->out, argv[i]);
        buf_addz(&c->out, "\r\n");
    }
}

/* The server never waits for its readers (it keeps what it cannot send), so writing all before reading cannot block for
 * ever. */
void real_send(real_conn *c)
{
    for (size_t sent = 0; sent < c->out.n;) {
        ssize_t n = send(c->fd, c->out.p + sent, c->out.n - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            die("it closed the connection: %s", strerror(errno));
        if (n > 0)
            sent += (size_t)n;
    }
    buf_clear(&c->out);
}

/* False if nothing came within wait_ms; -1 waits for ever. */
static bool receive(real_conn *c, int wait_ms)
{
    char bytes[65536];
    if (wait_ms >= 0 && poll(&(struct pollfd){ .fd = c->fd, .events = POLLIN }, 1, wait_ms) == 0)
        return false;
    ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);
    if (n == 0)
        die("it closed the connection; it may have crashed");
    if (n < 0 && errno != EINTR)
        die("%s", strerror(errno));
    if (n > 0)
        buf_add(&c->in, (str){ bytes, (size_t)n });
    return true;
}

bool real_read_within(real_conn *c, int wait_ms, buf *out)
{
    real_send(c);
    if (c->taken == c->in.n) {
        buf_clear(&c->in);
        c->taken = 0;
    }
    for (;;) {
        str rest = { c->in.p + c->taken, c->in.n - c->taken };
        size_t n = resp_length(rest);
        if (n == SIZE_MAX) {
            buf shown = { 0 };
            show_bytes(rest, 200, &shown);
            die("what it sent is no reply: %s", shown.p);
        }
        if (n > 0) {
            buf_add(out, str_slice(rest, 0, n));
            c->taken += n;
            return true;
        }
        /* Twice as much each time, so that a reply of megabytes is not scanned once per packet. */
        for (size_t want = c->in.n + (rest.n > 65536 ? rest.n : 1); c->in.n < want;) {
            if (!receive(c, wait_ms))
                return false;
            if (resp_length((str){ c->in.p + c->taken, c->in.n - c->taken }) > 0)
                break;
        }
    }
}

void real_read(real_conn *c, buf *out)
{
    real_read_within(c, -1, out);
}

void real_execute(real_conn *c, const str *argv, size_t argc, buf *out)
{
    real_queue(c, argv, argc);
    real_read(c, out);
}

void real_reset(real_conn *c)
{
    buf answer = { 0 };
    real_queue(c, (str[]){ S("FLUSHALL"), S("ASYNC") }, 2);
    real_queue(c, (str[]){ S("SCRIPT"), S("FLUSH") }, 2);
    real_read(c, &answer);
    real_read(c, &answer);
    if (!str_eq(buf_str(&answer), S("+OK\r\n+OK\r\n")))
        die("FLUSHALL, SCRIPT FLUSH: %s", answer.p);
    buf_free(&answer);
}

/* Where the line from `at` ends, past its \r\n; 0 if it is cut off. */
static size_t line_end(str s, size_t at)
{
    for (size_t i = at; i + 1 < s.n; i++)
        if (s.p[i] == '\r' && s.p[i + 1] == '\n')
            return i + 2;
    return 0;
}

/* The number after a type's letter; line_end has found its \r\n. */
static int64_t count_at(str s, size_t at)
{
    bool minus = s.p[at] == '-';
    int64_t n = 0;
    for (at += minus; s.p[at] >= '0' && s.p[at] <= '9' && n < INT64_MAX / 100; at++)
        n = 10 * n + (s.p[at] - '0');
    return minus ? -n : n;
}

/* Depth never needs a stack: an aggregate only adds to the number of values that are still to come. */
size_t resp_length(str s)
{
    size_t at = 0;
    for (uint64_t left = 1; left > 0; left--) {
        if (at >= s.n)
            return 0;
        size_t end = line_end(s, at);
        char kind = s.p[at];
        if (kind == '\0' || !strchr("+-:$*_#,(=!%~>|", kind))
            return SIZE_MAX;
        if (end == 0)
            return 0;
        int64_t n = count_at(s, at + 1);
        at = end;
        switch (kind) {
        case '$':
        case '=':
        case '!':
            if (n >= 0 && (uint64_t)n + 2 > s.n - at)
                return 0;
            at += n >= 0 ? (size_t)n + 2 : 0;
            break;
        case '%':
        case '|':
            n *= 2;
            left += kind == '|';   /* an attribute stands before the value that it describes */
            left += n > 0 ? (uint64_t)n : 0;
            break;
        case '*':
        case '~':
        case '>':
            left += n > 0 ? (uint64_t)n : 0;
            break;
        default:
            break;
        }
    }
    return at <= s.n ? at : 0;
}

static const char keyspace_lua[] =
    "local out = {}\n"
    "local function add(...) out[#out + 1] = string.format(...) end\n"
    "local function pairs_sorted(flat)\n"
    "  local names, value = {}, {}\n"
    "  for i = 1, #flat, 2 do names[#names + 1] = flat[i]; value[flat[i]] = flat[i + 1] end\n"
    "  table.sort(names)\n"
    "  for _, name in ipairs(names) do add('  %q = %q', name, value[name]) end\n"
    "end\n"
    "local tell = {\n"
    "  string = function(k) add('  %q', redis.call('GET', k)) end,\n"
    "  hash = function(k) pairs_sorted(redis.call('HGETALL', k)) end,\n"
    "  list = function(k) for i, v in ipairs(redis.call('LRANGE', k, 0, -1)) do add('  %d %q', i - 1, v) end end,\n"
    "  set = function(k)\n"
    "    local members = redis.call('SMEMBERS', k)\n"
    "    table.sort(members)\n"
    "    for _, v in ipairs(members) do add('  %q', v) end\n"
    "  end,\n"
    "  zset = function(k)\n"
    "    local flat = redis.call('ZRANGE', k, 0, -1, 'WITHSCORES')\n"
    "    for i = 1, #flat, 2 do add('  %q = %s', flat[i], flat[i + 1]) end\n"
    "  end,\n"
    "  stream = function(k)\n"
    "    for _, entry in ipairs(redis.call('XRANGE', k, '-', '+')) do\n"
    "      add('  %s', entry[1])\n"
    "      for i = 1, #entry[2], 2 do add('    %q = %q', entry[2][i], entry[2][i + 1]) end\n"
    "    end\n"
    "    for _, group in ipairs(redis.call('XINFO', 'GROUPS', k)) do\n"
    "      for i = 2, #group, 2 do add('  %q: %s', group[2], tostring(group[i])) end\n"
    "      for _, p in ipairs(redis.call('XPENDING', k, group[2], '-', '+', 10000)) do\n"
    "        add('    %s %q %d %d', p[1], p[2], p[3], p[4])\n"
    "      end\n"
    "      for _, c in ipairs(redis.call('XINFO', 'CONSUMERS', k, group[2])) do\n"
    "        add('    ' .. table.concat(c, ' '))\n"
    "      end\n"
    "    end\n"
    "  end,\n"
    "}\n"
    "local function database()\n"
    "  local keys = redis.call('KEYS', '*')\n"
    "  table.sort(keys)\n"
    "  for _, k in ipairs(keys) do\n"
    "    local kind = redis.call('TYPE', k).ok\n"
    "    add('%q %s pttl %s', k, kind, string.format('%d', redis.call('PTTL', k)))\n"
    "    if tell[kind] then tell[kind](k) end\n"
    "  end\n"
    "end\n"
    "if not ARGV[1] then database() else\n"
    "  for db = 0, tonumber(ARGV[1]) do\n"
    "    redis.call('SELECT', db)\n"
    "    local before = #out\n"
    "    database()\n"
    "    if #out > before then table.insert(out, before + 1, string.format('database %d', db)) end\n"
    "  end\n"
    "end\n"
    "return table.concat(out, '\\n')\n";
const str keyspace_script = { keyspace_lua, sizeof keyspace_lua - 1 };

static bool is_bare(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) && !strchr("_-+.:*/@=,()[]{}<>%!?^~|&;$#", s.p[i]))
            return false;
    return s.n > 0 && memchr(s.p, '\0', s.n) == NULL;
}

static void add_escaped(str s, bool quotes, buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\n')
            buf_addz(out, "\\n");
        else if (c == '\r')
            buf_addz(out, "\\r");
        else if (c < ' ' || c > '~')
            buf_printf(out, "\\x%02x", c);
        else if (quotes && (c == '"' || c == '\\'))
            buf_printf(out, "\\%c", c);
        else
            buf_byte(out, (char)c);
    }
}

void paste_command(const str *argv, size_t argc, buf *out)
{
    for (size_t i = 0; i < argc; i++) {
        if (i > 0)
            buf_byte(out, ' ');
        if (is_bare(argv[i])) {
            buf_add(out, argv[i]);
            continue;
        }
        buf_byte(out, '"');
        add_escaped(argv[i], true, out);
        buf_byte(out, '"');
    }
}

void show_bytes(str s, size_t max_bytes, buf *out)
{
    add_escaped(str_slice(s, 0, max_bytes), false, out);
    if (s.n > max_bytes)
        buf_printf(out, "... (%zu bytes)", s.n);
}

int real_verdict(uint64_t passed, uint64_t failed)
{
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    fflush(stdout);
    return failed == 0 && passed > 0 ? 0 : 1;
}
