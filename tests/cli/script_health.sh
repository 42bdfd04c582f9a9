# script_health.sh - LK050: a script that does not load breaks it, whether the search looks its calls up or runs each of
# them.
cat > w.lua <<'LUA'
return {
  title = "no Lua", clients = { "A" },
  program = function(me) me:eval("this is no Lua", { "a" }, {}, { op = "write" }) end,
  expect = { script_health = "holds" },
}
LUA
for how in "" --no-memo --no-fold; do
    run run $how w.lua
    ends 1 "a script that does not load $how"
    check "the error of a script that does not load is told $how" out_has "Error compiling script"
done
