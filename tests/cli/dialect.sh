# dialect.sh - other servers than Redis 7.0: `dialect` in a scenario, --dialect on the command line, and what a saved story keeps of it.

printf 'zadd z 3.3 a\nzscore z a\neval "return redis.REDIS_VERSION" 0\n' > input
said() { timeout 60 "$LOCKSIM" shell "$@" input > "$out" 2> "$err"; }
said && check "the default is Redis 7.0" out_has '"3.2999999999999998"'
check "and says so" out_has '"7.0.15"'
said --dialect "redis 8.0" && check "Redis 8.0 writes few digits" out_has '"3.3"'
check "and says which it is" out_has '"8.0.2"'
said --dialect "Valkey 9.1.2" && check "Valkey says which Redis it is" out_has '"7.2.4"'

run shell --dialect "redis 6.2" input
ends 64 "a dialect that there is not"
check "the hint names those that there are" err_has '"valkey 9.1"'

# A script that tells the servers apart by how they write a number.
cat > by_number.lua <<'X'
return {
  title   = "a ticket lock that writes its number as a float",
  dialect = "redis 8.0",
  clients = { "A", "B" },
  program = function(me)
    local n = me:eval("redis.call('INCR', KEYS[1]) return redis.call('ECHO', 0.1)", { "n" }, {})
    assert(n == WANTED, "written as " .. n)
    me:granted("n", { lease = 10 })
    me:released("n")
  end,
  expect = { no_leak = "violated" },
}
X
sed 's/WANTED/"0.1"/' by_number.lua > eight.lua
run run eight.lua
check "a scenario names its dialect" out_lacks "written as"
run run eight.lua --dialect "redis 7.0"
ends 4 "the command line's dialect goes first"
check "and shows the other number" out_has "written as 0.10000000000000001"
sed 's/"redis 8.0"/"redis 8"/' eight.lua > wrong.lua
run run wrong.lua
ends 65 "a scenario's dialect must exist"
check "the place is told" out_has "wrong.lua:3"
check "and what there is" out_has '"redis 7.0"'
