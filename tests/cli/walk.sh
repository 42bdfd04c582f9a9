# walk.sh - `locksim walk`: steps by number and by name, back and forward, what is shown, and a way that is saved and
# replayed.

walk() { status=0; timeout -k 5 60 "$LOCKSIM" walk "$@" > "$out" 2> "$err" || status=$?; }
mine=$ROOT/scenarios/seeds/simple_string.lua:contended_2

walk "$mine" <<'X'
next grant
keys
monitors
X
ends 0 "a scenario"
check "what can happen next is a numbered list" out_has "   2  B.start"
check "next goes on to the event" out_has 'acquire -> 1'
check "keys are shown with their time to live" out_has 'order:42 "A:1"  ttl 2000'
check "a lock is shown by its view" out_has "order:42  held by A:1 (1)  ttl 2000"
check "and that nothing is broken" out_has "nothing is broken so far"

walk "$mine" <<'X'
2
A.start
tasks
X
check "a number takes that step" out_has "B.start   start"
check "a name takes that step" out_has "A.start   start"
check "a task is shown with the line of its code" out_has "B:1 main"
check "and what it is about" out_has "A:1 main  waits for an answer (acquire)"
check "and a step with the line of the user's code, and that of the driver" \
    grep -q "A.acquire  $ROOT/scenarios/seeds/situations.lua:[0-9]*  in $ROOT/scripts/evaluate.lua:" "$out"
check "so is a task" grep -q "A:1 main  .*  $ROOT/scenarios/seeds/situations.lua:[0-9]*  in $ROOT/scripts/evaluate.lua:" "$out"

walk "$mine" <<'X'
A.start
moniters
nosuch
77
+99999999
A.acquire
X
ends 0 "bad lines"
check "a command that is nearly one is named" out_has "  or did you mean the command monitors?"
check "a step that is not enabled changes nothing" out_has "acquire -> 1"
check "a name that nobody has is told" out_has "the schedule names 'nosuch'"
check "and where names stand" out_has "  list shows the steps, help the commands"
check "a number beyond the list is told" out_has "there is no step 77"

walk "$mine" <<'X'
A.start
A.acquire
back 2
B.start
B.acquire
back
forward
save gone/there.lua
X
ends 0 "another way"
check "what was ahead is forgotten where another step is taken" out_has "B.acquire   acquire -> 1"
check "a way is saved" [ -s gone/there.lua ]
run replay gone/there.lua
ends 0 "the way that was saved"
check "broke nothing and breaks nothing" out_has "The whole schedule fits, and breaks nothing."
check "of a property nothing is said" out_lacks "LK001"
check "its story is that way" out_has 'order:42 "B:1"  ttl 2000'
walk gone/there.lua < /dev/null
check "walk goes on from it" out_has 'B.acquire   acquire -> 1'

walk "$ROOT/scenarios/tour/sleeper.lua" <<'X'
next refusal
next grant
!crash A
!crash Z
save crashed.lua
X
ends 0 "a fault beyond its budget"
check "happens" out_has "!crash A   !crash"
check "to nobody else" out_has "'!crash Z' is not enabled"
check "is saved with its budget" grep -qF 'faults    = "crash=1"' crashed.lua
run replay crashed.lua
check "and replayed" out_has "!crash"
check "where each step fits" [ "$status" -le 2 ]

run run "$ROOT/scenarios/tour/sleeper.lua" -o saved
story=$(ls saved/*LK010.lua)
walk "$story" <<'X'
back 1
monitors
X
ends 0 "a counterexample"
check "is gone through to its end, where it breaks" out_has "LK010 no_lost_wakeup"
check "one step before nothing is broken" out_has "nothing is broken so far"
check "and the queue, holder and waiter are shown" out_has "B:1  waits for order:42"

cat > raises.lua <<'L'
return { title = "raises", clients = { "A" }, program = function(me) me:call("PING") me:call("GET", "k") error("no") end }
L
walk raises.lua <<'X'
go 9
story
X
ends 0 "an error in the program"
check "is told with its place" out_has "raises.lua:1:"
check "and the world is as before it" out_has "A.ping"

mkdir there
printf 'save there\nsave there/../.\ngo\nsave here.lua\n' > lines
walk "$mine" < lines
ends 0 "save where something else lies"
check "is refused" out_has "there: error[usage]: cannot write: it is there, and is no file"
check "and the walk goes on" [ -s here.lua ]

# A file of another program's is not overwritten; a saved walk is.
echo 'return 1' > script.lua
printf 'save script.lua\ngo\nsave here.lua\n' > lines
walk "$mine" < lines
check "a file that no walk saved is kept" out_has "script.lua: error[usage]: is there, and is no saved way"
check "as it is" [ "$(cat script.lua)" = "return 1" ]
check "and one that a walk saved is saved again" out_has "saved here.lua"

# Nowhere to write is 74 as for every command, though the walk goes on: nobody takes an unsaved way for a saved one.
printf 'save /proc/no/x.lua\nsave later.lua\n' > lines
walk "$mine" < lines
ends 74 "save where no folder can be made"
check "is said as such" out_has "/proc/no: error[io]: cannot make this folder"
check "and the walk goes on" [ -s later.lua ]
printf 'save /proc/x.lua\n' > lines
walk "$mine" < lines
ends 74 "save where no file can be made"
run run "$ROOT/scenarios/tour/sleeper.lua" -o /proc/no
ends 74 "so it is for run"

printf 'next expiry\ntasks\n' > lines
walk "$mine" < lines
check "an event that never comes is told" out_has "at rest: without faults nothing is left to happen, and there was no expiry"
walk "${mine%:*}" < /dev/null
ends 65 "cases, and none is named"
check "one is named, as it is written" grep -q "name one, as in .*simple_string.lua:contended_2" "$err"

walk nosuch.lua < /dev/null
ends 65 "no such file"
walk "$ROOT/scenarios" < /dev/null
ends 65 "a folder"
printf 'go 5\nkeys\n' > lines
walk "$mine" < lines
cp "$out" first
walk "$mine" < lines
check "the same lines print the same bytes" cmp -s first "$out"

# On a terminal: lines are edited and laid out for its columns, also when these change; it is left as it was found.
cat > onterm.py <<'PY'
import fcntl, os, pty, re, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
def size(columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
def until(end):                        # what comes until it ends so, without what the editor shows of the line
    part = b""
    while not re.search(end, part, re.S):
        part += os.read(fd, 1)
    return re.search(end, part, re.S).group(1).decode().replace("\r\n", "\n")
size(80)
until(b"(.*)walk> $")
widest = []
for columns, keys, last in ((80, b"next mesx\x7fsage", b"sage"), (80, b"tasks", b"tasks"), (44, b"story", b"story"),
                            (80, b"\x1b[A", b"story")):
    size(columns)
    os.write(fd, keys + b"\r")
    lines = until(last + b"\r\n(.*\n)walk> $")
    widest.append(max(len(line) for line in lines.split("\n")) <= columns)
    sys.stdout.write(lines)
os.write(fd, b"go 4\x03" if os.environ.get("BREAK") else b"\x04")
while True:
    try:
        if not os.read(fd, 4096):
            break
    except OSError:
        break
way = os.waitpid(pid, 0)[1]
print("fits", widest, "ended", os.WIFSIGNALED(way) and os.WTERMSIG(way) or os.WEXITSTATUS(way))
PY
onterm() { status=0; timeout -k 5 60 /usr/bin/python3 onterm.py "$LOCKSIM" walk "$ROOT/scenarios/seeds/redisson_lock.lua:contended_2" > "$out" 2> "$err" || status=$?; }
onterm
ends 0 "on a terminal"
check "no line is wider than it, and Ctrl-D ends it" out_has "fits [True, True, True, True] ended 0"
check "backspace takes back" out_has 'message "0" on redisson_lock__channel:{order:42}'
check "the arrow brings the last line again" [ "$(grep -c '   1  0.000 s  A.start' "$out")" = 3 ]
BREAK=1 onterm
check "Ctrl-C ends it as a signal does" out_has "fits [True, True, True, True] ended 2"

# Where time may pass, an expiry is looked for that way first; a count is a number from 1 on.
cat > passes.lua <<'LUA'
local generic = require "generic"
local mine = generic.lock { acquire = { "SET", "$lock", "$owner", "NX", "PX", "$lease_ms" }, granted = "OK",
                            release = { "DEL", "$lock" }, lease_ms = 1000, retry_ms = 250 }
return { clients = { "A", "B" }, program = function(me)
  local lock = mine.lock(me, "l")
  if lock:acquire() then me:work() lock:release() end
end }
LUA
printf 'next grant\nnext expiry\n' > lines
run walk passes.lua < lines
check "next expiry: time passes over open work" out_has 'redis: l expired'
check "... and A has not gone on" out_has '1  A.work'
printf 'go -1\ngo abc\nback 0\nforward x\n' > lines
run walk passes.lua < lines
for what in -1 abc 0 x; do
    check "no count: $what" out_has "how many steps? A number from 1 on, not $what"
done
check "nothing has happened" out_lacks '0.000 s'
sed -i 's/"PX", "$lease_ms" }/}/; s/me:work()/me:work(10)/' passes.lua
printf 'next expiry\n' > lines
run walk passes.lua < lines
check "no key expires" out_has 'and there was no expiry'
