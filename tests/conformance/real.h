/* real.h - the real redis-server as the conformance programs meet it: raw replies, a clock that is set, the keyspace as
 * text. A program gets the server's socket and clock file from server.sh as its first two arguments, and ends by
 * real_verdict(), whose line `N passed, N failed` the test runner sums up. Whatever goes wrong with the server itself
 * ends the program with a message: a comparison with a server that is gone is no result. */
#ifndef LOCKSIM_TESTS_REAL_H
#define LOCKSIM_TESTS_REAL_H

#include "base/buf.h"
#include "redis/dialect.h"

typedef struct real real;              /* the server: its socket's path and its clock */
typedef struct real_conn real_conn;    /* one connection to it */

/* The socket's path is borrowed for as long as the server is used. The clock stands still until real_set_clock. */
real *real_open(const char *socket_path, const char *clock_path);
/* Called before the program ends because the server is gone: to say what it was last asked. */
void real_when_lost(void (*fn)(void *context), void *context);
/* Ends the program as if the server were gone. */
void real_give_up(const char *why) __attribute__((noreturn));
/* Which server it is: HELLO is asked for its name and version. Ends the program if locksim knows no such release. */
dialect real_dialect(real *r);
/* The release it says it is: "8.0.2". Borrowed for as long as the server is used. */
str real_release(real *r);
void real_close(real *r);              /* NULL is fine; its connections are closed by their owners first */

/* Unix milliseconds. The very next command on any connection sees it. (DEBUG SLEEP moves it, too: see held_clock.c.)
 * Moving backwards works. Replies still to be read from commands that were only queued are not waited for: read them
 * first. */
void real_set_clock(real *r, int64_t now_ms);

real_conn *real_connect(real *r);
void real_disconnect(real_conn *c);    /* NULL is fine */

/* Appends one command to what will be sent; costs no system call. Commands of one connection may be queued without
 * limit. */
void real_queue(real_conn *c, const str *argv, size_t argc);
/* Sends whatever is queued, waits for the next reply and appends its bytes, exactly as they came, to `out`: `*-1` and
 * `$-1` stay apart (hiredis, 0.14 in Debian 12, gives both as nil and knows no RESP3). Replies come in the order of the
 * commands; on a connection with subscriptions, messages come between them. */
void real_read(real_conn *c, buf *out);
/* The same, but false if nothing whole comes within that time. */
bool real_read_within(real_conn *c, int wait_ms, buf *out);
/* Sends what is queued and does not wait: the server can begin. */
void real_send(real_conn *c);
/* The two in one: `out` is appended to. */
void real_execute(real_conn *c, const str *argv, size_t argc, buf *out);
/* FLUSHALL and SCRIPT FLUSH: an empty server, but for its clock, its subscriptions and the state of math.random. */
void real_reset(real_conn *c);

/* The number of bytes of the first complete reply (RESP2 or RESP3) in `s`; 0 if it is cut off; SIZE_MAX if it is
 * none. */
size_t resp_length(str s);

/* A script for EVAL with 0 keys that tells the keyspace as text: a line per key in byte order with type and PTTL, then
 * a line per element, hashes and sets sorted, all strings as Lua's %q writes them. It runs alike on the real server and
 * on locksim, so that two equal bulk replies mean equal keyspaces. One optional ARGV: the highest database to walk;
 * without it the selected one only. Telling it accesses every key: keys past their deadline are gone afterwards
 * (DBSIZE). */
extern const str keyspace_script;

/* A command as a line that can be pasted into redis-cli or locksim shell: words bare where they can be, else "..." with
 * \xHH. No newline at the end. */
void paste_command(const str *argv, size_t argc, buf *out);
/* Bytes on one line, unprintable ones as \xHH, \r and \n as such: for showing two replies that differ. At most
 * max_bytes, then "...". */
void show_bytes(str s, size_t max_bytes, buf *out);

/* Prints `N passed, N failed` as the last line and returns the exit status: 0 if all passed and something was
 * tested. */
int real_verdict(uint64_t passed, uint64_t failed);

#endif
