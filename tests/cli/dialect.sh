# dialect.sh - other servers than Redis 7.0: `dialect` in a scenario, --dialect on the command line, and what a saved
# story keeps of it.

printf 'zadd z 3.3 a\nzscore z a\neval "return redis.REDIS_VERSION" 0\n' > input
said() { timeout 60 "$LOCKSIM" shell "$@" input > "$out" 2> "$err"; }
said && check "the default is Redis 7.0" out_has '"3.2999999999999998"'
check "and says so" out_has '"7.0.15"'
said --dialect "redis 8.0" && check "Redis 8.0 writes few digits" out_has '"3.3"'
check "and says which it is" out_has '"8.0.2"'
said --dialect "redis 8.0.6" && check "a release that is named is the one it tells" out_has '"8.0.6"'
said --dialect "Valkey 9.1.2" && check "Valkey says which Redis it is" out_has '"7.2.4"'

# Redis functions: in the shell, and the same file as a script is mutated, linted, compared and run.
{
    echo "function load \"#!lua name=l\\nlocal n=0 redis.register_function('f',function(k,a) n=n+1 return {n,k[1],a[1]} end)\""
    echo 'fcall f 1 key arg'
    echo 'fcall f 1 key arg'
    echo 'fcall_ro f 0'
} > functions
said_functions() { timeout 60 "$LOCKSIM" shell functions > "$out" 2> "$err"; }
said_functions && check "a library keeps what it counts" out_has "1) (integer) 2"
check "FCALL_RO refuses a function that may write" out_has "Can not execute a script with write flag"
library=$ROOT/scripts/basic/function/lock.lua seeds=$ROOT/scenarios/seeds/basic_function.lua
run lint "$library"
ends 0 "a library has nothing to find fault with"
sed 's/register_function/register_functions/' "$library" > misspelt.lua
run lint misspelt.lua
ends 1 "what only libraries have is known by its name"
run mutate "$library" --scenarios "$seeds"
check "a library is mutated" out_has "mutants: "
check "and its mutants are noticed" [ "$(sed -n 's/.* mutants: \([0-9]*\) killed.*/\1/p' "$out" | head -n 1)" -ge 50 ]
by_server=$ROOT/scenarios/findings/deadline_by_server.lua
run mutate "$by_server" --dialect "redis 7.0" --max-states 200
check "mutants are judged on the server that is named" err_has "2 of 4 scenarios pass"
run compare --dialect "redis 7.0,valkey 9.1" "$by_server:redis_7_0"
ends 1 "a lock of the findings changes with the server"
check "what is won is told" out_has "violated -> holds"
mkdir -p other/basic/function
sed "s/    return 0/    return 2/" "$library" > other/basic/function/lock.lua
run compare "$library" other/basic/function/lock.lua "$seeds:wipe"
ends 1 "a library that answers otherwise is different"
check "the story names the function's answer" out_has "answered 0 with the first version and 2 with the second"
cp "$library" other/basic/function/lock.lua
sed -i 's/is_owner/is_its_owner/' other/basic/function/lock.lua
run compare "$library" other/basic/function/lock.lua "$seeds:wipe"
ends 0 "one that only reads otherwise is equivalent"

cat > unsaid.lua <<'X'
return {
  title = "which function?", clients = { "A" },
  program = function(me) me:eval(script "basic/function/lock.lua", { "k" }, {}) end,
}
X
run run unsaid.lua
ends 4 "a library without the name of a function"
check "... is told what is missing" out_has 'fcall = "..."'

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
run run eight.lua --verbose
check "the result says which server it was" out_has "the servers are redis 8.0"
check "a proved dialect says no more" out_lacks "no real server"
sed 's/redis 8.0/redis 8.4/' eight.lua > new.lua
run run new.lua --verbose
check "one that is not proved says so" out_has "compared with no real server"
run run eight.lua --dialect "redis 7.0"
ends 4 "the command line's dialect goes first"
check "and shows the other number" out_has "written as 0.10000000000000001"
sed 's/"redis 8.0"/"redis 8"/' eight.lua > wrong.lua
run run wrong.lua
ends 65 "a scenario's dialect must exist"
check "the place is told" out_has "wrong.lua:3"
check "and what there is" out_has '"redis 7.0"'

# Two servers in lock step: a lock whose number is written in another way, and one that nobody can tell apart.
sed 's/    assert.*//; /dialect =/d' by_number.lua > moves.lua
run compare --dialect "redis 7.0,redis 8.0" moves.lua --verdicts no
ends 1 "a lock that changes with the server"
check "both servers are named" out_has "redis 7.0 -> redis 8.0"
check "the command that tells it again can be pasted" out_has "--dialect"
sed 's/0\.1/1/' moves.lua > stays.lua
run compare --dialect "redis 7.0,valkey 9.1" stays.lua --verdicts no
ends 0 "a lock that stays as it is"
check "it is equivalent" out_has "EQUIVALENT"
# Scores that both write alike are the same, and others are not.
score() { sed \
    "s/local n = .*/me:call(\"ZADD\", \"z\", \"$1\", \"m\") me:call(\"ZRANGE\", \"z\", \"0\", \"-1\", \"WITHSCORES\")/" moves.lua > score.lua; }
score 6300
run compare --dialect "redis 7.0,valkey 9.1" score.lua --verdicts no
ends 0 "a whole score is written alike"
score 3.3
run compare --dialect "redis 7.0,valkey 9.1" score.lua --verdicts no
ends 1 "and 3.3 is not"
run compare --dialect "redis 7.0" stays.lua
ends 64 "one server alone"
run compare stays.lua
ends 64 "compare without two versions"

# A user of a server that was compared with no real one is told so, beside the result.
run compare --dialect "redis 7.0,valkey 9.2" stays.lua --verdicts no
check "compare says which servers there were" out_has "the first version's servers are redis 7.0"
check "and that the second is not proved" out_has "the second version's are valkey 9.2, as its release notes have it"
run compare --dialect "redis 7.0,valkey 9.1" stays.lua --verdicts no
check "or says no more" out_lacks "release notes"
for command in shell "serve --stdio"; do
    run $command --dialect "redis 8.4" < /dev/null
    check "$command: a version that is not proved" grep -q "note: redis 8.4 as its release notes have it" "$err"
    check "$command: stdout is the server's" test ! -s "$out"
    run $command --dialect "redis 8.0" < /dev/null
    check "$command: one that is proved" err_is_empty
done
