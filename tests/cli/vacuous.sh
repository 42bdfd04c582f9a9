# vacuous.sh - a pass in which no client was ever granted anything is none: status 3, with what acquire answered beside
# what was expected.

cat > string.lua <<'L'
local yes = 1                      -- no constant behind return: its text alone does not tell what it answers
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return yes end
return 0
L
cat > counted.lua <<'L'
if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[1], 1)
  redis.call('pexpire', KEYS[1], ARGV[2])
  return nil
end
return redis.call('pttl', KEYS[1])
L
cat > release.lua <<'L'
return redis.call('del', KEYS[1])
L
# Usage: scenario NAME ACQUIRE GRANTED FIELDS
scenario() {
    cat > "$1.lua" <<L
-- $1.lua: what the acquire script answers is not what \`granted\` expects.
local mine = require("generic").lock {
  acquire = "$2", release = "release.lua", granted = $3, wait = "sleep", retry_ms = 300, lease_ms = 5000,
  args = { acquire = { "\$owner", "\$lease_ms" }, release = { "\$owner" } },
}
return {
  title   = "$1",
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42")
    lock:acquire()
    lock:release()
  end,
  $4
}
L
}

scenario mismatch string.lua '"OK"' ''
run run mismatch.lua
ends 3 "no client is ever granted anything"
check "VACUOUS comes first" test "$(head -c 9 "$out")" = "VACUOUS  "
check "what acquire answered stands beside what is expected" out_has 'acquire answered 1 and 0; `granted` expects "OK"'
scenario mismatch string.lua '"OK"' 'explore = { random = 50 }, limits = { steps = 200 },'
run run mismatch.lua
ends 3 "... nor in random runs, all of which are cut"
scenario matching string.lua 1 ''
run run matching.lua
ends 0 "a client is granted the lock"

# The holder asks again and again, and is counted: states without end, which must not be searched for long.
scenario growing counted.lua '"OK"' 'faults = { pause = 1 },'
RUN_CPU_SECONDS=40 run run growing.lua --max-memory 256M
ends 3 "a count that grows without end"
check "it says the same" out_has 'acquire answered nil,'

# An expected break is no mistake of the table's.
scenario meant string.lua '"OK"' 'expect = { matches_spec = "violated", no_deadlock = "violated" },'
run run meant.lua
ends 0 "a lock that never says yes, as expected"

printf 'return { title = "t", clients = { "A", "B" }, program = function(me) me:sleep(10) end }\n' > idle.lua
run run idle.lua
ends 3 "a program that sends nothing"
check "it is said" out_has "the program did nothing: it sent no request"
printf 'return { title = "t", clients = { "A" }, program = function(me) me:call("PING") end }\n' > alone.lua
run run alone.lua
ends 0 "a program without a lock"
check "one client is said to be alone" out_has "note   one client with one thread: no other client asks for the lock"
printf 'return { title = "t", clients = { "A", "B" }, program = function(me) me:call("PING") end, expect = { fifo = "holds" } }\n' > named.lua
run run named.lua
ends 3 "a property of locks is named, and no client asks for one"
printf 'return { title = "t", clients = { "A" }, program = function(me) me:eval("return nosuch", {}, {}, { op = "acquire" }) end }\n' > sick.lua
run run sick.lua
ends 1 "a script that fails is a failure"

# must_see: a renewal is what the client says it is, by any of its names; one that is only asked for has not been seen.
for op in renew extend extend_all get; do
    cat > renewing.lua <<L
return {
  title    = "renewal",
  clients  = { "A" },
  program  = function(me)
    local holder = { op = "acquire", lock = "L", lease = 1000 }
    me:wants("L")
    if me:call("SET", "L", me.id, "NX", "PX", 1000, holder) then me:granted("L", { lease = 1000 }) end
    me:call("PEXPIRE", "L", 1000, { op = "$op", lock = "L" })
    me:call("DEL", "L", { op = "release", lock = "L" })
  end,
  must_see = { "renewal" },
}
L
    run run renewing.lua
    if [ "$op" = get ]; then ends 3 "no renewal by another name"; else ends 0 "a renewal called $op is seen"; fi
done

# A fault that is aimed at an operation which no request has would be left out of the search in silence.
for op in acquire acquir; do
    cat > aimed.lua <<L
return {
  title    = "aimed",
  clients  = { "A", "B" },
  program  = function(me)
    me:wants("L")
    if me:call("SET", "L", me.id, "NX", "PX", 1000, { op = "acquire", lock = "L", lease = 1000 }) then
      me:granted("L", { lease = 1000 })
    end
  end,
  faults = { lose_request = { 1, of = "B", op = "$op" } },
}
L
    run run aimed.lua
    if [ "$op" = acquire ]; then ends 0 "the fault struck"; else ends 3 "a fault that strikes nowhere"; fi
done
check "which fault" out_has 'reason lose_request at "acquir" of B never happened, which faults names'
check "and where" out_has 'no request to which lose_request could happen has the op "acquir" (aimed.lua:10:'

# A client that waits for an operation which never comes takes no part.
sed -e '/faults = /d' -e 's/"B" }/{ "B", after = "A.acquir" } }/' aimed.lua > absent.lua
run run absent.lua
ends 3 "a client that never starts"
check "which client" out_has 'reason B never started: "A.acquir" never happened'
sed -i 's/acquir"/acquire"/' absent.lua
run run absent.lua
ends 0 "... and one that does"

# A misspelt field of the view would be nil, and what is compared with nil holds for ever.
for field in holders ownr; do
    sed -e '/faults = /d' -e "s/^}\$/  always = function(view) return view.$field == nil or view.capacity == nil end,\n}/" \
        -e 's/me:wants("L")/me:observe("L", { view = function() return { holders = {} } end }) &/' aimed.lua > misspelt.lua
    run run misspelt.lua
    if [ "$field" = holders ]; then ends 0 "an invariant of the view"; else ends 4 "a field that no view has"; fi
done
check "which field, and where" out_has "misspelt.lua:10:44: error[driver]: a view has no field 'ownr'"

# Faults that are allowed and can strike nothing: told beside a pass, and no pass where that is all of them.
sed '/faults = /d' aimed.lua > plain.lua
for faults in 'failover = 1' 'failover = 1, pause = 1'; do
    sed "s/^}\$/  faults = { $faults },\n}/" plain.lua > idle.lua
    run run idle.lua
    case $faults in
        *pause*) ends 0 "a fault that strikes, and one that cannot" ;;
        *) ends 3 "no fault can strike"
           check "which one" out_has 'reason no fault could happen: faults names failover'
           check "what to do" out_has 'try    replicas = 1' ;;
    esac
done
check "it is told beside the pass" out_has 'note   of the faults that are allowed, these never happened: failover'

# Fencing is about tokens, and an order about clients that wait.
for expect in fencing fifo; do
    sed "s/^}\$/  expect = { $expect = \"holds\" },\n}/" plain.lua > named.lua
    run run named.lua
    ends 3 "$expect, and nothing that it is about"
done
sed -i 's/granted("L", {/& token = 1,/; s/expect = .*/expect = { fencing = "violated" },/' named.lua
run run named.lua
ends 0 "one token for both is judged"

# An invariant that nobody evaluates, and a client that comes when all is over.
sed 's/^}$/  always = function() return false end,\n}/' plain.lua > unasked.lua
run run unasked.lua
ends 3 "always, and no lock of which there is a view"
check "why" out_has 'reason always is expected, and no driver registered a lock (me:observe)'
sed -e 's/"B" }/{ "B", start_ms = 100 } }/' -e 's/^}$/  end_ms = 50,\n}/' plain.lua > late.lua
run run late.lua
ends 3 "a client that starts after the end"
check "which client" out_has 'reason B never started: the run ends before'
sed -i 's/end_ms = 50/end_ms = 100/' late.lua
run run late.lua
ends 0 "... and one that starts with it"
sed 's/^}$/  faults = { failover = 1 }, explore = { random = 20 },\n}/' plain.lua > sampled.lua
run run sampled.lua
ends 0 "a sample says less"
check "but tells it" out_has 'note   of the faults that are allowed, these never happened: failover'

# The clock of a client jumps, and it never looks at it; it does where another's jumps, too.
clocks() {
    printf 'return { clients = { "A", "B" }, faults = { %s }, program = function(me)\n  if me.client == "A" then me:now() end\n  me:call("SET", "k", 1)\nend }\n' "$1" > clocks.lua
    run run clocks.lua "${@:2}"
}
for option in '' --no-memo --no-fold; do
    clocks 'clock_jump = { 1, of = "B" }' $option
    ends 3 "a clock that nobody reads jumps $option"
    check "why $option" out_has 'cause  no client whose clock may jump ever looks at it (me:now) (clocks.lua:1:'
    clocks 'clock_jump = { 1, of = "A" }' $option
    ends 0 "... and one that is read $option"
done
clocks 'clock_jump = 1, pause = 1'
check "one of two clients reads its clock" out_lacks 'note  '
clocks 'clock_jump = { 1, of = "B" }, pause = 1'
ends 0 "another fault strikes"
check "it is told beside the pass" out_has \
    'note   of the faults that are allowed, these never happened: clock_jump (to no client that looks at its clock)'

# A server's clock jumps where no key has a time to live and nobody asks for the time; scripts are forgotten where none is
# called again.
servers() {
    printf 'return { clients = { "A", "B" }, faults = { %s }, program = function(me)\n  %s\nend }\n' "$1" "$2" > servers.lua
    run run servers.lua "${@:3}"
}
for option in '' --no-memo --no-fold; do
    servers 'server_clock_jump = 1' 'me:call("SET", "k", 1)' $option
    ends 3 "a server's clock that nobody reads jumps $option"
    check "why $option" out_has 'cause  no server whose clock may jump has a key with a time to live, or is asked for'
    servers 'server_clock_jump = 1' 'me:call("SET", "k", 1, "PX", 100)' $option
    ends 0 "... and that of a server with a time to live $option"
    servers 'server_clock_jump = 1' 'me:eval([[return redis.call("time")[1] ]], {}, {})' $option
    ends 0 "... and that of one which a script asks for the time $option"
    servers 'script_flush = 1' 'me:call("SET", "k", 1)' $option
    ends 3 "a server forgets scripts, and there is none $option"
    check "why $option" out_has 'cause  no script is called after a server forgot it'
    servers 'script_flush = 1' 'me:eval("return 1", {}, {}) me:eval("return 1", {}, {})' $option
    ends 0 "... and one that is called again $option"
done
servers 'script_flush = 1, crash = 1' 'me:call("SET", "k", 1)'
ends 0 "another fault strikes"
check "it is told beside the pass" out_has 'script_flush (to no script that was called again)'

# A client that sends nothing beside others that do; of equal clients all do.
printf 'return { clients = { "A", "B", "C" }, program = function(me)\n  if me.client == "A" then me:call("SET", "k", 1) end\nend }\n' > silent.lua
for option in '' --no-memo --no-fold '--runs 5'; do
    run run silent.lua $option
    ends 0 "two clients of three send nothing $option"
    check "which ones $option" out_has 'note   sent nothing to a server: client B, C'
done
sed -i 's/if .* then \(me:call.*\) end/\1/' silent.lua
run run silent.lua
check "all three send" out_lacks 'note  '

# Each client locks a name of its own: nobody is kept from anything, and a pass says so.
cat > own_names.lua <<'LUA'
local generic = require "generic"
local mine = generic.lock { acquire = { "SET", "$lock", "$owner", "NX", "PX", "$lease_ms" }, granted = "OK",
                            release = { "DEL", "$lock" }, lease_ms = 1000, retry_ms = 250 }
local function locks(name)
  return function(me)
    local lock = mine.lock(me, name(me))
    if lock:acquire() then me:work() lock:release() end
  end
end
return { title = "names", clients = { "A", "B" }, cases = {
  own    = { program = locks(function(me) return "order:" .. me.id end) },
  listed = { program = locks(function(me) return "order:" .. me.id:sub(1, 1) end), faults = { pause = 1 } },
  one    = { program = locks(function() return "order:42" end) },
} }
LUA
apart='no two clients ask for the same lock ("order:A:1" is asked for by A alone, "order:B:1" by B)'
for how in '' --no-memo --no-symmetry '--runs 100'; do
    # shellcheck disable=SC2086
    run run own_names.lua:own $how
    ends 0 "locks of its own each${how:+, }$how"
    check "... is told${how:+, }$how" out_has "$apart"
done
run run own_names.lua:own --format json
check "... in JSON, too" out_has '"note": "no two clients ask for the same lock'
run run own_names.lua:listed
check "... with a fault, too" out_has 'no two clients ask for the same lock ("order:A" is asked for by A alone'
run run own_names.lua:one --faults pause=0
check "one lock of both is not" out_lacks 'no two clients ask'
