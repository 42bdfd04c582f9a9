# waive.sh - a cause of script_health (LK050) that a scenario waives by name does not break it. The others still do, and
# a pass says what it waives.
world() {
    cat > w.lua <<LUA
return {
  title = "two slots", clients = { "A" }, $1
  program = function(me)
    me:eval("redis.call('set', KEYS[1], 1) redis.call('set', KEYS[2], 1) $2", { "a", "b" }, {}, { op = "write" })
  end,
  expect = { script_health = "holds" },
}
LUA
}

world '' ''
run run w.lua
ends 1 "keys of two slots"
check "keys of two slots break script_health" out_has "LK050"
world 'waive = { "cross_slot" },' ''
run run --verbose w.lua
ends 0 "keys of two slots, waived"
check "the pass says what is waived" out_has "cross_slot waived"
world 'waive = { "cross_slot" },' "redis.call('set', 'c', 1)"
run run w.lua
ends 1 "another cause beside the waived one"
check "another cause still counts" out_has "did not declare"
world 'waive = { "cross_slot", "undeclared_key" },' "redis.call('set', 'c', 1)"
run run w.lua
ends 0 "both causes waived"
world 'waive = { "cross_slots" },' ''
run run w.lua
ends 65 "an unknown cause"
check "an unknown cause is told with the nearest name" out_has "did you mean 'cross_slot'?"
world 'waive = { "error" },' "this is no Lua"
run run w.lua
ends 0 "a script that does not load, waived"

run explain LK050
check "explain says how a cause is waived" out_has 'waive = { "cross_slot" }'
for cause in undeclared_key cross_slot leaked_global error budget crash; do
    check "and that there is $cause" grep -qw "$cause" "$out"
done
