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
check "and a step with the line of the user's code, and that of the driver" \
    grep -q "A.acquire  $ROOT/scenarios/seeds/situations.lua:[0-9]*  in $ROOT/scripts/evaluate.lua:" "$out"
check "so is a task" grep -q "A:1 main  .*  $ROOT/scenarios/seeds/situations.lua:[0-9]*  in $ROOT/scripts/evaluate.lua:" "$out"

walk "$mine" <<'X'
A.start
nosuch
77
+99999999
A.acquire
X
ends 0 "bad lines"
check "a step that is not enabled changes nothing" out_has "acquire -> 1"
check "a name that nobody has is told" out_has "the schedule names 'nosuch'"
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

walk nosuch.lua < /dev/null
ends 65 "no such file"
walk "$ROOT/scenarios" < /dev/null
ends 65 "a folder"
printf 'go 5\nkeys\n' > lines
walk "$mine" < lines
cp "$out" first
walk "$mine" < lines
check "the same lines print the same bytes" cmp -s first "$out"
