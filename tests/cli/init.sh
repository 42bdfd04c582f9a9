# init.sh - `locksim init`: what it finds out about scripts by trying them, the scenario it writes, and scripts that are
# no lock's; and the README's section about it, whose commands must do what stands there.

cat > take.lua <<'LUA'
if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end
return 0
LUA
cat > free.lua <<'LUA'
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('publish', KEYS[2], ARGV[2])
  return redis.call('del', KEYS[1])
end
return 0
LUA
cat > renew.lua <<'LUA'
if redis.call('get', KEYS[1]) == ARGV[2] then return redis.call('pexpire', KEYS[1], ARGV[1]) end
return 0
LUA
cat > count.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('expire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])
LUA
cat > uncount.lua <<'LUA'
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then redis.call('expire', KEYS[1], ARGV[2]) return 0 end
return redis.call('del', KEYS[1])
LUA

run init take.lua free.lua renew.lua -o one.lua
ends 0 "a string with a lease, a channel and a renewal"
check "the acquire's words" out_has 'take.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms'
check "the release's words" out_has 'free.lua  KEYS[1] $lock  KEYS[2] $channel  ARGV[1] $owner  ARGV[2] 0'
check "the renewal's words, in another order" out_has 'renew.lua  KEYS[1] $lock  ARGV[1] $lease_ms  ARGV[2] $owner'
check "it waits for the message" grep -qF 'wait     = "pubsub"' one.lua
run run one.lua
ends 0 "the scenario that it wrote"
check "the scenario passes" out_has 'PASS  one.lua'

run init count.lua uncount.lua
ends 0 "a hash that counts, seconds, nil for yours"
check "seconds are told from milliseconds" out_has 'ARGV[1] $lease_s  ARGV[2] $owner'
check "the lease of what is still held" out_has 'uncount.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s'
check "reentrant" grep -qF 'spec     = "reentrant"' lock_scenario.lua
check "the holder is a field" grep -qF 'holder   = "hash field"' lock_scenario.lua
check "what a release of one of two answers" grep -qF 'still_held = 0,' lock_scenario.lua
run run lock_scenario.lua --faults none
ends 0 "that scenario"
check "that scenario passes" out_has 'PASS'

mkdir -p redis
cp take.lua free.lua redis
run init redis/take.lua redis/free.lua -o locks/of/order.lua
ends 0 "into a folder that is not there yet"
run run locks/of/order.lua
ends 0 "... from which the scripts are found"
run init take.lua free.lua -o one.lua
ends 64 "over a file that is there"
check "the file is named" err_has 'one.lua: error[usage]: this file is there already'
run init free.lua take.lua -o two.lua
ends 65 "release before acquire"
check "nothing is half written" test ! -e two.lua
echo "return redis.call('set', 'order', 'me')" > none.lua
run init none.lua free.lua -o two.lua
ends 65 "a script without KEYS"
echo "while true do redis.call('get', KEYS[1]) end" > loop.lua
run init loop.lua free.lua -o two.lua
ends 65 "a script without end"
printf 'local x = 1\nreturn redis.call("set" KEYS[1])\n' > broken.lua
for scripts in 'broken.lua free.lua' 'take.lua broken.lua' 'take.lua free.lua broken.lua'; do
    run init $scripts -o two.lua
    ends 65 "a script that does not compile: $scripts"
    check "its error is told at its line" err_has "broken.lua:2: error[scenario]: the script does not compile: ')' expected near 'KEYS'"
    check "and the line is shown" err_has '2 | return redis.call("set" KEYS[1])'
done
run init "SET \"\$lock\" '\$token' NX PX \"\$lease_ms\"" free.lua -o quoted.lua
ends 0 "a command whose words are quoted"
check "its words are those of one without quotes" grep -qF '{ "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }' quoted.lua
check "\$token stays what it is called, in the other script, too" grep -qF 'release = { "$token", "0" }' quoted.lua
run run quoted.lua
check "the scenario runs, and its holders are owners" test "$status" -le 1
check "nothing is without a holder" out_lacks LK040
run init 'SET "$lock $token NX' free.lua -o two.lua
ends 64 "a quote that is not closed"
check "is told" err_has 'a quote in this command is not closed'
echo "return redis.call('pexpire', KEYS[1], ARGV[1])" > any.lua
echo "if redis.call('exists', KEYS[1]) == 1 then redis.call('expire', KEYS[1], 40) return 1 end return 0" > fixed.lua
for renew in any.lua fixed.lua 'PEXPIRE $lock $lease_ms'; do
    run init take.lua free.lua "$renew" -o renewed.lua
    ends 0 "a renewal for anybody: $renew"
    check "that is noted" out_has 'the renewal does not compare the owner: any client can prolong the lock (LK003)'
    run run renewed.lua
    check "its scenario runs" test "$status" -le 1
    rm renewed.lua
done
run init take.lua free.lua renew.lua -o renewed.lua
check "not of one that compares" out_lacks 'any client can prolong'
run init take.lua free.lua free.lua -o two.lua
ends 65 "a renewal that prolongs nothing"
# A renewal that adds to what is left: by how much only its user knows, whatever its variable is called. To guess it (the
# owner's length in seconds, or the whole lease) would accuse the script of leases that nobody asked for.
for unit in '' p; do
    for amount in 'ARGV[2]' ttl; do
        { [ $amount = ttl ] && echo 'local ttl = tonumber(ARGV[2])'
          echo "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end"
          echo "return redis.call('${unit}expire', KEYS[1], redis.call('${unit}ttl', KEYS[1]) + $amount)"; } > adds.lua
        rm -f adds_lock.lua
        run init take.lua free.lua adds.lua -o adds_lock.lua
        ends 0 "a renewal that adds $amount by ${unit}expire"
        check "the owner is found, and the amount asked for" out_has 'ARGV[1] $owner  ARGV[2] ?'
        check "why is told" out_has 'the renewal does not set the lease anew: how much it adds'
        run run adds_lock.lua
        ends 65 "its scenario, before it is said"
    done
done
sed -i 's/"?" }/"300" }/' adds_lock.lua
run run adds_lock.lua --pinned --faults none
ends 0 "its scenario, with as much as passes between two renewals"
run init take.lua free.lua renew.lua -o sets_lock.lua
check "one that sets the lease has no such note" out_lacks 'how much it adds'
echo "return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[99])" > many.lua
run init many.lua free.lua -o two.lua
ends 65 "more ARGV than can be guessed"
run init take.lua nowhere.lua -o two.lua
ends 65 "no such script"
run init 'BLPOP $lock 0' 'RPUSH $lock token' -o pop.lua
ends 65 "a command that waits: on an empty Redis nobody gets anything"
check "counted in words" err_has 'tried in 1 way: '
run init take.lua 'BLMOVE $lock {$lock}:2 LEFT RIGHT 1' -o pop.lua
ends 65 "a release that waits"
{ printf 'local all = ARGV[1]'; printf ' .. ARGV[%s]' {2..16}
  echo; echo "if redis.call('set', KEYS[1], ARGV[3], 'nx', 'px', ARGV[9]) then return 1 end return 0"; } > sixteen.lua
timeout 30 "$LOCKSIM" init sixteen.lua free.lua -o sixteen_lock.lua > "$out" 2> "$err"
check "sixteen ARGV that nothing names end, too" test $? -ne 124
run init take.lua free.lua -o nowhere/two.lua
ends 0 "a folder that is made"
run init take.lua
ends 64 "one script only"
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then redis.call('set', KEYS[2], ARGV[3]) return 1 end return 0" > more.lua
run init more.lua free.lua -o unknown.lua
ends 0 "words that the trial does not show"
check "they are marked" out_has 'KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] ?'
run run unknown.lua
ends 65 "a scenario with ?"
check "says what to fill in" out_has ' is still "?"'

# A lock that counts, tells a channel and is renewed is two small searches: as one it had 765,981 states, and more.
cat > hold.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[1], 1)
  redis.call('pexpire', KEYS[1], ARGV[2])
  return { 1, 0 }
end
return { 0, redis.call('pttl', KEYS[1]) }
LUA
cat > unhold.lua <<'LUA'
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then redis.call('pexpire', KEYS[1], ARGV[2]) return 0 end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1
LUA
cat > keep.lua <<'LUA'
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) return 1 end
return 0
LUA
run init hold.lua unhold.lua keep.lua -o kept.lua
ends 0 "a lock that counts, with a channel and a renewal"
check "it is taken again" grep -q 'lock:acquire() .* again: it counts' kept.lua
check "a pause has a case of its own" grep -qF 'pause = {' kept.lua
run run kept.lua --max-states 40000
ends 0 "its searches are small"
check "both come to their end" out_has '2 scenarios: 2 passed'
sed 's/"keep.lua"/"keeps_nothing.lua"/' kept.lua > unkept.lua
echo "return redis.call('exists', KEYS[1])" > keeps_nothing.lua
run run unkept.lua --max-states 40000
ends 1 "a renewal that prolongs nothing, among them"
check "is noticed by work that outlasts the lease" out_has 'FAIL  unkept.lua:work   mutual_exclusion  LK001'

# An answer that has the owner's name within, as JSON has.
cat > json.lua <<'LUA'
#!lua
local o = cjson.decode(ARGV[1])
local key = o.prefix .. ':' .. KEYS[1]
local held = redis.call('GET', key)
if held then return cjson.encode({ ok = false, owner = held }) end
redis.call('SET', key, o.owner, 'PX', o.ttl)
return cjson.encode({ ok = true, owner = o.owner })
LUA
cat > unjson.lua <<'LUA'
#!lua
local o = cjson.decode(ARGV[1])
local key = o.prefix .. ':' .. KEYS[1]
if redis.call('GET', key) ~= o.owner then return 0 end
return redis.call('DEL', key)
LUA
run init json.lua unjson.lua -o json_lock.lua
ends 0 "an answer with the owner's name within"
check "the grant is told with a word for it" grep -qF '\"owner\":\"$owner\"' json_lock.lua
run run json_lock.lua --pinned --faults none
check "its scenario comes to a verdict, and a client is granted it" test "$status" -le 1

printf '%s\n' '#!lua name=locks' 'redis.register_function("take", function(keys, args) return 1 end)' > functions.lua
run init functions.lua free.lua -o two.lua
ends 65 "a library of functions"
check "is called so, and what takes it" err_has 'functions.lua:1:7: error[scenario]: the file is a library of Redis functions'
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', {{ttl}}) then return 1 end return 0" > braces.lua
run init braces.lua free.lua -o two.lua
ends 65 "a template that is Lua, too"
check "what may be meant is told" err_has '--render CMD'

# Templates of other kinds: what is no Lua is told at its place, with what renders it; what is Lua, where it fails.
template() {
    local mark=$1 place=$2
    cat > other_a.lua
    run init other_a.lua free.lua -o other.lua
    ends 65 "a template with $mark"
    check "a template with $mark: where" err_has "other_a.lua:$place"
    check "a template with $mark: by its name" err_has "'$mark'"
    check "a template with $mark: the way out" err_has '--render CMD runs CMD FILE'
    check "a template with $mark: no false reason" test "$(grep -c 'names no KEYS' "$err")" -eq "${3:-0}"
}
no_lua='2:22: error[scenario]: the script does not compile: unexpected symbol near'
for lock in '${lock}' '@@LOCK@@' '<?= $lock ?>' '%(lock)s' '$(lock)'; do
    template "${lock:0:2}" "$no_lua" < <(printf '%s\n' '-- takes the lock' "if redis.call('set', $lock, ARGV[1], 'nx') then return 1 end return 0")
done
template '$' "$no_lua" < <(printf '%s\n' '' "if redis.call('set', \$lock, ARGV[1], 'nx') then return 1 end return 0")
template '{{' '1:1: error[scenario]: the script does not compile' < <(printf '%s\n' '{{> common}}' "$(cat take.lua)")
template '{%' '2:1: error[scenario]: the script does not compile' < <(printf '%s\n' '' '{% include "common.lua" %}' "$(cat take.lua)")
template '#{' '1:1: error[scenario]: the script does not compile' < <(printf '%s\n' '#{common}' "$(cat take.lua)")
template '#{' '1: error[scenario]: tried in ' < <(echo "return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', #{ttl * 1000})")
template '${' '1:27: error[scenario]: the script names no KEYS' 1 < <(echo "return redis.call('set', '\${lock}', '\${owner}', 'nx')")
template '--- @include' '1: error[scenario]: tried in ' < <(printf '%s\n' '-- takes the lock' '--- @include "takeLock"' 'return takeLock(KEYS[1], ARGV[1], ARGV[2])')
check "its line" err_has "stands in line 2"
printf '%s\n' '--- @include "freeLock"' 'return freeLock(KEYS[1], ARGV[1])' > include_r.lua
run init take.lua include_r.lua -o other.lua
ends 65 "a release that includes"
check "a release that includes: said" err_has "'--- @include' stands in line 1"
printf '%s\n' '-- include "nothing"' 'local pairs_of = {{ 1 }}' "$(cat take.lua)" > harmless_a.lua
run init harmless_a.lua free.lua -o harmless.lua
ends 0 "marks in what is Lua and does not fail"

# Every owner is let in, and its own renews: the reason is told, and not what another way to call the script answers.
every='every owner is let in, and each is kept'
readers() {
    cat > readers_a.lua
    run init readers_a.lua "$1" -o readers.lua
    ends 65 "readers"
    check "readers: $2" err_has "$2"
    check "readers: as tried" err_has "it was tried with $3"
}
readers 'SREM $lock $owner' "$every" 'ARGV[1] $lease_ms, ARGV[2] $owner' < <(printf '%s\n' "redis.call('sadd', KEYS[1], ARGV[2])" "redis.call('pexpire', KEYS[1], ARGV[1])" 'return 1')
readers 'ZREM $lock $owner' "$every" 'ARGV[1] $owner' < <(printf '%s\n' "redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[2])" \
    "redis.call('zadd', KEYS[1], ARGV[2] + ARGV[3], ARGV[1])" "redis.call('pexpire', KEYS[1], ARGV[3])" 'return 1')
for limit in 3 25; do
    who="$limit owners are let in"
    printf '%s\n' "redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[1])" \
        "if redis.call('zcard', KEYS[1]) >= $limit then return 0 end" \
        "redis.call('zadd', KEYS[1], ARGV[1] + ARGV[2], ARGV[3])" 'return 1' > limit_a.lua
    readers 'ZREM $lock $owner' "$who, and the next one is not: a semaphore" 'ARGV[' < limit_a.lua
done
check "the limit's word" err_has 'limit = 25 of generic.lock'
sed -i 's/>= 25/>= 1/' limit_a.lua
run init limit_a.lua 'ZREM $lock $owner' -o limit.lua
ends 0 "one that lets one in is a lock"

# The release wants what the acquire answered: a number that each grant has more of.
cat > number.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 1 then return { 0, -1, redis.call('pttl', KEYS[1]) } end
local n = redis.call('incr', KEYS[2])
redis.call('hset', KEYS[1], 'n', n)
redis.call('pexpire', KEYS[1], ARGV[1])
return { 1, n, ARGV[1] }
LUA
cat > unnumber.lua <<'LUA'
local n = redis.call('hget', KEYS[1], 'n')
if not n then return { 1, 'expired' } end
if n ~= ARGV[1] then return { 0, 'other' } end
redis.call('del', KEYS[1])
return { 1, 'freed' }
LUA
cat > renumber.lua <<'LUA'
if redis.call('hget', KEYS[1], 'n') ~= ARGV[1] then return { 0 } end
redis.call('pexpire', KEYS[1], ARGV[2])
return { 1 }
LUA
run init number.lua unnumber.lua renumber.lua -o number_lock.lua
ends 0 "a release by the number of the grant"
check "it is an item of the reply" out_has 'unnumber.lua  KEYS[1] $lock  ARGV[1] $reply[2]'
check "for the renewal, too" out_has 'renumber.lua  KEYS[1] $lock  ARGV[1] $reply[2]  ARGV[2] $lease_ms'
check "nobody is accused" out_lacks 'does not compare the owner'
check "what another owner is told is no release" grep -qF 'released = { 1 }' number_lock.lua
run run number_lock.lua
ends 0 "nor by the scenario"
run init number.lua unnumber.lua -o number_lease.lua
run run number_lease.lua
ends 0 "without a renewal"

# A key of each release's own: it repeats what it answered before.
cat > latch.lua <<'LUA'
local before = redis.call('get', KEYS[2])
if before then return tonumber(before) end
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)
if left > 0 then redis.call('expire', KEYS[1], ARGV[2]) end
if left == 0 then redis.call('del', KEYS[1]) end
redis.call('set', KEYS[2], left == 0 and 1 or 0, 'px', ARGV[3])
return left == 0 and 1 or 0
LUA
run init count.lua latch.lua -o latch_lock.lua
ends 0 "a release that remembers its answer"
check "has another key for each call" out_has 'latch.lua  KEYS[1] $lock  KEYS[2] {$lock}:2:$call'
run run latch_lock.lua --faults none --max-states 3000
check "no hold is left over" out_lacks LK004

# What makes no difference to a script, and may not be just anything; ARGV by computed indexes.
sed '1i redis.pcall("select", tonumber(ARGV[3]))' take.lua > select.lua
run init select.lua free.lua -o select_lock.lua
check "an argument whose errors nobody hears is 0" out_has 'ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] 0'
cat > each.lua <<'LUA'
for i = 1, #KEYS do if redis.call('exists', KEYS[i]) == 1 then return { 0, KEYS[i] } end end
for i = 1, #KEYS do redis.call('set', KEYS[i], ARGV[i], 'px', ARGV[#ARGV]) end
return { 1 }
LUA
run init each.lua free.lua -o each_lock.lua
ends 0 "ARGV that its text does not number"
check "they are found" out_has 'each.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms  (any number of KEYS)'
run run each_lock.lua --max-states 3000
check "its scenario runs" test "$status" -le 2
echo "local lock = KEYS[1] if not redis.call('get', KEYS[2]) then return redis.error_reply('ERR not set up') end" > unready.lua
run init unready.lua free.lua -o unready_lock.lua
ends 65 "a script that wants another one first"
check "says so" err_has 'it is the script that says so: where another one has to run before it'

# The README's section, command by command.
ln -s "$ROOT/scenarios" scenarios
mkdir build && ln -s "$LOCKSIM" build/locksim
awk '/^##/ { here = /^## Test your own lock in five minutes/ } /^```/ { open = !open; shown = open && $0 == "```"; next } here && shown' "$ROOT/README.md" > block
check "the README shows it" grep -q '^\$ build/locksim init' block
while IFS= read -r line; do
    case $line in
        '$ build/locksim '*) read -ra typed <<< "${line#\$ build/locksim }"; LOCKSIM=build/locksim run "${typed[@]}" ;;
        ...) ;;
        *) check "README: $line" out_has "$line" ;;
    esac
done < block

# What a renewal is for is seen: one that only says that it renewed lets another one in.
echo "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('pexpire', KEYS[1], ARGV[2]) or 0" > renews.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return tonumber(ARGV[2]) > 0 and 1 end return 0" > idles.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > frees.lua
run init 'SET $lock $owner NX PX $lease_ms' frees.lua renews.lua -o whole_renewal.lua
ends 0 "a renewal"
run run whole_renewal.lua
ends 0 "a renewal that holds the lock"
sed 's/renews.lua/idles.lua/' whole_renewal.lua > idle_renewal.lua
run run idle_renewal.lua
ends 1 "one that does nothing"
check "is found out" out_has "FAIL  idle_renewal.lua:work   mutual_exclusion  LK001"

# What no way shows is said by its cause: a slot or a token that the acquire answers, the very time that it was given;
# and a key that each owner has of its own is no release without owner.
cat > bit_a.lua <<'LUA'
local pos = redis.call('BITPOS', KEYS[1], 0)
if pos < 0 or pos >= tonumber(ARGV[1]) then return -1 end
redis.call('SETBIT', KEYS[1], pos, 1)
return pos
LUA
echo "return redis.call('SETBIT', KEYS[1], ARGV[1], 0)" > bit_r.lua
run init bit_a.lua bit_r.lua -o bit.lua
ends 0 "slots of a bitmap"
check "... are what the acquire answered" out_has 'release  bit_r.lua  KEYS[1] $lock  ARGV[1] $reply'
check "... the bitmap stays" grep -qF 'lasting  = { "$lock" }' bit.lua
sed -i 's/  faults  = { pause = 1 },.*//' bit.lua                     # without a lease a lost answer is a slot lost
run run bit.lua
ends 0 "slots of a bitmap: the scenario"
cat > tokens_a.lua <<'LUA'
if redis.call('setnx', KEYS[3], '1') == 1 then
  for i = 0, ARGV[1] - 1 do redis.call('rpush', KEYS[1], i) end
end
local token = redis.call('lpop', KEYS[1])
if token then redis.call('hset', KEYS[2], token, ARGV[2]) end
return token
LUA
echo "if redis.call('hdel', KEYS[2], ARGV[1]) == 1 then return redis.call('lpush', KEYS[1], ARGV[1]) end return 0" > tokens_r.lua
run init tokens_a.lua tokens_r.lua -o tokens.lua
ends 65 "tokens in a list"
check "... are, too" err_has 'ARGV[1] has to be what the acquire answered'
cat > due_a.lua <<'LUA'
if redis.call('setnx', KEYS[1], ARGV[2]) == 1 then return 1 end
local old = redis.call('get', KEYS[1])
if tonumber(old) > tonumber(ARGV[1]) then return 0 end
redis.call('set', KEYS[1], ARGV[2])
return 1
LUA
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > due_r.lua
run init due_a.lua due_r.lua -o due.lua
ends 65 "a release that compares the deadline"
check "... is said to" err_has 'due_r.lua:1: error[scenario]: ARGV[1] has to be the very time that the acquire got as ARGV[2], $until_ms'
cat > each_own_a.lua <<'LUA'
for _, member in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if redis.call('EXISTS', member) == 0 then redis.call('SREM', KEYS[1], member) end
end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('SADD', KEYS[1], KEYS[2])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
return 1
LUA
echo "redis.call('DEL', KEYS[2]) return redis.call('SREM', KEYS[1], KEYS[2])" > each_own_r.lua
run init each_own_a.lua each_own_r.lua -o each_own.lua
ends 0 "a key for each owner"
check "... is told of" out_has 'where each owner has a key of its own there, write'
check "... and no release without owner" out_lacks 'LK003'
sed -i 's/for i = 0, ARGV\[1\] - 1/for i = 1, ARGV[1]/' tokens_a.lua
run init tokens_a.lua tokens_r.lua -o numbers.lua
ends 0 "tokens from 1 on"
check "... are no permits that have an owner" grep -qF -- '-- $limit is 1, a mutex, until limit says more' numbers.lua
run run numbers.lua --max-states 3000
check "... and the table loads" out_lacks 'ERROR'
check "... with both keys that last" grep -qF -- 'lasting  = { "{$lock}:1", "{$lock}:3" }' numbers.lua

# A lease that no argument says is the script's own: by its key's time to live, or by the time that it stores. A time
# that is stored and ends nothing is said to.
echo "if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then redis.call('expire', KEYS[1], 10) return 1 end return 0" > ten_a.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > ten_r.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire', KEYS[1], 10) end return 0" > ten_x.lua
run init ten_a.lua ten_r.lua -o ten.lua
ends 0 "a lease of the script's own"
check "... is told" out_has 'note     no argument says its lease: it ends by itself after 10000 ms'
check "... and no lock for ever" out_lacks 'LK031'
run run ten.lua
ends 0 "a table with the script's own lease"
check "... passes" out_has "10 properties hold"
run init ten_a.lua ten_r.lua ten_x.lua -o ten_x_lock.lua
ends 0 "... and with a renewal of its own"
check "... which works over the lease's end" grep -qF 'me:work(11000)' ten_x_lock.lua
run run ten_x_lock.lua
ends 0 "... passes, too"
cat > till_a.lua <<'LUA'
local t = redis.call('time')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local till = redis.call('hget', KEYS[1], 'till')
if till and tonumber(till) > now then return 0 end
redis.call('hset', KEYS[1], 'owner', ARGV[1], 'till', now + 30000)
return 1
LUA
echo "if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > till_r.lua
run init till_a.lua till_r.lua -o till.lua
ends 0 "a lease of its own in a field"
check "... is told" out_has 'it ends by itself after 30000 ms'
run run till.lua
check "... and nobody is accused at its end" out_lacks 'LK001'
sed -i "s/if till and .*/if till then return 0 end/; s/'till', now + 30000/'till', now/" till_a.lua
run init till_a.lua till_r.lua -o since.lua
ends 0 "a time that ends nothing"
check "... is said to" grep -qF 'ends     = false,            -- the stored time does not end the hold' since.lua
check "... in a note, too" out_has 'no lease ends it'
run run since.lua
ends 1 "... and its search comes to an end"
check "... and finds the lock for ever" out_has 'LK031'
