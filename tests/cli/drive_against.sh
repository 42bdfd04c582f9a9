# drive_against.sh - `locksim drive --against`: real programs held against the drivers that stand for them. A C program
# needs nothing but a compiler; python3-redis is Debian's. (npm's libraries: tests/clients/drivers.sh.)
RUN_SECONDS_MAX=900
mkdir -p out
drive() { run drive -o out "$@"; }
if [ ! -r /proc/self/schedstat ]; then
    echo "drive_against: this machine has no /proc/self/schedstat: nothing can be driven"
    return
fi

# ---- a C program and a driver of four lines ----
cat > worker.c <<'C'
#include <stdio.h>
#include <unistd.h>
#include <string.h>
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
static char room[64];
static int fd;
/* Waits for an answer for a second; 0: none came. */
static int ask(const char *request)
{
    struct pollfd p = { .events = POLLIN };
    if (!fd) {
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379) };
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
            _exit(1);
    }
    p.fd = fd;
    if (write(fd, request, strlen(request)) < 0 || poll(&p, 1, 1000) != 1 || read(fd, room, sizeof room) <= 0) {
        close(fd);
        fd = 0;
    }
    return fd;
}
int main(int argc, char **argv)
{
    char set[64];
    (void)argc;
    snprintf(set, sizeof set, "set lock %s nx px 500\r\n", argv[1]);
    for (;;) {
        if (!ask(set))
            return 0;
        if (room[0] == '+')
            break;
        usleep(100000);
    }
    usleep(50000);
    ask("del lock\r\n");
    return 0;
}
C
check "the C program compiles" gcc -O1 -Wall -o worker worker.c
cat > worker.lua <<'LUA'
return {
  title      = "worker.c",
  clients    = { "A", "B" },
  timeout_ms = 1000,
  program = function(me)
    local reply, problem
    repeat
      reply, problem = me:call("SET", "lock", me.client, "NX", "PX", 500)
      if problem then return end
      if reply ~= "OK" then me:sleep(100) end
    until reply == "OK"
    me:sleep(50)
    me:call("DEL", "lock")
  end,
}
LUA
pair="A=./worker A"
drive --runs 20 --against worker.lua "$pair" 'B=./worker B'
ends 0 "a program and its driver"
check "are alike" out_has "of 20 runs: client, time, words and answer are the driver's"
cp "$out" first
drive -j 1 --runs 20 --against worker.lua "$pair" 'B=./worker B'
check "the same again, one after the other" cmp -s first "$out"
for fault in crash pause lose_request lose_reply late_request duplicate wipe evict clock_jump restart; do
    drive --runs 8 --faults $fault=1 --against worker.lua "$pair" 'B=./worker B'
    ends 0 "alike under $fault"
done
drive --runs 20 --latency 200 --faults pause=1,lose_reply=1 --against worker.lua "$pair" 'B=./worker B'
ends 0 "alike with slow answers"

# What is sent behind another request is sent then, though it is executed later.
cat > pipelined.c <<'C'
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void)
{
    static const char both[] = "set x 1\r\nset y 1\r\n";
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379) };
    char room[64];
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 || write(fd, both, strlen(both)) < 0)
        return 1;
    for (ssize_t all = 0, n; all < 10; all += n)
        if ((n = read(fd, room, sizeof room)) <= 0)
            return 1;
    return 0;
}
C
check "the second C program compiles" gcc -O1 -Wall -o pipelined pipelined.c
cat > pipelined.lua <<'LUA'
return {
  title   = "pipelined.c",
  clients = { "A" },
  program = function(me)
    local first, second = me:send("SET", { "x" }, { 1 }), me:send("SET", { "y" }, { 1 })
    first:wait()
    second:wait()
  end,
}
LUA
drive --runs 10 --latency 200 --against pipelined.lua A=./pipelined
ends 0 "two requests sent at once"

# A handshake takes no time, also where it is sent behind a request: neither does that one then.
sed 's/set y 1/script load return/; s/all < 10/all < 52/; s|    return 0;|    return write(fd, "set z 1\\r\\n", 9) < 0 \|\| read(fd, room, sizeof room) <= 0;|' pipelined.c > greeter.c
check "the third C program compiles" gcc -O1 -Wall -o greeter greeter.c
cat > greeter.lua <<'LUA'
return {
  title   = "greeter.c",
  clients = { "A" },
  program = function(me)
    me:call("SET", "x", 1)
    me:call("SET", "z", 1)
  end,
}
LUA
drive --runs 10 --latency 200 --against greeter.lua A=./greeter
ends 0 "a request with a handshake behind it"

# Each mistake in the driver is told side by side.
differs() { # WHAT SED-EXPRESSION PATTERN [OPTION...]: the driver changed so differs, and the result says how.
    sed "$2" worker.lua > wrong.lua
    check "$1: the driver was changed" sh -c '! cmp -s worker.lua wrong.lua'
    local what=$1 pattern=$3
    shift 3
    drive --runs 10 --against wrong.lua "$@" "$pair" 'B=./worker B'
    ends 1 "$what: is noticed"
    check "$what: it is said" out_has "$pattern"
}
differs "another retry delay" 's/sleep(100)/sleep(130)/' "at 0.100 s, the driver at 0.130 s"
differs "an earlier retry" 's/sleep(100)/sleep(70)/' "at 0.100 s, the driver at 0.070 s"
differs "another command" 's/me:call("DEL", "lock")/me:call("UNLINK", "lock")/' "has other words"
check "both are shown" out_has "UNLINK lock"
differs "another lease" 's/"PX", 500/"PX", 600/' "has other words"
differs "another owner" 's/me.client,/"x",/' "has other words"
differs "no release" '/DEL/d' "the driver nothing more"
differs "one request more" 's/    me:call("DEL", "lock")/&; me:call("GET", "lock")/' "the program nothing more"
again='s/if problem then return end//; s/if reply ~= "OK" then/if reply ~= "OK" and not problem then/'
differs "who asks again after a time-out" "$again" "driver" --faults lose_reply=1
# What the server answers differs only if the driver's server was asked for something else before.
drive --runs 10 --against worker.lua --format json "$pair" 'B=./worker B'
check "as JSON" python3 -c 'import json, sys
d = json.load(open(sys.argv[1])); assert d["differs"] is False and d["requests"] > 20' "$out"
sed 's/sleep(100)/sleep(130)/' worker.lua > wrong.lua
drive -v --runs 10 --against wrong.lua "$pair" 'B=./worker B'
schedule=$(sed -n "s/.*--schedule '\(.*\)'/\1/p" "$out")
drive --seed 1 --schedule "$schedule" --against wrong.lua "$pair" 'B=./worker B'
ends 1 "the schedule that is told differs, too"

# A driver that draws does what comes nearest to the program.
sed 's/me:sleep(100)/me:sleep(me:random { 30, 100, 170 })/' worker.lua > draws.lua
drive --runs 10 --against draws.lua "$pair" 'B=./worker B'
ends 0 "a driver that draws"
sed 's/me:sleep(100)/me:sleep(50, 150)/' worker.lua > ranges.lua
drive --runs 10 --against ranges.lua "$pair" 'B=./worker B'
ends 0 "a driver that sleeps between two lengths"
sed 's/me:sleep(100)/me:sleep(me:random { 30, 170 })/' worker.lua > draws.lua
drive --runs 10 --against draws.lua "$pair" 'B=./worker B'
ends 1 "a driver that never draws what the program does"

# ---- bad input ----
drive --against worker.lua 'A=./worker A'
ends 64 "a client of the scenario that is not driven"
check "its clients are named" err_has "its clients are A, B"
drive --against no_such.lua "$pair" 'B=./worker B'
ends 65 "a scenario that is not there"
sed 's/me:sleep(50)/error("no")/' worker.lua > broken.lua
drive --runs 3 --against broken.lua "$pair" 'B=./worker B'
ends 4 "a driver with an error"
check "it is located" out_has "broken.lua:"
drive --runs 2 --faults crash=1 --against worker.lua 'A=false' 'B=true'
ends 3 "programs that do nothing, with faults"
check "of which one fails: it is told how" out_has "A ended with status 1 in 2 of 2 runs"
drive --runs 2 --against worker.lua 'A=true' 'B=true'
ends 3 "programs that never connect"

# ---- python3-redis ----
python=/usr/bin/python3
if ! $python -c 'import redis' 2> /dev/null; then
    echo "drive_against: python3-redis is not installed: its part is skipped"
    return
fi
cp "$ROOT"/tests/drive/{lock,careful}.{py,lua} .
drive --runs 20 --against lock.lua "A=$python lock.py" "B=$python lock.py" "C=$python lock.py"
ends 0 "redis-py's lock and its driver"
drive --runs 20 --against careful.lua --latency 300 \
    --faults crash=1,pause=1,lose_request=1,lose_reply=1,late_request=1,duplicate=1,evict=1,script_flush=1 \
    "A=$python careful.py" "B=$python careful.py"
ends 0 "redis-py's lock and its driver, with faults and slow answers"
mkdir -p wrong/redis_py
sed 's/run(self, release, { token }, "release")/me:call("DEL", name)/' \
    "$ROOT"/scripts/redis_py/lock.lua > wrong/redis_py/lock.lua
check "the driver was changed" sh -c '! cmp -s "$0" wrong/redis_py/lock.lua' "$ROOT/scripts/redis_py/lock.lua"
drive --runs 5 --scripts wrong --against lock.lua "A=$python lock.py" "B=$python lock.py" "C=$python lock.py"
ends 1 "a driver that releases by DEL"
check "is told" out_has "DEL order:42"
sed 's/retry_ms = 100/retry_ms = 150/' lock.lua > slow.lua
drive --runs 5 --against slow.lua "A=$python lock.py" "B=$python lock.py" "C=$python lock.py"
ends 1 "a driver with another retry delay"
check "is told, too" out_has "at 0.100 s, the driver at 0.150 s"
# In "leave" B stands still, and dies: what the driver would have sent meanwhile is no difference.
drive --seed 76 --latency 300 --faults pause=1,crash=1 --against careful.lua --schedule 'B.set B<answer B.enter +150 +150
    A.set +100 +50 +25 A<answer +25 B.wake !pause B +225 !resume B A.wake A.set A<answer !crash B' \
    "A=$python careful.py" "B=$python careful.py"
ends 0 "a program that dies in a line"
