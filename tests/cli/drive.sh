# drive.sh - `locksim drive` with real programs: shells around redis-cli, C programs, and python3-redis where Debian's
# is installed. Nothing here depends on how fast the machine is: time stands still until every program waits.
RUN_SECONDS_MAX=900
mkdir -p out
drive() { run drive -o out "$@"; }
if [ ! -r /proc/self/schedstat ]; then
    drive 'A=true'
    ends 64 "without /proc/self/schedstat nothing can be driven"
    check "and it says so" err_has "schedstat"
    echo "drive: this machine has no /proc/self/schedstat: the rest is skipped"
    return
fi

# ---- redis-cli below a shell: the launcher is followed ----
cat > shell.sh <<'SH'
until [ "$(redis-cli set lock "$1" nx px 10000)" = OK ]; do sleep 1; done
redis-cli echo enter > /dev/null
redis-cli echo leave > /dev/null
[ "$(redis-cli get lock)" = "$1" ] && redis-cli del lock > /dev/null
exit 0
SH
cat > open.sh <<'SH'
redis-cli setnx stock 1 > /dev/null
redis-cli echo enter > /dev/null
redis-cli echo leave > /dev/null
SH
drive --same --runs 3 'A=sh shell.sh a' 'B=sh shell.sh b'
ends 0 "redis-cli below sh"
check "its runs are identical" out_has "3 of 3 runs of seed 1 are identical"
drive --runs 4 'A=sh open.sh' 'B=sh open.sh'
ends 1 "no lock at all"
check "two inside" out_has "strict_mutual_exclusion  LK002"
check "a key that nobody takes back" out_has "LK031"
check "the story is saved" test -s out/drive.LK002.lua -a -s out/drive.LK002.svg
cp "$out" first
drive --runs 4 'A=sh open.sh' 'B=sh open.sh'
check "the same again, byte for byte" cmp -s first "$out"
run replay out/drive.LK002.lua
ends 1 "a replay breaks the same property"
check "and says which" out_has "LK002"
cp "$out" first
run replay out/drive.LK002.lua
check "a replay is the same again" cmp -s first "$out"
run replay out/drive.LK002.lua --format json
ends 1 "a replay as JSON"
sed 's/"A.echo",.*/"A.nothing",/' out/drive.LK002.lua > out/changed.lua
run replay out/changed.lua
ends 65 "a schedule that does not fit"
check "names the step" out_has "A.nothing, does not fit"
check "says what is possible" out_has "possible here: "
drive --schedule 'A.setnx A<answer' 'A=sh open.sh'
check "a schedule is followed" out_has "LK031"

# ---- C programs ----
cat > sleeper.c <<'C'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <string.h>
#include <stdlib.h>
#include <arpa/inet.h>
#include <sys/socket.h>
static void say(const char *line) { if (write(1, line, strlen(line)) < 0) exit(1); }
int main(int argc, char **argv)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char room[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        return 1;
    for (;;) {
        dprintf(fd, "set lock %s nx px 500\r\n", argv[1]);
        if (read(fd, room, sizeof room) <= 0)
            return 1;
        if (room[0] == '+')
            break;
        if (argc > 2 && strcmp(argv[2], "busy") == 0)
            continue;
        usleep(100000);
    }
    say("enter\n");
    sleep(argc > 2 && strcmp(argv[2], "long") == 0);
    say("leave\n");
    dprintf(fd, "del lock\r\n");
    return read(fd, room, sizeof room) <= 0;
}
C
check "the C program compiles" gcc -O1 -o sleeper sleeper.c
drive --runs 10 'A=./sleeper a' 'B=./sleeper b'
ends 0 "a lock in C"
drive --runs 10 'A=./sleeper a long' 'B=./sleeper b long'
ends 1 "work beyond the lease"
check "is told" out_has "both believe they hold"
drive --runs 8 'A=./sleeper a long' 'B=./sleeper b busy'
ends 1 "a loop of requests in zero time"
check "is busy waiting" out_has "no_busy_wait  LK051"
drive --runs 100 --faults pause=1 'A=./sleeper a' 'B=./sleeper b' 'C=./sleeper c'
ends 1 "a release without comparison, by a pause beyond the lease"
check "is found" out_has "LK002"
cp "$out" first
drive -j 1 --runs 100 --faults pause=1 'A=./sleeper a' 'B=./sleeper b' 'C=./sleeper c'
check "as many runs side by side as there are, the result is the same" cmp -s first "$out"
# By the server's account: what the programs print does not matter.
drive --runs 10 --lock redis_py.lock 'A=./sleeper a' 'B=./sleeper b'
ends 0 "a lock by the server's account"
drive --runs 40 --lock redis_py.lock --faults pause=1 'A=./sleeper a' 'B=./sleeper b' 'C=./sleeper c'
ends 1 "a release without comparison, by the server's account"
check "two were promised it" out_has "mutual_exclusion  LK001"
check "a hold was taken away, and by whom" grep -qE '^  [ABC] \(del\) took away the hold of [ABC]' "$out"
cp "$out" first
run replay out/drive.LK003.lua
ends 1 "the story knows its table"
check "and breaks the same" out_has "LK003"
cat > table.lua <<'LUA'
return {
  acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = { "DEL", "$lock" },
  granted = "OK", wait = "sleep", retry_ms = 100, lease_ms = 500, holder = "string value",
}
LUA
drive --runs 2 --lock table.lua 'A=./sleeper a'
ends 0 "a table of generic.lock"
drive --lock no_such.lua 'A=./sleeper a'
ends 65 "a table that is not there"
drive --lock redis_py.lock --lock redisson.lock 'A=./sleeper a'
ends 64 "two tables"

drive --runs 20 --strategy pct -v 'A=./sleeper a' 'B=./sleeper b'
ends 0 "PCT"
check "prints its guarantee" out_has "with a chance of at least"
drive --runs 15 --faults \
    crash=1,restart=1,lose_request=1,lose_reply=1,late_request=1,duplicate=1,wipe=1,evict=1,clock_jump=1,script_flush=1 \
    'A=./sleeper a' 'B=./sleeper b'
check "every fault: no error of ours" test "$status" -lt 3

# A replica that is without the last write: a lock is lost, unless its client has waited for the replica.
sed 's/^redis-cli echo leave/sleep 2; redis-cli echo leave/' shell.sh > slow.sh
sed 's/redis-cli set lock "$1" nx px 10000/printf "set lock $1 nx px 10000\\nwait 1 1000\\n" | redis-cli | tr "\\n" " "/
     s/= OK \]/= "OK 1 " ]/' slow.sh > acked.sh
drive --runs 60 --faults failover=1 'A=sh slow.sh a' 'B=sh slow.sh b'
ends 1 "a failover"
check "two inside" out_has "strict_mutual_exclusion  LK002"
check "by the write that is lost" out_has "lock gone"
run replay out/drive.LK002.lua
ends 1 "which is done again"
drive --runs 25 --faults failover=1 'A=sh acked.sh a' 'B=sh acked.sh b'
ends 0 "a write that a replica is known to have is not lost"
before='A.set A<answer A.echo A<answer B.set B<answer' after='+1000 B.wake B.set B<answer'
drive --faults failover=1 --schedule "$before !failover 1=0 $after" 'A=sh slow.sh a' 'B=sh slow.sh b'
ends 0 "a replica that has everything"
drive --faults failover=1 --schedule "$before !failover 1 $after B.echo" 'A=sh slow.sh a' 'B=sh slow.sh b'
ends 1 "and one that has not"

# A program that says that it is done, and waits until the server hangs up, does not wait for ever.
cat > polite.c <<'C'
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
int main(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char room[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 || write(fd, "set k v nx px 9\r\n", 17) != 17 || read(fd, room, sizeof room) <= 0)
        return 1;
    shutdown(fd, SHUT_WR);
    return read(fd, room, sizeof room) != 0;
}
C
gcc -o polite polite.c && drive --runs 3 'A=./polite' 'B=./polite'
ends 0 "who hangs up politely is hung up on"

# A client may wait for work for ever, and that is no mistake; one that waits for a lock that is never given back is stuck.
drive --runs 1 'A=sh -c "redis-cli set lock a nx px 100; redis-cli blpop work 0"'
ends 0 "a worker that waits for work"
drive --runs 1 -v 'A=sh -c "redis-cli set lock a nx px 100; redis-cli blpop work 0"'
check "is said to wait" out_has "A still waited for something in 1 of 1 runs"
drive --runs 1 'A=sh -c "redis-cli set lock a nx px 900; redis-cli set lock a nx px 900; redis-cli blpop handed 0"'
ends 1 "who was refused, and waits for a word that nobody sends"
check "is stuck" out_has "no_deadlock  LK011"

# A real wait ends late, so some programs (Ruby's sleep) wait on until their clock is past the end. Each length is kept
# to the millisecond, in a row of them, too.
cat > past.c <<'C'
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static struct timespec span(long long ns) { return (struct timespec){ ns / 1000000000, ns % 1000000000 }; }
static void by_poll(long long ns)
{
    struct timespec t = span(ns);
    ppoll(NULL, 0, &t, NULL);
}
static void by_sleep(long long ns)
{
    struct timespec t = span(ns);
    nanosleep(&t, NULL);
}
static void by_condition(long long ns)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec t = span(now() + ns);
    pthread_mutex_lock(&mutex);
    pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &t);
    pthread_mutex_unlock(&mutex);
}
int main(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int s = socket(AF_INET, SOCK_STREAM, 0);
    char answer[99];
    if (connect(s, (struct sockaddr *)&to, sizeof to) != 0)
        return 1;
    void (*const ways[])(long long) = { by_poll, by_sleep, by_condition };
    long long began = now();
    for (int i = 0; i < 30; i++) {
        long long end = now() + 20000000, left = 20000000;
        while (left >= 0) {
            ways[i % 3](left);
            left = end - now();
        }
        if (write(s, "SET k 1 PX 5\r\n", 14) != 14 || read(s, answer, sizeof answer) != 5)
            return 2;
    }
    long long end = now();
    while (now() <= end)                           /* no wait at all: the clock moves by being read */
        by_poll(0);
    return (now() - began) / 1000000 == 30 * 20 ? 0 : 3;
}
C
gcc -D_GNU_SOURCE -o past past.c && drive --runs 2 'A=./past'
check "who waits until the clock is past the end goes on in time" out_lacks "over and over"
ends 3 "and each of its waits has its length"

# ---- bad input ----
drive 'A=no_such_program'
ends 64 "a program that does not exist"
check "is named" err_has "there is no program 'no_such_program'"
drive 'A=true'
ends 3 "a program that never connects"
check "is vacuous" out_has "No program connected"
drive --runs 2 'A=sh -c "echo broken >&2; exit 7"'
ends 4 "a program that fails at once"
check "with its status and its last words" out_has "ended with status 7 in every run: broken"
drive --runs 2 'A=sh -c "sleep 1000"'
ends 3 "a program that only sleeps takes no time"
drive --runs 2 'A=head -c 5000 /dev/urandom'
ends 3 "a program that prints binary"
drive --runs 2 'A=sh -c "sleep 5 & sleep 6 & wait"'
ends 3 "a program that forks"
printf 'int main(void) { for (;;); }\n' > busy.c
gcc -O0 -o busy busy.c && drive --runs 1 --time-limit 1 'A=./busy'
ends 2 "a program that computes for ever"
check "the time limit is told" out_has "The time limit, 1 s, came first."
printf '#include <time.h>\nint main(void) { for (;;) time(NULL); }\n' > spin.c
gcc -O0 -o spin spin.c && drive --runs 1 'A=./spin'
ends 2 "a program that spins on the clock"
check "is told so" out_has "reads its clock over and over"
printf 'int main(void) { return 0; }\n' > static.c
if gcc -static -o static static.c 2> /dev/null; then
    drive 'A=./static'
    ends 64 "a static program"
    check "is refused by name" err_has "linked statically"
    drive --runs 1 'A=sh -c "./static; sleep 1"'
    check "a static program below a shell that is over is no harm" status_is 3
fi
drive 'A'
ends 64 "no command"
drive 'A=x "y'
ends 64 "an open quote"
drive 'A=true' 'A=true'
ends 64 "one name twice"
drive --faults lag=1 'A=true'
ends 64 "a fault that needs more than one replica"
drive --faults failover=1 --against x.lua 'A=true'
ends 64 "a failover against a driver"
drive --faults nonsense=1 'A=true'
ends 64 "a fault that is none"
for ports in 0 70000 6379, 6379,6379 1,2,3,4,5,6,7,8,9 redis; do
    drive --port "$ports" 'A=true'
    ends 64 "--port $ports"
    check "and it says what a list of ports is" err_has "6379,6380,6381 are three"
done

# ---- python3-redis ----
python=/usr/bin/python3
if $python -c 'import redis' 2> /dev/null; then
    cp "$ROOT"/tests/drive/*.py .
    drive --same --runs 5 "A=$python lock.py" "B=$python lock.py"
    ends 0 "redis-py's lock"
    check "runs are identical" out_has "5 of 5 runs of seed 1 are identical"
    drive --runs 4 "A=$python locks.py nothing" "B=$python locks.py nothing"
    ends 1 "Python without a lock"
    drive --runs 4 "A=$python locks.py good" "B=$python locks.py good"
    ends 0 "Python with a lock"
    drive --runs 3 "A=$python locks.py expiry_as_second_request" "B=$python locks.py expiry_as_second_request"
    ends 1 "expiry as a second request"
    check "is found" out_has "lease_set  LK031"
    drive --runs 20 --latency 2500 "A=$python locks.py lease_from_the_answer" "B=$python locks.py lease_from_the_answer"
    ends 1 "a lease counted from the answer"
    check "is found: two inside" out_has "LK002"
    drive --runs 10 --latency 2500 "A=$python locks.py lease_from_the_request" \
        "B=$python locks.py lease_from_the_request"
    ends 0 "the corrected worker, which counts from the request"
    drive --runs 5 "A=$python locks.py work_beyond_the_lease" "B=$python locks.py work_beyond_the_lease"
    ends 1 "work beyond the lease"
    drive --runs 40 --lock redis_py.lock --faults pause=1 "A=$python locks.py release_without_comparison" \
        "B=$python locks.py release_without_comparison"
    ends 1 "a release without comparison"
    check "is found: another's hold" out_has "LK003"
    drive --runs 12 --lock redis_py.lock --faults pause=1 "A=$python locks.py good" "B=$python locks.py good"
    ends 0 "the corrected worker compares"
    drive --same --runs 5 "A=$python threads.py" "B=$python threads.py"
    ends 0 "Python's threads"
    check "their order is a choice: runs are identical" out_has "5 of 5 runs of seed 1 are identical"
    drive --runs 3 "A=$python threads.py"
    ends 0 "a lock between threads"
    # Three servers: of a lock that most of them have to grant, and of one that is content with any.
    three="--port 6379,6380,6381"
    drive $three --runs 5 "A=$python majority.py" "B=$python majority.py"
    ends 0 "a lock over three servers"
    drive $three --same --runs 3 "A=$python majority.py" "B=$python majority.py"
    check "its runs are identical" out_has "3 of 3 runs of seed 1 are identical"
    drive $three --runs 10 "A=$python majority.py first" "B=$python majority.py first"
    ends 1 "its twin takes the first server's word"
    check "keys are told with their server" out_has '3: order:42 "'
    check "the ports are saved" grep -q '^  ports     = "6379,6380,6381",$' out/drive.LK002.lua
    run replay out/drive.LK002.lua
    ends 1 "a replay has the three servers again"
    drive $three --faults wipe=1 --schedule 'A.set B.set B<answer B.set A<answer A.set A<answer B<answer B.set !wipe 3
        B<answer A.set A<answer' "A=$python majority.py" "B=$python majority.py"
    ends 1 "a server that forgets breaks the majority"
    check "two inside" out_has "LK002"
    drive $three --faults wipe=1 --schedule 'A.set B.set B<answer B.set A<answer A.set A<answer B<answer B.set !wipe 1
        B<answer A.set A<answer' "A=$python majority.py" "B=$python majority.py"
    ends 0 "another one that forgets does not"
    drive --runs 2 "A=$python majority.py" "B=$python majority.py"
    ends 4 "with one port the other servers are not there"
    drive $three --against "$ROOT/tests/drive/careful.lua" "A=$python careful.py" "B=$python careful.py"
    ends 64 "three ports and a scenario of one server"
    check "which is said" err_has "it has 1 server, and --port names 3"
    drive --same --runs 3 "A=$python aio.py"
    ends 0 "asyncio"
    check "its runs are identical" out_has "3 of 3 runs of seed 1 are identical"
else
    echo "drive: python3-redis is not installed: its part is skipped"
fi

# ---- node, with its own sockets ----
if command -v node > /dev/null; then
    cp "$ROOT"/tests/drive/lock.js .
    drive --same --runs 4 'A=node lock.js' 'B=node lock.js'
    ends 0 "node"
    check "its runs are identical" out_has "4 of 4 runs of seed 1 are identical"
    drive --runs 4 'A=node lock.js' 'B=node lock.js'
    ends 0 "a lock in node"
else
    echo "drive: there is no node: its part is skipped"
fi

# ---- the JVM, with its own sockets ----
if command -v java > /dev/null && command -v javac > /dev/null &&
    javac -d . "$ROOT"/tests/drive/Lock.java > "$out" 2> "$err"; then
    drive --same --runs 3 'A=java -cp . Lock' 'B=java -cp . Lock'
    ends 0 "the JVM"
    check "its runs are identical" out_has "3 of 3 runs of seed 1 are identical"
    drive --runs 2 'A=java -cp . Lock' 'B=java -cp . Lock'
    ends 0 "a lock in Java"
else
    echo "drive: there is no JVM with a compiler: its part is skipped"
fi
