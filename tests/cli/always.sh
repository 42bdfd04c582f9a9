# always.sh - the scenario's own invariant reads the server as a view does: what is not the lock's own, too.

# invariant TEXT: a scenario with it; its holders count themselves in the key `inside`, and one more stands in `max`.
invariant() {
    cat > x.lua <<LUA
local mine = require("generic").lock { acquire = { "SET", "\$lock", "\$token", "NX", "PX", "\$lease_ms" }, granted = "OK",
  release = script.text [[ if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0 ]],
  args = { release = { "\$token" } }, holder = "string value", lease_ms = 1000, wait = "sleep", retry_ms = 300 }
return {
  title = "own", clients = { "A", "B" }, expect = { strict_mutual_exclusion = "violated" }, faults = { pause = 1 },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire() then
      me:call("INCR", "inside")
      me:work(10)
      me:call("DECR", "inside")
      lock:release()
    end
  end,
  always = function(view, redis)
    $1
  end,
}
LUA
}
invariant 'return view.lock == "l" and tonumber(redis.call("GET", "inside") or 0) <= 2'
run run x.lua
ends 0 "a key beside the lock, and what holds of it"
invariant 'local n = tonumber(redis.call("GET", "inside") or 0) return n <= 1, n .. " are inside"'
run run x.lua
ends 1 "... and what does not"
check "the invariant is blamed, with its own words" bash -c "grep -q 'always' '$out' && grep -qF '2 are inside' '$out'"
check "by the fault that breaks it" out_has 'without !pause'
# Pinned: a fifth of the states, and without tables each costs a run from the start.
run run x.lua --pinned
cp "$out" tables
run run x.lua --pinned --no-memo
ends 1 "the same without tables"
check "the story, too" bash -c "grep -v -e options -e means -e replay tables | head -12 | cmp - <(grep -v -e options -e means -e replay '$out' | head -12)"
invariant 'return redis.call("PTTL", view.lock) <= 1000'
run run x.lua
ends 0 "a time to live"
invariant 'return redis.call("SET", "x", 1) ~= nil'
run run x.lua
ends 4 "a write"
check "is refused where it stands" out_has 'x.lua:16:18: error[driver]: a view, and always, only reads'
invariant 'return redis.call("TIME")[1] > 0'
run run x.lua
ends 4 "the time"
check "is refused, too" out_has 'x.lua:16:18: error[driver]: a view cannot ask for the time'

# Nothing happens while it is broken: only who looks at every millisecond sees it, and who does not says so.
cat > window.lua <<'LUA'
return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  end_ms = 60,
  program = function(me)
    me:observe("l", { view = function() return { holders = {} } end })
    me:call("SET", "k", 1, "PX", 40)
    me:sleep(50)
    me:call("PING")
  end,
  always = function(_, redis)
    local left_ms = redis.call("PTTL", "k")
    return left_ms < 10 or left_ms > 11
  end,
}
LUA
run run window.lua --verbose
ends 0 "an invariant that is broken for two milliseconds"
check "what is not seen is told" bash -c "tr -s ' \n' ' ' < '$out' | grep -qF 'a view, or always, that differs for a few milliseconds only, and'"
for how in '' --no-memo --no-fold; do
    run run $how --every-ms 60 window.lua
    ends 1 "... at every millisecond ${how:-by tables}"
done
