/* test_serve_hub.c - many clients of one server: who waits, who does not read, who goes, and what becomes of the
 * others. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/hub.h"

enum { CLIENTS = 4, EPOCH_MS = 1000000 };

static int64_t machine_ms;         /* of a clock that goes by itself */
static int64_t machine_now(void *context) { (void)context; return machine_ms; }

typedef struct {
    hub *h;
    hub_client *c[CLIENTS];
    buf said[CLIENTS];
    bool deaf[CLIENTS];            /* takes nothing of what it is told */
} rig;

static void rig_open_with(rig *r, hub_host host)
{
    *r = (rig){ .h = NULL };
    machine_ms = host.start_ms = EPOCH_MS;
    r->h = hub_new(&host);
    for (size_t i = 0; i < CLIENTS; i++)
        r->c[i] = hub_open(r->h, &r->said[i], S("far:1"), S("near:2"));
}

static void rig_open(rig *r, bool real_clock)
{
    rig_open_with(r, (hub_host){ .now_ms = real_clock ? machine_now : NULL });
}

static void rig_close(rig *r)
{
    hub_free(r->h);
    for (size_t i = 0; i < CLIENTS; i++)
        buf_free(&r->said[i]);
}

/* As the loop does: takes what there is to send, closes who is over. */
static void turn(rig *r)
{
    for (hub_client *c; (c = hub_next_touched(r->h)) != NULL;) {
        buf *said = hub_owner(c), taken = { 0 };
        size_t i = (size_t)(said - r->said);
        while (!r->deaf[i] && hub_take(c, &taken)) {
            buf_add(said, buf_str(&taken));
            hub_sent(c, &taken);
        }
        buf_free(&taken);
        if (hub_is_dropped(c) || hub_is_over(c)) {
            hub_close(c);
            r->c[i] = NULL;
        }
    }
}

static void send_to(rig *r, size_t i, const char *text)
{
    assert_non_null(r->c[i]);
    hub_feed(r->c[i], str_from(text));
    turn(r);
}

static void heard(rig *r, size_t i, const char *expected)
{
    if (!str_eq(buf_str(&r->said[i]), str_from(expected)))
        fail_msg("client %zu heard %.200s\nexpected %s", i, r->said[i].n ? r->said[i].p : "", expected);
    buf_clear(&r->said[i]);
}

static void what_is_sent_behind_a_wait_is_run_when_it_ends(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "BLPOP q 0\r\nECHO behind\r\nECH");
    send_to(&r, 0, "O half\r\n");
    send_to(&r, 1, "BLPOP q 5\r\nPING\r\n");
    heard(&r, 0, "");
    send_to(&r, 2, "RPUSH q x\r\n");
    heard(&r, 2, ":1\r\n");
    heard(&r, 0, "*2\r\n$1\r\nq\r\n$1\r\nx\r\n$6\r\nbehind\r\n$4\r\nhalf\r\n");
    heard(&r, 1, "");
    send_to(&r, 2, "CLOCK ADVANCE 5000\r\n");
    heard(&r, 1, "");                              /* the last millisecond counts */
    send_to(&r, 2, "CLOCK ADVANCE 1\r\n");
    heard(&r, 1, "*-1\r\n+PONG\r\n");
    rig_close(&r);
}

static void who_goes_leaves_the_queue(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "BLPOP q 0\r\n");
    send_to(&r, 1, "BLPOP q 0\r\n");
    hub_close(r.c[0]);
    r.c[0] = NULL;
    send_to(&r, 2, "RPUSH q x y\r\nLLEN q\r\n");
    heard(&r, 1, "*2\r\n$1\r\nq\r\n$1\r\nx\r\n");
    heard(&r, 2, ":2\r\n:1\r\n");
    rig_close(&r);
}

/* Property: waits end, and keys nobody asks for go, as a clock that goes by itself passes their time; hub_wait_ms says
 * when to look. */
static void time_that_goes_by_itself_ends_waits_and_keys(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, true);
    hub_tick(r.h);
    send_to(&r, 0, "SET k v PX 20\r\nBLPOP q 0.05\r\n");
    assert_int_equal(hub_wait_ms(r.h), 51);
    machine_ms += 50;
    hub_tick(r.h);
    turn(&r);
    heard(&r, 0, "+OK\r\n");
    send_to(&r, 1, "DBSIZE\r\n");
    heard(&r, 1, ":1\r\n");
    machine_ms += 1;
    assert_int_equal(hub_wait_ms(r.h), 0);
    hub_tick(r.h);
    turn(&r);
    heard(&r, 0, "*-1\r\n");
    machine_ms += 100;
    hub_tick(r.h);
    send_to(&r, 1, "DBSIZE\r\nCLOCK GET\r\n");
    heard(&r, 1, ":0\r\n-ERR this server's clock is the machine's: CLOCK needs `locksim serve --clock manual`\r\n");
    machine_ms -= 1000000;                         /* set back: the next look is not a thousand seconds away */
    send_to(&r, 1, "SET k v PX 20\r\n");
    assert_true(hub_wait_ms(r.h) <= 100);
    hub_tick(r.h);
    machine_ms += 200;
    hub_tick(r.h);
    buf_clear(&r.said[1]);
    send_to(&r, 1, "DBSIZE\r\n");
    heard(&r, 1, ":0\r\n");
    rig_close(&r);
}

/* Property: a move of the clock ends, and takes all that expired, however many keys live on. */
static void many_keys_are_looked_at_once(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "EVAL \"for i = 1, 50000 do redis.call('SET', i, 'v', 'PX', i % 2 == 0 and 100 or 1000) end\" "
            "0\r\n");
    heard(&r, 0, "$-1\r\n");
    send_to(&r, 0, "CLOCK ADVANCE 101\r\nDBSIZE\r\n");
    heard(&r, 0, ":1000101\r\n:25000\r\n");
    rig_close(&r);
}

static void a_script_may_run_for_long(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "EVAL \"local n = 0 for i = 1, 5000000 do n = n + 1 end return n\" 0\r\n");
    heard(&r, 0, ":5000000\r\n");                 /* more than a scenario's scripts may */
    rig_close(&r);
}

/* Property: a client that does not read waits with its requests, and goes on where it was when it reads; the others
 * notice nothing. */
static void who_does_not_read_waits(void **state)
{
    (void)state;
    enum { VALUE = 100000, GETS = 200 };
    rig r;
    buf request = { 0 };
    rig_open(&r, false);
    send_to(&r, 1, "SETRANGE big 99999 x\r\n");
    heard(&r, 1, ":100000\r\n");
    for (int i = 0; i < GETS; i++)
        buf_addz(&request, "GET big\r\nINCR done\r\n");
    r.deaf[0] = true;
    hub_feed(r.c[0], buf_str(&request));
    turn(&r);
    send_to(&r, 1, "GET done\r\n");
    heard(&r, 1, "$2\r\n10\r\n");                  /* a mebibyte of answers, and no more */
    buf taken = { 0 };
    size_t all = 0;
    while (hub_take(r.c[0], &taken)) {
        assert_true(taken.n <= HUB_OUT_BYTES_PAUSE + VALUE + 100);
        all += taken.n;
        hub_sent(r.c[0], &taken);
    }
    assert_true(all > (size_t)GETS * VALUE);
    send_to(&r, 1, "GET done\r\n");
    heard(&r, 1, "$3\r\n200\r\n");
    buf_free(&taken);
    buf_free(&request);
    rig_close(&r);
}

/* Property: what a client that never reads can make the server keep is bounded, by requests and by messages. */
static void who_never_reads_is_dropped(void **state)
{
    (void)state;
    enum { PIECE = 1 << 20 };
    rig r;
    rig_open(&r, false);
    char *piece = mem_alloc(PIECE + 1);
    memset(piece, 'x', PIECE);
    piece[PIECE] = '\0';
    buf publish = { 0 };
    buf_printf(&publish, "*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$%d\r\n%s\r\n", PIECE, piece);
    r.deaf[0] = r.deaf[2] = true;
    send_to(&r, 0, "SUBSCRIBE c\r\n");
    int published = 0;
    for (; r.c[0] && published < 100; published++)
        send_to(&r, 1, publish.p);
    assert_int_equal(published, HUB_PUSH_BYTES_MAX / PIECE + 1);
    buf_clear(&r.said[1]);
    send_to(&r, 1, publish.p);
    heard(&r, 1, ":0\r\n");                        /* nobody listens any more */

    buf_clear(&publish);
    buf_printf(&publish, "*2\r\n$4\r\nECHO\r\n$%d\r\n%s\r\n", PIECE, piece);
    int asked = 0;
    for (; r.c[2] && asked < 200; asked++)
        send_to(&r, 2, publish.p);
    assert_in_range(asked, HUB_WAITING_BYTES_MAX / PIECE, HUB_WAITING_BYTES_MAX / PIECE + 4);
    send_to(&r, 3, "PING\r\n");
    heard(&r, 3, "+PONG\r\n");
    mem_free(piece);
    buf_free(&publish);
    rig_close(&r);
}

/* ---- scripts that run long: by a clock that goes on a millisecond each time it is looked at ---- */

static int64_t ran_ms;
static int64_t ran_now(void *context) { (void)context; return ran_ms++; }

static void rig_open_long(rig *r)
{
    rig_open_with(r, (hub_host){ .ran_ms = ran_now });
}

static void turns(rig *r, int n)
{
    for (; n > 0; n--) {
        hub_tick(r->h);
        turn(r);
    }
}

#define BUSY "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n"
#define KILLED "-ERR Script killed by user with SCRIPT KILL... script: "

/* Property: others are answered in the midst of a script without end; it ends when it is killed, and what was sent
 * behind it is run then. */
static void a_script_without_end_is_killed(void **state)
{
    (void)state;
    rig r;
    rig_open_long(&r);
    send_to(&r, 3, "SUBSCRIBE c\r\n");
    buf_clear(&r.said[3]);
    send_to(&r, 0, "EVAL \"redis.call('PUBLISH', 'c', 'm') while true do end\" 0\r\nECHO behind\r\nECH");
    assert_true(hub_is_busy(r.h));
    assert_int_equal(hub_wait_ms(r.h), 0);
    heard(&r, 3, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n");
    for (int i = 0; i < 3; i++) {
        send_to(&r, 1, "GET k\r\n");
        heard(&r, 1, BUSY);
        turns(&r, 2);
    }
    send_to(&r, 0, "O half\r\n");
    heard(&r, 0, "");
    send_to(&r, 1, "SCRIPT KILL\r\n");
    heard(&r, 1, "+OK\r\n");
    turns(&r, 1);
    assert_false(hub_is_busy(r.h));
    assert_true(str_starts(buf_str(&r.said[0]), S(KILLED)));
    assert_true(str_ends(buf_str(&r.said[0]), S(", on @user_script:1.\r\n$6\r\nbehind\r\n$4\r\nhalf\r\n")));
    send_to(&r, 1, "SCRIPT KILL\r\n");
    heard(&r, 1, "-NOTBUSY No scripts in execution right now.\r\n");
    buf_clear(&r.said[0]);
    send_to(&r, 0, "EVAL \"return 'whole'\" 0\r\n");
    heard(&r, 0, "$5\r\nwhole\r\n");
    rig_close(&r);
}

/* Property: work that no instruction of Lua does stops for others, too: a pattern that is matched for ever. */
static void a_match_without_end_is_killed(void **state)
{
    (void)state;
    rig r;
    rig_open_long(&r);
    send_to(&r, 1, "CONFIG SET busy-reply-threshold 1\r\n");
    buf_clear(&r.said[1]);
    send_to(&r, 0, "EVAL \"return ('a'):rep(100000):find(('.-'):rep(50)..'b')\" 0\r\n");
    assert_true(hub_is_busy(r.h));
    send_to(&r, 1, "SCRIPT KILL\r\n");
    heard(&r, 1, "+OK\r\n");
    turns(&r, 1);
    assert_true(str_starts(buf_str(&r.said[0]), S(KILLED)));
    rig_close(&r);
}

/* Property: the sender of the script may go, and a hub may end: neither leaves anything behind, nor waits for it. */
static void who_sent_it_may_go(void **state)
{
    (void)state;
    rig r;
    rig_open_long(&r);
    send_to(&r, 0, "MULTI\r\nSET k v\r\nEVAL \"while true do end\" 0\r\nEXEC\r\n");
    assert_true(hub_is_busy(r.h));
    hub_close(r.c[0]);
    r.c[0] = NULL;
    turns(&r, 1);
    send_to(&r, 1, "SCRIPT KILL\r\n");
    heard(&r, 1, "+OK\r\n");
    turns(&r, 1);
    send_to(&r, 1, "GET k\r\nINFO clients\r\n");
    assert_true(str_starts(buf_str(&r.said[1]), S("$1\r\nv\r\n")));
    assert_non_null(strstr(r.said[1].p, "connected_clients:3\r\n"));
    buf_clear(&r.said[1]);
    send_to(&r, 1, "EVAL \"redis.call('SET', 'k', 'w') while true do end\" 0\r\n");
    send_to(&r, 2, "SCRIPT KILL\r\n");
    assert_true(str_starts(buf_str(&r.said[2]), S("-UNKILLABLE ")));
    assert_true(hub_is_busy(r.h));
    rig_close(&r);                                 /* ends it all the same */
}

/* Property: with busy-reply-threshold 0, or before it is over, nobody else is heard. */
static void a_script_is_busy_after_its_time(void **state)
{
    (void)state;
    rig r;
    rig_open_long(&r);
    send_to(&r, 0, "EVAL \"local n = 0 while n < 1000000 do n = n + 1 end return n\" 0\r\n");
    heard(&r, 0, ":1000000\r\n");                  /* some 3000 looks at the clock, and the threshold is 5000 ms */
    send_to(&r, 0, "CONFIG SET busy-reply-threshold 0\r\n");
    buf_clear(&r.said[0]);
    send_to(&r, 0, "EVAL \"local n = 0 while n < 5000000 do n = n + 1 end return n\" 0\r\n");
    heard(&r, 0, ":5000000\r\n");
    assert_false(hub_is_busy(r.h));
    rig_close(&r);
}

/* ---- CLIENT PAUSE ---- */

/* Property: what waits for the end of a pause is run in the order of coming, once, and the clock or UNPAUSE ends it. */
static void a_pause_keeps_requests_in_their_order(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "CLIENT PAUSE 1000\r\n");
    heard(&r, 0, "+OK\r\n");
    send_to(&r, 1, "APPEND k b\r\nGET k\r\nAPP");
    send_to(&r, 2, "APPEND k c\r\n");
    send_to(&r, 0, "APPEND k e\r\n");
    send_to(&r, 1, "END k d\r\n");
    send_to(&r, 3, "CLOCK ADVANCE 1000\r\n");      /* the last millisecond counts */
    heard(&r, 1, "");
    hub_close(r.c[2]);
    r.c[2] = NULL;
    send_to(&r, 3, "CLOCK ADVANCE 1\r\nGET k\r\n");
    heard(&r, 3, ":1001000\r\n:1001001\r\n$-1\r\n");
    turn(&r);
    heard(&r, 1, ":1\r\n$1\r\nb\r\n:2\r\n");
    heard(&r, 0, ":3\r\n");
    send_to(&r, 1, "GET k\r\n");
    heard(&r, 1, "$3\r\nbde\r\n");               /* who went was not heard */
    rig_close(&r);
}

/* Property: meanwhile what has expired is not there and not removed. */
static void a_pause_keeps_what_expires(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "SET k v PX 10\r\nCLIENT PAUSE 1000 WRITE\r\nCLOCK ADVANCE 11\r\nGET k\r\nDBSIZE\r\n");
    heard(&r, 0, "+OK\r\n+OK\r\n:1000011\r\n$-1\r\n:1\r\n");
    send_to(&r, 0, "CLIENT UNPAUSE\r\nGET k\r\nDBSIZE\r\n");
    heard(&r, 0, "+OK\r\n$-1\r\n:0\r\n");
    rig_close(&r);
}

static void a_pause_ends_by_the_machines_clock(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, true);
    hub_tick(r.h);
    send_to(&r, 0, "CLIENT PAUSE 50\r\n");
    send_to(&r, 1, "PING\r\n");
    assert_int_equal(hub_wait_ms(r.h), 51);
    machine_ms += 51;
    turns(&r, 1);
    heard(&r, 1, "+PONG\r\n");
    rig_close(&r);
}

static void killed_clients_go_and_others_stay(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "SUBSCRIBE c\r\n");
    send_to(&r, 1, "CLIENT KILL TYPE pubsub\r\n");
    heard(&r, 1, ":1\r\n");
    assert_null(r.c[0]);
    send_to(&r, 1, "CLIENT KILL ID 2 SKIPME no\r\nPING\r\n");
    heard(&r, 1, ":1\r\n");                        /* itself: the answer still comes, the next one does not */
    assert_null(r.c[1]);
    send_to(&r, 2, "BLPOP q 0\r\n");
    send_to(&r, 3, "CLIENT KILL SKIPME yes\r\nPING\r\n");
    heard(&r, 3, ":1\r\n+PONG\r\n");
    assert_null(r.c[2]);
    rig_close(&r);
}

/* Property: a killed client is gone for the very next command, though its socket is closed later. */
static void a_killed_client_takes_and_hears_nothing_more(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "BLPOP q 0\r\n");
    send_to(&r, 1, "SUBSCRIBE c\r\n");
    send_to(&r, 2, "CLIENT KILL ID 1\r\nRPUSH q x\r\nLLEN q\r\nCLIENT KILL ID 1\r\nCLIENT UNBLOCK 1\r\nCLIENT LIST ID "
            "1\r\n");
    heard(&r, 2, ":1\r\n:1\r\n:1\r\n:0\r\n:0\r\n$0\r\n\r\n");
    send_to(&r, 2, "MULTI\r\nCLIENT KILL TYPE pubsub\r\nPUBLISH c m\r\nEXEC\r\n");
    heard(&r, 2, "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:1\r\n:0\r\n");
    assert_null(r.c[0]);
    assert_null(r.c[1]);
    send_to(&r, 3, "CLIENT KILL ID 4 SKIPME no\r\nPING\r\n");
    heard(&r, 3, ":1\r\n");                      /* of oneself the answer still comes */
    rig_close(&r);
}

static void garbage_ends_its_own_connection_only(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "*2\r\n$3\r\nGET\r\n$");
    send_to(&r, 1, "*x\r\nPING\r\n");
    heard(&r, 1, "-ERR Protocol error: invalid multibulk length\r\n");
    assert_null(r.c[1]);
    send_to(&r, 3, "PING\r\nPost / HTTP/1.1\r\nHost: localhost\r\n\r\nSET k 2\r\n");
    assert_null(r.c[3]);                           /* a browser */
    send_to(&r, 2, "MULTI\r\nSET k 1\r\n");
    hub_close(r.c[2]);
    r.c[2] = NULL;
    send_to(&r, 0, "1\r\nk\r\n");
    heard(&r, 0, "$-1\r\n");
    rig_close(&r);
}

static void shutdown_stops_everybody(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "PING\r\nSHUTDOWN NOSAVE\r\nPING\r\n");
    heard(&r, 0, "+PONG\r\n");
    assert_true(hub_is_stopped(r.h));
    rig_close(&r);
}

/* A name has all its bytes where it is asked for, and ends at a NUL where clients are listed. Redis 7.0 refuses it. */
static void names_may_have_a_nul(void **state)
{
    (void)state;
    static const char refused[] = "-ERR Client names cannot contain spaces, newlines or special characters.\r\n";
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "CLIENT SETNAME \"a\\x00b\"\r\nHELLO 2 SETNAME \"\\x00\"\r\n");
    assert_memory_equal(r.said[0].p, refused, sizeof refused - 1);
    assert_memory_equal(r.said[0].p + sizeof refused - 1, refused, sizeof refused - 1);
    rig_close(&r);
    rig_open_with(&r, (hub_host){ .dialect = { LINEAGE_REDIS, 702, 0 } });
    send_to(&r, 0, "CLIENT SETNAME \" \\x00b\"\r\n");
    heard(&r, 0, refused);
    send_to(&r, 0, "CLIENT SETINFO lib-ver \"1\\x00 \"\r\nCLIENT SETNAME \"a\\x00 \"\r\n");
    heard(&r, 0, "+OK\r\n+OK\r\n");
    send_to(&r, 0, "CLIENT GETNAME\r\n");
    assert_int_equal(r.said[0].n, 9);
    assert_memory_equal(r.said[0].p, "$3\r\na\0 \r\n", 9);
    send_to(&r, 1, "CLIENT LIST\r\n");
    assert_non_null(strstr(r.said[1].p, " name=a age="));
    assert_non_null(strstr(r.said[1].p, " lib-ver=1\n"));
    rig_close(&r);
}

/* What was loaded is encoded as if it had been set. */
static void reload_encodes_strings_anew(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "SETRANGE k 0 12\r\nOBJECT ENCODING k\r\nDEBUG RELOAD\r\nOBJECT ENCODING k\r\n");
    heard(&r, 0, ":2\r\n$3\r\nraw\r\n+OK\r\n$3\r\nint\r\n");
    rig_close(&r);
}

/* The sums are those of a real server (Redis 7.0.15), and an empty one has none. */
static void what_keys_hold_has_a_digest(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "SET a 1\r\nDEBUG DIGEST\r\nDEBUG DIGEST-VALUE a b\r\nDEL a\r\nDEBUG DIGEST\r\n"
            "SET a 1 PX 99\r\nDEBUG DIGEST-VALUE a\r\n");
    heard(&r, 0, "+OK\r\n+943d800368fb9c0e951138f1bc0e313ac769d91f\r\n*2\r\n"
          "+b4fc66738120fba0b5aa500ab5c2bf89cea1c5da\r\n"
          "+0000000000000000000000000000000000000000\r\n:1\r\n+0000000000000000000000000000000000000000\r\n"
          "+OK\r\n*1\r\n"
          "+5279988c5d1911f474bcbbf2f0a87012d40f8459\r\n");
    rig_close(&r);
}

/* A master of one user, without modules, in which nothing takes time. */
static void what_there_is_nothing_of_is_told(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "REPLICAOF NO ONE\r\nREPLICAOF a 1\r\nMODULE LIST\r\nACL WHOAMI\r\nSLOWLOG GET 5\r\nSLOWLOG LEN\r\n"
            "LATENCY RESET\r\n");
    heard(&r, 0, "+OK\r\n-ERR locksim refuses 'REPLICAOF': it is one server and never a replica\r\n*0\r\n$7\r\n"
          "default\r\n*0\r\n:0\r\n:0\r\n");
    rig_close(&r);
}

/* Property: a key is idle since it was last read or written; TTL, TYPE, EXISTS and OBJECT do not use it, nor does a
 * client after NO-TOUCH, but for TOUCH. */
static void keys_are_idle_until_they_are_used(void **state)
{
    (void)state;
    static const struct { const char *command, *idle; } row[] = {
        { "TTL k", ":7\r\n" }, { "TYPE k", ":7\r\n" }, { "EXISTS k", ":7\r\n" }, { "OBJECT ENCODING k", ":7\r\n" },
        { "DEBUG OBJECT k", ":7\r\n" }, { "GET k", ":0\r\n" }, { "TOUCH k", ":0\r\n" }, { "SET k w", ":0\r\n" },
        { "APPEND k x", ":0\r\n" }, { "EVAL \"return redis.call('ttl','k')\" 0", ":7\r\n" },
        { "EVAL \"return redis.call('get','k')\" 0", ":0\r\n" },
        { "EVAL \"return redis.call('restore','k',0,redis.call('dump','k'),'replace','idletime',30)\" 0", ":30\r\n" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        rig r;
        rig_open_with(&r, (hub_host){ .dialect = { .lineage = LINEAGE_REDIS, .version = 800 } });
        send_to(&r, 0, "SET k v\r\nCLOCK ADVANCE 7999\r\n");
        send_to(&r, 0, row[i].command);
        send_to(&r, 0, "\r\n");
        buf_clear(&r.said[0]);
        send_to(&r, 0, "OBJECT IDLETIME k\r\n");
        heard(&r, 0, row[i].idle);
        buf_clear(&r.said[0]);
        send_to(&r, 1, "CLIENT NO-TOUCH ON\r\nCLOCK ADVANCE 9000\r\nGET k\r\n");
        send_to(&r, 0, "OBJECT IDLETIME k\r\n");
        assert_true(r.said[0].n > 1 && r.said[0].p[1] != '0');
        buf_clear(&r.said[0]);
        send_to(&r, 1, "TOUCH k\r\n");
        send_to(&r, 0, "OBJECT IDLETIME k\r\n");
        heard(&r, 0, ":0\r\n");
        rig_close(&r);
    }
}

/* Property: nothing takes time but DEBUG SLEEP: that is slow, and a delay, from its length on. */
static void what_slept_was_slow(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "CONFIG SET slowlog-log-slower-than 200000 latency-monitor-threshold 300\r\nDEBUG SLEEP "
                   "0.199\r\nPING\r\n"
            "SLOWLOG LEN\r\nLATENCY LATEST\r\nDEBUG SLEEP 0.2\r\nSLOWLOG LEN\r\nLATENCY LATEST\r\n");
    heard(&r, 0, "+OK\r\n+OK\r\n+PONG\r\n:0\r\n*0\r\n+OK\r\n:1\r\n*0\r\n");
    buf_clear(&r.said[0]);
    send_to(&r, 0, "DEBUG SLEEP 0.3\r\nDEBUG SLEEP 0.4\r\nDEBUG SLEEP 0.5\r\nLATENCY LATEST\r\nLATENCY HISTORY "
                   "command\r\n"
            "LATENCY HISTORY other\r\nLATENCY RESET other command\r\nLATENCY LATEST\r\nSLOWLOG GET 1\r\n");
    heard(&r, 0, "+OK\r\n+OK\r\n+OK\r\n*1\r\n*4\r\n$7\r\ncommand\r\n:1001\r\n:500\r\n:500\r\n*2\r\n*2\r\n:1000\r\n"
                 ":300\r\n"
          "*2\r\n:1001\r\n:500\r\n*0\r\n:1\r\n*0\r\n*1\r\n*6\r\n:3\r\n:1001\r\n:500000\r\n*3\r\n$5\r\nDEBUG\r\n"
          "$5\r\nSLEEP\r\n"
          "$3\r\n0.5\r\n$5\r\nfar:1\r\n$0\r\n\r\n");
    rig_close(&r);
}

/* Property: a server that is asked to save has saved, and says how often and when. */
static void what_was_saved_is_told(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "LASTSAVE\r\nCLOCK ADVANCE 5000\r\nSAVE\r\nBGSAVE\r\nBGREWRITEAOF\r\nLASTSAVE\r\nMULTI\r\nBGSAVE\r\n"
            "BGREWRITEAOF\r\nEXEC\r\n");
    heard(&r, 0, ":1000\r\n:1005000\r\n+OK\r\n+Background saving started\r\n+Background append only file rewriting "
          "started\r\n:1005\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+Background saving scheduled\r\n+Background "
          "append only file "
          "rewriting scheduled\r\n");
    send_to(&r, 0, "INFO persistence\r\n");
    assert_non_null(strstr(r.said[0].p, "rdb_last_save_time:1005\r\n"));
    assert_non_null(strstr(r.said[0].p, "rdb_saves:3\r\n"));
    assert_non_null(strstr(r.said[0].p, "aof_rewrites:2\r\n"));
    rig_close(&r);
}

/* Property: where memory is short keys go as the policy says, until there is enough; a write is refused only when
 * none is left that may go. */
static void keys_go_where_memory_is_short(void **state)
{
    (void)state;
    static const struct { const char *policy, *gone; } row[] = {
        { "noeviction", "" }, { "allkeys-lru", "b" }, { "volatile-lru", "c" }, { "volatile-ttl", "d" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        rig r;
        rig_open(&r, false);
        send_to(&r, 0, "SET a 1\r\nSET b 1\r\nSET c 1 PX 90000\r\nSET d 1 PX 80000\r\nCLOCK ADVANCE 2000\r\nGET "
                       "a\r\nCLOCK ADVANCE "
                "1\r\nGET d\r\nCONFIG SET notify-keyspace-events Ee maxmemory-policy ");
        send_to(&r, 0, row[i].policy);
        send_to(&r, 1, "PSUBSCRIBE __key*\r\n");
        buf_clear(&r.said[1]);
        send_to(&r, 0, "\r\n");
        send_to(&r, 2, "INFO memory\r\n");
        size_t used = 0;
        assert_int_equal(sscanf(strstr(r.said[2].p, "used_memory:"), "used_memory:%zu", &used), 1);
        char set[64];
        snprintf(set, sizeof set, "CONFIG SET maxmemory %zu\r\n", used + 1048576 - 1);
        send_to(&r, 0, set);
        buf_clear(&r.said[0]);
        send_to(&r, 0, "SET a 2\r\n");
        heard(&r, 0, row[i].gone[0] ? "+OK\r\n" : "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
        char told[200] = "";
        if (row[i].gone[0])
            snprintf(told, sizeof told, "*4\r\n$8\r\npmessage\r\n$6\r\n__key*\r\n$22\r\n__keyevent@0__:evicted\r\n"
                                        "$1\r\n%s\r\n",
                     row[i].gone);
        heard(&r, 1, told);
        buf_clear(&r.said[0]);
        send_to(&r, 0, "CONFIG SET maxmemory 1\r\nSET a 2\r\nDBSIZE\r\n");
        heard(&r, 0, i == 0 ? "+OK\r\n-OOM command not allowed when used memory > 'maxmemory'.\r\n:4\r\n"
              : i == 1 ? "+OK\r\n-OOM command not allowed when used memory > 'maxmemory'.\r\n:0\r\n"
              : "+OK\r\n-OOM command not allowed when used memory > 'maxmemory'.\r\n:2\r\n");
        rig_close(&r);
    }
}

/* Property: maxclients turns the next one away, and nobody who is there. */
static void no_more_clients_than_said(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "CONFIG SET maxclients 5\r\n");
    buf said = { 0 };
    hub_client *fifth = hub_open(r.h, &said, S("far:1"), S("near:2"));
    assert_non_null(fifth);
    assert_null(hub_open(r.h, &said, S("far:1"), S("near:2")));
    hub_close(fifth);
    fifth = hub_open(r.h, &said, S("far:1"), S("near:2"));
    assert_non_null(fifth);
    send_to(&r, 0, "CONFIG SET maxclients 1\r\nPING\r\n");
    heard(&r, 0, "+OK\r\n+OK\r\n+PONG\r\n");
    rig_close(&r);
}

static void clients_are_listed_and_counted(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "CLIENT SETNAME me\r\n");
    send_to(&r, 1, "CLOCK ADVANCE 7000\r\n");
    buf_clear(&r.said[0]);
    send_to(&r, 0, "CLIENT LIST ID 1\r\n");
    assert_non_null(strstr(r.said[0].p, "id=1 addr=far:1 laddr=near:2 fd=8 name=me age=7 idle=0 flags=N db=0"));
    buf_clear(&r.said[0]);
    send_to(&r, 0, "INFO clients\r\n");
    assert_non_null(strstr(r.said[0].p, "connected_clients:4\r\n"));
    rig_close(&r);
}

/* Property: what ran, was rejected and failed is counted once, also within scripts, until CONFIG RESETSTAT. */
static void commands_and_errors_are_counted(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "cmdstat_get:calls=1,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0\r\n",
        "cmdstat_incr:calls=3,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=3\r\n",
        "cmdstat_eval:calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1\r\n",
        "errorstat_ERR:count=2\r\nerrorstat_WRONGTYPE:count=3\r\n", "total_error_replies:5\r\n",
    };
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "CONFIG RESETSTAT\r\nGET k\r\nGET\r\nNOSUCH\r\nRPUSH l a\r\nINCR l\r\n"
            "EVAL \"redis.pcall('INCR', 'l') return redis.call('INCR', 'l')\" 0\r\n");
    buf_clear(&r.said[0]);
    send_to(&r, 0, "INFO all\r\n");
    for (size_t i = 0; i < COUNT(lines); i++)
        if (!strstr(r.said[0].p, lines[i]))
            fail_msg("INFO does not tell %s", lines[i]);
    buf_clear(&r.said[0]);
    send_to(&r, 0, "CONFIG RESETSTAT\r\nINFO errorstats\r\n");
    heard(&r, 0, "+OK\r\n$14\r\n# Errorstats\r\n\r\n");
    rig_close(&r);
}

/* What sessions.c cannot compare: the real server's timers end keys and look for too many of them. */
static void who_tracks_is_told_of_what_the_server_does(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, false);
    send_to(&r, 0, "HELLO 3\r\nCLIENT TRACKING ON\r\nCLIENT TRACKINGINFO\r\n");
    send_to(&r, 1, "HELLO 3\r\nCLIENT TRACKING ON BCAST PREFIX k\r\n");
    send_to(&r, 2, "SET k v PX 20\r\nSET other v PX 20\r\n");
    for (size_t i = 0; i < 3; i++)
        buf_clear(&r.said[i]);
    send_to(&r, 0, "GET k\r\nGET other\r\n");
    heard(&r, 0, "$1\r\nv\r\n$1\r\nv\r\n");
    send_to(&r, 2, "CLOCK ADVANCE 21\r\n");
    heard(&r, 0, ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$5\r\nother\r\n");
    heard(&r, 1, ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n");
    send_to(&r, 2, "CONFIG SET tracking-table-max-keys 2\r\n");
    send_to(&r, 0, "MGET a b\r\n");
    heard(&r, 0, "*2\r\n_\r\n_\r\n");
    send_to(&r, 0, "MGET b c\r\n");
    heard(&r, 0, "*2\r\n_\r\n_\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n");
    hub_close(r.c[0]);                             /* with keys that it has read */
    r.c[0] = NULL;
    buf_clear(&r.said[2]);
    send_to(&r, 2, "MSET b 1 c 2 k 3\r\n");
    heard(&r, 2, "+OK\r\n");
    heard(&r, 1, ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_tracks_is_told_of_what_the_server_does),
        cmocka_unit_test(what_is_sent_behind_a_wait_is_run_when_it_ends),
        cmocka_unit_test(who_goes_leaves_the_queue),
        cmocka_unit_test(time_that_goes_by_itself_ends_waits_and_keys),
        cmocka_unit_test(many_keys_are_looked_at_once),
        cmocka_unit_test(a_script_may_run_for_long),
        cmocka_unit_test(who_does_not_read_waits),
        cmocka_unit_test(who_never_reads_is_dropped),
        cmocka_unit_test(a_script_without_end_is_killed),
        cmocka_unit_test(a_match_without_end_is_killed),
        cmocka_unit_test(who_sent_it_may_go),
        cmocka_unit_test(a_script_is_busy_after_its_time),
        cmocka_unit_test(a_pause_keeps_requests_in_their_order),
        cmocka_unit_test(a_pause_keeps_what_expires),
        cmocka_unit_test(a_pause_ends_by_the_machines_clock),
        cmocka_unit_test(killed_clients_go_and_others_stay),
        cmocka_unit_test(a_killed_client_takes_and_hears_nothing_more),
        cmocka_unit_test(garbage_ends_its_own_connection_only),
        cmocka_unit_test(shutdown_stops_everybody),
        cmocka_unit_test(names_may_have_a_nul),
        cmocka_unit_test(reload_encodes_strings_anew),
        cmocka_unit_test(what_keys_hold_has_a_digest),
        cmocka_unit_test(what_there_is_nothing_of_is_told),
        cmocka_unit_test(keys_are_idle_until_they_are_used),
        cmocka_unit_test(what_slept_was_slow),
        cmocka_unit_test(what_was_saved_is_told),
        cmocka_unit_test(keys_go_where_memory_is_short),
        cmocka_unit_test(no_more_clients_than_said),
        cmocka_unit_test(clients_are_listed_and_counted),
        cmocka_unit_test(commands_and_errors_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
