# serve.sh - `locksim serve` as clients meet it: over a socket, over standard input, and its clock.

# Starts a server on the socket `s` here and waits for the line that says so; `over` takes it down and leaves $status.
serve() {
    : > "$out"                         # or what the last one said would be taken for this one's word
    timeout -k 5 600 "$LOCKSIM" serve --unix s "$@" > "$out" 2> "$err" &
    server=$!
    until grep -q '^listening on s$' "$out" || ! kill -0 $server 2> /dev/null; do sleep 0.02; done
}
over() { status=0; kill "-${1:-TERM}" $server 2> /dev/null; wait $server || status=$?; }
cli() { timeout 120 redis-cli -s s "$@"; }
says() { local wanted=$1; shift; [ "$(cli "$@")" = "$wanted" ]; }

serve --clock manual
check "the place is told" out_has "listening on s"
check "a key is set" says OK set k v px 30000
check "time stands still" says 30000 pttl k
check "the clock is moved" says 1700000030000 clock advance 30000
check "a key lives through its deadline" says v get k
check "DEBUG SLEEP moves it" says OK debug sleep 0.001
check "to here" says 1700000030001 clock get
check "what expired is gone at once" says 0 dbsize
check "the clock is set back" says 5 clock set 5
check "and refuses what is no time" says "ERR value is not an integer or out of range" clock set x
cli monitor > monitored &
monitor=$!
until grep -q OK monitored; do sleep 0.02; done
check "a script is asked" says OK eval "return redis.call('set', KEYS[1], ARGV[1], 'px', '900')" 1 L "a b"
until grep -q lua monitored; do sleep 0.02; done
kill $monitor 2> /dev/null
wait $monitor 2> /dev/null
check "MONITOR tells it, and what it ran" test "$(sed 's/^[0-9.]* //; s/unix:[^]]*/U/' monitored | tail -n 1)" = \
    '[0 lua] "set" "L" "a b" "px" "900"'
"$LOCKSIM" trace monitored > traced 2>&1
check "in lines that trace reads" bash -c 'grep -q "^VACUOUS" traced && ! grep -q "bad lines" traced'
check "a hash is made" says 1 hset h a 1
check "a hash is a map in RESP3" says '1# "a" => "1"' -3 --no-raw hgetall h
cli blpop q 0 > popped &
popper=$!
until [ "$(cli info clients | tr -d '\r' | sed -n 's/^blocked_clients://p')" = 1 ]; do sleep 0.02; done
check "a pop waits until a client pushes" says 1 rpush q x
wait $popper
check "and gets it" test "$(tr '\n' ' ' < popped)" = "q x "
cli blpop q 5 > popped &
popper=$!
until [ "$(cli info clients | tr -d '\r' | sed -n 's/^blocked_clients://p')" = 1 ]; do sleep 0.02; done
check "time goes by where it is told" says 5006 clock advance 5001
wait $popper
check "the pop's time is up" test "$(cat popped)" = ""
cli xread block 0 streams log '$' > read &
reader=$!
until [ "$(cli info clients | tr -d '\r' | sed -n 's/^blocked_clients://p')" = 1 ]; do sleep 0.02; done
check "a reader waits until a client adds to its stream" says 1-0 xadd log 1-0 a b
wait $reader
check "and is told what" test "$(tr '\n' ' ' < read)" = "log 1-0 a b "
check "who wants to know of keys says so" says OK config set notify-keyspace-events Egx
stdbuf -oL redis-cli -s s psubscribe '__keyevent@0__:*' > heard &
hearer=$!
until [ "$(cli pubsub numpat)" = 1 ]; do sleep 0.02; done
check "a key that will expire" says OK set soon v px 10
check "and one that is deleted" says OK set gone v
check "... is gone" says 1 del gone
check "the other's time comes" says 5017 clock advance 11
until grep -q soon heard; do sleep 0.02; done
kill $hearer
wait $hearer 2> /dev/null
check "both were told, each by its event" test \
    "$(grep -A1 -E '^__keyevent@0__:(del|expired)$' heard | grep -v '^--' | tr '\n' ' ')" = \
    "__keyevent@0__:del gone __keyevent@0__:expired soon "
check "the keys of SORT are its key and where it stores" test \
    "$(cli command getkeys sort a by nosort store b | tr '\n' ' ')" = "a b "
check "scores that are no places" says 4 zadd places -300 a 1e300 b inf c -inf d
check "... are some place, and end nothing" test "$(cli geopos places a b c d | wc -l)" = 8
check "... are deleted" says 1 del places
check "no log of changes is kept" says "ERR locksim keeps no log of changes: CONFIG SET appendonly yes first" \
    debug loadaof
check "but one may be asked for" says OK config set appendonly yes
check "a value to be logged" says OK set logged v px 40
check "the log is read again" says OK debug loadaof
check "and has brought it back" says v get logged
check "with its deadline" says 40 pttl logged
check "INFO tells of the log" bash -c "redis-cli -s s info persistence | tr -d '\r' | grep -qx aof_enabled:1"
check "no log again" says OK config set appendonly no
check "scripts run long soon" says OK config set busy-reply-threshold 50
cli eval 'while true do end' 0 > looped 2>&1 &
looper=$!
until says "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE." get k ||
    ! kill -0 $looper 2> /dev/null; do sleep 0.02; done
check "a script without end is killed" says OK script kill
wait $looper
check "and told so" grep -q '^ERR Script killed by user with SCRIPT KILL.* on @user_script:1\.$' looped
check "then all is as before" says PONG ping
cli eval "redis.call('set', 'k', 'w') while true do end" 0 > looped 2>&1 &
looper=$!
until cli get k | grep -q ^BUSY || ! kill -0 $looper 2> /dev/null; do sleep 0.02; done
check "one that has written is not killed" bash -c "redis-cli -s s script kill | grep -q ^UNKILLABLE"
over
ends 0 "SIGTERM, with a script in its midst"
wait $looper 2> /dev/null
check "the socket's file is gone" test ! -e s

serve --clock manual
check "a pause" says OK client pause 1000
cli append k x > later &
later=$!
check "the clock is not paused" says 1700000001000 clock advance 1000
check "... and ends it" says 1700000001001 clock advance 1
wait $later
check "what waited is answered" test "$(cat later)" = 1
over
ends 0 "SIGTERM after a pause"

serve
check "the real clock is not moved" says \
    "ERR this server's clock is the machine's: CLOCK needs \`locksim serve --clock manual\`" clock get
run serve --unix s
ends 64 "a socket that is in use"
check "the way out is told" err_has "another program listens there"
check "a wait ends by the clock" says "" blpop q 0.05
over INT
ends 0 "SIGINT"

# A signal as soon as the place is told, and a second one, as `timeout` sends it, while the server ends.
cat > twice.py <<'PY'
import signal, subprocess, sys, time
for i in range(100):
    server = subprocess.Popen([sys.argv[1], "serve", "--unix", "s"], stdout=subprocess.PIPE)
    server.stdout.readline()
    server.send_signal(signal.SIGINT)
    time.sleep(i * 1e-5)
    server.send_signal(signal.SIGINT)
    if server.wait():
        sys.exit("status %d with %d us between" % (server.returncode, i * 10))
PY
status=0
timeout 120 python3 twice.py "$LOCKSIM" > "$out" 2> "$err" || status=$?
ends 0 "two signals"
check "the socket's file is gone after two signals" test ! -e s

# A port that is free is found and told; the same one is in use then.
timeout -k 5 600 "$LOCKSIM" serve --port 0 > "$out" 2> "$err" &
server=$!
until grep -q '^listening on 127.0.0.1:[0-9]' "$out" || ! kill -0 $server 2> /dev/null; do sleep 0.02; done
port=$(sed -n 's/^listening on 127.0.0.1://p' "$out")
check "a free port is found" test \
    "$(timeout 120 redis-cli -p "$port" info server | tr -d '\r' | sed -n 's/^tcp_port://p')" = "$port"
run serve --port "$port"
ends 64 "a port that is in use"
check "the way out is told" err_has "another program listens there"
over
ends 0 "SIGTERM with a port"

# A file that a killed server left is no hindrance; any other file is not touched.
serve
kill -KILL "$(cli info server | tr -d '\r' | sed -n 's/^process_id://p')"
{ wait $server; } 2> /dev/null
check "a killed server leaves its file" test -S s
serve
check "the next one takes its place" says PONG ping
cli shutdown > /dev/null
status=0
wait $server || status=$?
ends 0 "SHUTDOWN"
echo precious > s
run serve --unix s
ends 64 "a file in the way"
check "it is still there" grep -q precious s
rm s

run serve --unix "$(printf '%0200d' 0)"
ends 64 "a path too long for a socket"
run serve --unix no/such/folder/s
ends 64 "a folder that is not there"
run serve --bind nowhere
ends 64 "an address that is none"
check "the way out is told" err_has "such as 127.0.0.1"
run serve --stdio --port 1
ends 64 "--stdio and a port"
run serve --start 5
ends 64 "--start with the real clock"
check "the way out is told" err_has "--clock manual"

status=0
printf 'SET a "b c"\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nCLOCK GET\r\n*x\r\nPING\r\n' |
    timeout 120 "$LOCKSIM" serve --stdio --clock manual --start 7 > "$out" 2> "$err" || status=$?
ends 0 "--stdio"
check "--stdio answers and ends with the garbage" out_is \
    '+OK\r\n$3\r\nb c\r\n:7\r\n-ERR Protocol error: invalid multibulk length\r\n'

status=0
printf 'CLOCK HELP\r\n' | timeout 120 "$LOCKSIM" serve --stdio --clock manual > "$out" 2> "$err" || status=$?
check "CLOCK HELP says what there is" out_has "ADVANCE <milliseconds>"

# Faults that a test asks for, and a server that ends with who started it.
cat > faults.py <<'PY'
import os, redis, redis.backoff, redis.retry, signal, subprocess, sys, time
# redis-py 6 sends again what was not answered, unless told otherwise.
never = redis.retry.Retry(redis.backoff.NoBackoff(), 0)
p = subprocess.Popen([sys.argv[1], "serve", "--port", "0", "--clock", "manual", "--exit-with-parent"], stdout=subprocess.PIPE)
port = int(p.stdout.readline().split(b":")[-1])
ctl = redis.Redis(port=port, decode_responses=True)
def client(**more): return redis.Redis(port=port, decode_responses=True, socket_timeout=0.3, retry=never, single_connection_client=True, **more)
a, b = client(), client()
assert ctl.execute_command("FAULT", "NEXT", "lose_reply", "COMMAND", "set") == "OK"
assert ctl.execute_command("FAULT", "LIST") == ["lose_reply COMMAND set"]
try:
    ctl.execute_command("FAULT", "NEXT", "lose_reply", "COMMAND", "evlsha")
    raise AssertionError("a fault for a command that nobody can send")
except redis.ResponseError as e:
    assert "there is none of this one" in str(e), e
assert a.get("x") is None                                     # another command is answered
try:
    a.set("x", "1", nx=True)
    sys.exit("an answer that should be lost")
except redis.exceptions.TimeoutError:
    pass
assert ctl.get("x") == "1"                                    # it was executed
assert ctl.execute_command("FAULT", "LIST") == []             # and the fault is used up
assert b.set("y", "1") is True
number = b.client_id()
assert ctl.execute_command("FAULT", "NEXT", "lose_reply", "RESET", "CLIENT", number) == "OK"
assert ctl.get("y") == "1"                                    # another client is answered
try:
    b.connection.send_command("INCR", "y")
    b.connection.read_response()
    sys.exit("a connection that should be closed")
except redis.exceptions.ConnectionError:
    pass
assert ctl.get("y") == "2"
assert ctl.execute_command("FAULT", "NEXT", "lose_reply") == "OK"
assert ctl.execute_command("FAULT", "CLEAR") == 1
assert ctl.ping()
for wrong in (["FAULT"], ["FAULT", "NEXT"], ["FAULT", "NEXT", "crash"], ["FAULT", "NEXT", "lose_reply", "CLIENT", "x"],
              ["FAULT", "NEXT", "lose_reply", "TWICE"], ["FAULT", "LIST", "x"]):
    try:
        ctl.execute_command(*wrong)
        sys.exit("taken: " + " ".join(wrong))
    except redis.exceptions.ResponseError:
        pass
assert len(ctl.execute_command("FAULT", "HELP")) > 3
import threading
def start():
    global q
    q = subprocess.Popen([sys.argv[1], "serve", "--port", "0", "--exit-with-parent"], stdout=subprocess.PIPE)
    q.stdout.readline()
starter = threading.Thread(target=start)
starter.start()
starter.join()
time.sleep(0.3)
assert q.poll() is None                                       # its thread has ended, we have not
q.terminate()
assert q.wait() == 0
print(p.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)                          # and the server goes with us
PY
PYTHONPATH=/usr/lib/python3/dist-packages /usr/bin/python3 faults.py "$LOCKSIM" > "$out" 2> "$err"
status=$?
check "FAULT NEXT, LIST, CLEAR" test $status -eq 137
server=$(tail -n 1 "$out")
for _ in $(seq 100); do kill -0 "${server:-0}" 2> /dev/null || break; sleep 0.05; done
check "--exit-with-parent" test -n "$server" -a ! -e "/proc/$server/exe"
