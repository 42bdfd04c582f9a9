# lint.sh - `locksim lint`: a bad and a good example of each code, forms of output, allow comments, folders, and input
# that is anything but a script.

examples=$ROOT/tests/lint
codes=0
for bad in "$examples"/L[CS]*_bad.lua; do
    code=$(basename "$bad" _bad.lua)
    codes=$((codes + 1))
    run lint "$bad" --format json
    if [ "$code" = LS001 ]; then ends 65 "$code's bad example"; else ends 1 "$code's bad example"; fi
    # Every statement of a bad example that is wrong is wrong in this way, and in no other.
    others=$(grep -oE '"code": "L[CS][0-9]+"' "$out" | grep -v "$code" || true)
    # A script that deletes blindly is found as a script, too.
    if [ "$code" = LS025 ] || [ "$code" = LC003 ]; then others=$(grep -vE 'LS020' <<< "$others" | grep L || true); fi
    check "$code is found in its bad example" out_has "\"code\": \"$code\""
    check "$code's bad example has nothing else" test -z "$others"
    run lint "$examples/${code}_good.lua"
    ends 0 "$code's good example"
    check "$code's good example has nothing" grep -qxE "([12] scripts?|1 driver|[12] scripts?, 1 driver): nothing found" "$out"
    run explain "$code"
    ends 0 "explain $code"
    check "$code is explained by examples" grep -q '^  bad ' "$out"
    check "$code is explained by a good one, too" grep -q '^  good ' "$out"
done
for clean in "$examples"/clean_*.lua; do
    run lint "$clean"
    ends 0 "$(basename "$clean"), in which nothing is wrong"
done
check "all codes have examples" test "$codes" -eq 29
run lint --help
check "--help lists the codes" test "$(grep -cE '^  L[CS][0-9]{3}  ' "$out")" -eq "$codes"

# The shipped scripts are clean, but for what a comment explains; museum pieces are not.
run lint "$ROOT/scripts"
ends 0 "the shipped scripts"
check "many were looked at" grep -qE '^[5-9][0-9] scripts, [5-9][0-9] drivers: nothing found$' "$out"
run lint "$ROOT/scenarios/museum/G2.lua:exhibit"
ends 1 "what a case patches"
check "a release that asks nobody is found where the patch has it" grep -qE 'museum/G2.lua:[0-9]+:8: warning\[LS020\]' \
    "$out"
run lint "$ROOT/scenarios/museum/G8.lua:exhibit"
check "EXPIRE with a fraction is found" grep -qE 'museum/G8.lua:[0-9]+:28: warning\[LS016\]' "$out"
run lint "$ROOT/scenarios/museum/R06b.lua:*"
check "a missing score is found" grep -qE 'museum/R06b.lua:[0-9]+:13: warning\[LS010\]' "$out"
run lint "$ROOT/scenarios/museum/G2.lua:twin"
ends 65 "a case that patches nothing"
run lint "$ROOT/scenarios/museum/G2.lua:nope"
ends 65 "no such case"

sed -n '/^\$ build\/locksim lint/,/^```/p' "$ROOT/reports/pages/changes.md" | sed '1d;$d' > page.txt
(cd "$ROOT" && "$LOCKSIM" lint scenarios/tour/own) > "$out" 2> "$err"
check "the page of changes shows what lint says" cmp -s page.txt "$out"

# A library's functions are looked at as scripts are, each with the names that it gives its keys and arguments.
cat > library.lua <<'LUA'
#!lua name=mine
local function free(keys, args) return redis.call('DEL', keys[1]) end
local function take(k, a)
  redis.call('SET', k[1], 1, 'PX', a[1])
  redis.call('PEXPIRE', a[2], a[3])
  return 0.5
end
redis.register_function('free', free)
redis.register_function{ function_name = 'take', callback = take }
redis.register_function('gap', function(keys, args) return redis.call('GET', keys[2]) end)
LUA
run lint library.lua
ends 1 "a library with mistakes"
found() { grep -oE 'warning\[LS[0-9]+\]: .*' "$out" | sed 's/warning//'; }
check "they are found by the names of each function" test "$(found)" = \
"[LS020]: keys[1] is deleted without comparing its owner
[LS005]: the key of 'pexpire' is a[2], not one of k
[LS016]: a returned number loses its fraction: 0.9 reaches the caller as 0
[LS007]: keys[1] is never used, keys[2] is"

# As text: the place, the line with a caret under the very bytes, a hint.
printf -- '-- ключ\nlocal s = "ключ"  return redis.call("exists", s) == nil\n' > look.lua
run lint look.lua
ends 1 "a comparison with nil"
check "the line is quoted" out_has '      2 | local s = "ключ"  return redis.call("exists", s) == nil'
check "the caret stands under it, whatever letters are before" grep -qE '^        \|  {25}\^{30}$' "$out"
check "there is a hint" out_has "  hint: "
check "a next command is named" out_has "locksim explain"
cp "$out" first.txt
run lint look.lua
check "twice the same" cmp -s first.txt "$out"
run lint look.lua --format json
ends 1 "the same as JSON"
check "it is JSON" python3 -c \
    'import json,sys; d = json.load(open(sys.argv[1])); assert d["scripts"] == 1 and d["findings"][0]["line"] == 2' \
    "$out"
run lint look.lua --format sarif
ends 1 "the same as SARIF"
check "it is SARIF with every code as a rule" python3 -c 'import json,sys
d = json.load(open(sys.argv[1])); r = d["runs"][0]
ids = [x["id"] for x in r["tool"]["driver"]["rules"]]
assert d["version"] == "2.1.0" and len(ids) == 29 and all(x["ruleId"] in ids for x in r["results"]) and r["results"]' "$out"
run lint look.lua --format github
ends 1 "the same for GitHub"
check "a workflow command" grep -qE '^::warning file=look\.lua,line=2,col=[0-9]+,endColumn=[0-9]+,title=LS[0-9]+::' \
    "$out"

# Ways of writing a call.
cat > forms.lua <<'X'
local r, call = redis, redis.call
call('del', KEYS[1])
r.call('del', KEYS[1])
redis['call']('del', KEYS[1])
local function free(key) return redis.call('DEL', key) end
local ok = pcall(redis.call, 'del', KEYS[1])
return ok and free(KEYS[1])
X
run lint forms.lua
for place in 2:1 3:1 4:1 6:12; do
    check "a delete at $place is seen" out_has "forms.lua:$place: warning[LS020]"
done

# What a function does counts where it is called: here it sets the expiry.
cat > called.lua <<'X'
local lock = KEYS[1]
local function keep() redis.call('pexpire', lock, ARGV[2]) end
if redis.call('exists', lock) == 1 then return 0 end
redis.call('hset', lock, ARGV[1], 1)
keep()
return 1
X
run lint called.lua
ends 0 "an expiry that a local function sets"
sed 's/^keep()/if ARGV[3] then keep() end/' called.lua > not_called.lua
run lint not_called.lua
check "the same on one way only" out_has "not_called.lua:4:1: warning[LS008]"

# A count that is compared with that of a new key makes a lock, too.
printf "if redis.call('incr', KEYS[1]) == 1 then return 1 end\nreturn 0\n" > counted.lua
run lint counted.lua
ends 1 "a lock by INCR without expiry"
check "it stands where it counts" out_has "counted.lua:1:4: warning[LS008]: 'incr' can leave this key without expiry"
printf "local n = redis.call('hincrby', KEYS[1], ARGV[1], 1)\nif n > 1 then return 0 end\nreturn 1\n" > counted.lua
run lint counted.lua
check "the same of HINCRBY, compared otherwise" out_has "counted.lua:1:11: warning[LS008]"
printf "local n = redis.call('incr', KEYS[1])\nif n == 1 then\n  redis.call('pexpire', KEYS[1], ARGV[1])\nend\nreturn n\n" > counted.lua
run lint counted.lua
ends 0 "a lock by INCR that expires"
printf "return redis.call('incr', KEYS[1])\n" > counted.lua
run lint counted.lua
ends 0 "a count that nobody compares: a fence"
printf "if redis.call('rpush', KEYS[1], ARGV[1]) == 1 then return 1 end\nreturn 0\n" > counted.lua
run lint counted.lua
ends 0 "the first in a queue"
printf "if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 0 then return 0 end\nreturn 1\n" > field.lua
run lint field.lua
ends 1 "a lock by HSETNX without expiry"
check "it stands where the field is set" out_has \
    "field.lua:1:4: warning[LS008]: 'hsetnx' can leave this key without expiry"
printf "if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 1 then\n  return redis.call('pexpire', KEYS[1], ARGV[2])\nend\nreturn 0\n" > field.lua
run lint field.lua
ends 0 "a lock by HSETNX that expires"
printf "redis.call('hsetnx', KEYS[1], 'made', ARGV[1])\nreturn redis.call('hget', KEYS[1], 'made')\n" > field.lua
run lint field.lua
ends 0 "a field that nobody asks about"

# A command that adds what is there already has not made the key.
for add in "'zadd', KEYS[1], 'NX', ARGV[2], ARGV[1]" "'zadd', KEYS[1], ARGV[2], ARGV[1]" "'sadd', KEYS[1], ARGV[1]" \
    "'hset', KEYS[1], ARGV[1], ARGV[2]"; do
    printf "if redis.call(%s) == 0 then return 0 end\nredis.call('pexpire', KEYS[1], ARGV[1])\nreturn 1\n" "$add" > add.lua
    run lint add.lua
    ends 0 "nothing was added by $add"
    printf "if redis.call(%s) == 1 then\n  redis.call('pexpire', KEYS[1], ARGV[1])\n  return 1\nend\nreturn 0\n" "$add" > add.lua
    run lint add.lua
    ends 0 "one was added by $add"
    printf "if redis.call(%s) == 1 then return 1 end\nredis.call('pexpire', KEYS[1], ARGV[1])\nreturn 0\n" "$add" > add.lua
    run lint add.lua
    check "an expiry where nothing is new, only: $add" out_has "add.lua:1:4: warning[LS008]"
done
# Of several, one may be new; an amount that is added says nothing.
for add in "'sadd', KEYS[1], ARGV[1], ARGV[2]" "'zadd', KEYS[1], 'INCR', ARGV[2], ARGV[1]"; do
    printf "if redis.call(%s) == 1 then\n  redis.call('pexpire', KEYS[1], ARGV[1])\n  return 1\nend\nreturn 0\n" "$add" > add.lua
    run lint add.lua
    check "other answers than 1 may make the key: $add" out_has "add.lua:1:4: warning[LS008]"
done

# How many KEYS and ARGV are passed.
printf 'return redis.call("hget", KEYS[1], ARGV[1])\n' > one.lua
run lint one.lua --keys 1 --argv 1
ends 0 "as many as are passed"
run lint one.lua --keys 2 --argv 0
ends 1 "others than are passed"
check "KEYS[2] is not used" out_has "KEYS[2] is never used"
check "ARGV[1] is not passed" out_has "ARGV[1] is read, and the caller passes 0"

# Allow comments: on the line, above it, without a reason, unknown, for nothing.
printf 'redis.call("del", KEYS[1])  -- locksim: allow LS020 mine\n-- locksim: allow LS020 mine, too\nreturn redis.call("del", KEYS[1])\n' > allowed.lua
run lint allowed.lua
ends 0 "allowed"
printf -- \
    '-- locksim: allow LS020\nredis.call("del", KEYS[1])\n-- locksim: deny LS020 x\n-- locksim: allow LS999 x\nreturn 1\n' > odd.lua
run lint odd.lua
check "three comments are wrong" test "$(grep -c 'LS025' "$out")" -ge 3

# Folders: drivers and scenarios are no scripts; what does not parse and names KEYS is one.
mkdir -p tree/deep && cp one.lua tree/deep/a.lua && printf 'return { program = function() end }\n' > tree/scenario.lua
printf 'return redis.call("get", KEYS[1]\n' > tree/broken.lua
run lint tree
ends 65 "a folder with a script that does not parse"
check "it is named, and the other one counted" out_has "tree/broken.lua:2:1: error[LS001]"
check "the scenario is none" out_has "2 scripts: "
# Scripts that stand in a driver or a scenario are found in their places; what is put together, or has escapes, is not
# looked at.
cat > within.lua <<'X'
local acquire = script.text [[
if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then return 1 end
return 0
]]
local held = { "(", script.text("return foo"), script.text [==[#!lua flags=no-writes
return redis.call('get', KEYS[1])]==] }
return {
  title = "x", clients = { "A" }, release = script.text("return " .. "bar"), renew = script.text("return 1 .. \"bar\" .. baz"),
  program = function(me) me:eval(acquire, { "L" }, { "A" }) end, held = held,
}
X
run lint within.lua
ends 1 "scripts in a scenario"
check "a script in brackets, in its place" out_has "within.lua:2:4: warning[LS008]"
check "its line is quoted" out_has "2 | if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then return 1 end"
check "a script in quotes, in its place" out_has "within.lua:5:41: error[LS002]: Redis has no 'foo'"
check "the client's own code is no script" out_lacks "script.text'"
check "three scripts" out_has "3 scripts, 1 driver: 1 error, 2 warnings"
cp within.lua tree/within.lua
run lint tree
check "the same in a folder" out_has "5 scripts, 1 driver: "

mkdir empty && run lint empty
ends 65 "a folder without scripts"
check "that is said" err_has "no script or driver lies below this folder"
run lint nothing.lua
ends 65 "no such file"
check "and nothing is claimed" out_is_empty
run lint
ends 64 "no argument"
run lint one.lua --format xml
ends 64 "an unknown format"
run lint one.lua --keys x
ends 64 "a number that is none"

# Input that is anything but a script: an answer, and no crash.
python3 - <<'X'
import random
random.seed(7)
def put(name, data):
    open(name, 'wb').write(data if isinstance(data, bytes) else data.encode())
put('in_empty.lua', '')
put('in_shebang.lua', '#!lua flags=no-writes\nreturn redis.call("get", KEYS[1])\n')
put('in_escape.lua', 'return "\\q"\n')
put('in_depth.lua', 'return ' + '(' * 150 + '1' + ')' * 150)
put('in_loops.lua', 'while KEYS[1] do ' * 120 + 'redis.call("get", KEYS[1]) ' + 'end ' * 120)
put('in_calls.lua', '\n'.join('local function f%d() %s end' % (i, 'return 1' if i == 0 else 'f%d() f%d()' % (i - 1, i - 1)) for i in range(150)) + '\nf149()')
put('in_recursive.lua', 'local function f(n) if n < 1 then return 1 end return f(n - 1) + f(n - 2) end return f(3)')
put('in_dispatch.lua', 'local way = { plain = function(key) return redis.call("get", key) end,\n'
    '  field = function(key, n) if n > 3 then return redis.call("hget", key, n) end return nil end }\n'
    'return way[ARGV[1]](KEYS[1], tonumber(ARGV[2]) or 5)\n')
put('bad_junk.lua', bytes(random.randrange(256) for _ in range(50000)))
put('bad_nul.lua', b'return 1\n\0\0')
put('bad_compiled.lua', b'\x1bLua' + bytes(100))
put('bad_engine.lua', '#!js\nreturn 1\n')
put('bad_flag.lua', '#!lua flags=nope\nreturn 1\n')
put('bad_depth.lua', 'return ' + '(' * 100000 + '1' + ')' * 100000)
put('bad_goto.lua', 'goto done\n::done::\nreturn 1\n')
put('bad_chain.lua', 'return 1' + '+1' * 60000)
put('bad_megabyte.lua', 'local s = "' + 'x' * 1000000 + '" return (s')
X
for file in in_*.lua; do
    run lint "$file"
    ends 0 "$file"
done
for file in bad_*.lua; do
    run lint "$file"
    ends 65 "$file"
    check "$file: the place is named" grep -qE "^$file:[0-9]+:[0-9]+: error\[LS001\]" "$out"
done

# What is told of one key has a bound: each of ten thousand branches would be joined with all before it.
{
    echo "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end"
    for i in {1..100}; do echo "if ARGV[3] == '$i' then redis.call('set', KEYS[1], $i) end"; done
} > branches.lua
run lint branches.lua
ends 1 "a hundred branches that each leave the lock without expiry"
check "64 of them are told" [ "$(grep -c 'warning\[LS008\]' "$out")" -eq 64 ]

# Each shape of a mistake in client code is found, by name or in place.
for shapes in LC001=6 LC002=2 LC003=8 LC004=8; do
    run lint "$examples/${shapes%=*}_bad.lua" --format json
    check "${shapes#*=} shapes of ${shapes%=*}" \
        test "$(grep -o "\"code\": \"${shapes%=*}\"" "$out" | wc -l)" -eq "${shapes#*=}"
done

# A library of functions in client code may register them, and do what any script may not.
cat > function_client.lua << 'EOF'
local library = script.text [[#!lua name=mine
redis.register_function('take', function(keys, args) return redis.call('get', keys[1]) end)
]]
local other = script.text [[
redis.register_function('take', nobody)
]]
return function(me) return me:eval(library, { "k" }, {}, { fcall = "take" }) end
EOF
run lint function_client.lua
check "register_function is a library's alone" test "$(grep -c "Redis has no 'redis.register_function'" "$out")" -eq 1
check "... wherever the library stands" grep -q '^function_client.lua:5:' "$out"

# Client code: what a comment allows, what is no driver's business, and what stands in its place.
sed 's/^  me:send/  -- locksim: allow LC001 nobody needs to know\n  me:send/' "$examples/LC001_bad.lua" \
    > allowed_client.lua
run lint allowed_client.lua
check "a comment allows a code of client code" test "$(grep -c 'LC001' "$out")" -eq 6
sed 's/^  local gone, problem/  -- locksim: allow LC003 no release is blind here\n  local gone, problem/' \
    "$examples/LC003_good.lua" > nothing_to_allow.lua
run lint nothing_to_allow.lua
ends 1 "an allowance for nothing"
check "... is a finding, once" test "$(grep -c 'LC003 is not found here' "$out")" -eq 1
cat > test_of_it.lua <<'X'
return { title = "x", clients = { "A" }, program = function(me)
  me:call("DEL", "L", { op = "release" })
end }
X
sed '1s/.*/local function all(me) me:eval(s) end\n&/' test_of_it.lua > helper_of_it.lua
run lint helper_of_it.lua
ends 0 "nor is what its own functions do, where none registers a lock"
sed '1s/me:eval/me:observe("L", {}) me:eval/' helper_of_it.lua > driver_of_it.lua
run lint driver_of_it.lua
ends 1 "a driver in the scenario's own file is looked at"
run lint test_of_it.lua
ends 0 "what a scenario's program does is the test"
run lint "$ROOT"/scenarios/{museum,findings,faults,fairness,meetings,tour,compare} "$ROOT"/scenarios/seeds/*.lua
check "no driver in a shipped scenario has anything that is not allowed" out_lacks "[LC0"

# What is left out, and by how much the exit status goes.
printf 'redis.call("set", "k", "v")\nreturn redis.call("nosuch")\n' > two.lua
run lint two.lua --format json
check "a literal key and a command that is not there are found" [ "$(grep -c '"code"' "$out")" -ge 2 ]
run lint two.lua --ignore LS005,no-expiry
check "an ignored code is not told" out_lacks "[LS005]"
ends 1 "the others are"
codes=$("$LOCKSIM" lint two.lua --format json | sed -n 's/.*"code": "\(.*\)".*/\1/p' | sort -u | paste -sd,)
run lint two.lua --ignore "$codes"
ends 0 "nothing is left"
run lint two.lua --min-severity error
check "warnings are left out" out_lacks "warning["
check "errors are not" out_has "error["
run lint two.lua --ignore LS999
ends 64 "a code that nobody has"
check "is named" err_has "there is no finding 'LS999'"
