# patch.sh - an overlay as a diff inside the scenario: what it changes runs, and each line is told where it is written;
# where the original has moved, the scenario does not load, and nothing is passed over.

mkdir -p lib
cat > lib/inc.lua <<'L'
-- inc.lua: count.
local key = KEYS[1]
local by = 1
if ARGV[1] then by = 2 end
return redis.call('incrby', key, by)
L
cat > s.lua <<'L'
-- s.lua: a counter, and one that fails.
local inc = script "lib/inc.lua"
return {
  clients = { "A" }, program = function(me) me:eval(inc, { "k" }, {}) end,
  explore = { schedule = "A" },
  expect  = { script_health = "violated" },
  patch   = {
    ["lib/inc.lua"] = [[
@@
 local key = KEYS[1]
-local by = 1
+local by = 'x'
@@
-if ARGV[1] then by = 2 end
+redis.call('set', key, '0')
]],
  },
  twin = { patch = {}, expect = { script_health = "holds" } },
}
L
run run s.lua --verbose
ends 0 "a patched script and its twin"
check "a changed line is told in the scenario" grep -qE 's\.lua:15 +set k 0 -> OK' "$out"
check "an unchanged one in the original" grep -qE 'lib/inc\.lua:5 +incrby k x -> error' "$out"
check "the twin's script is the original" grep -qE '^ +lib/inc\.lua  [0-9] of [0-9] lines' \
    <("$LOCKSIM" run s.lua:twin --verbose)
run list scenarios s.lua:exhibit --show
ends 0 "list --show"
check "prints the patched text" test "$(sed 1d "$out")" = \
    "$(sed "s/^local by = 1/local by = 'x'/; s/^if ARGV.*/redis.call('set', key, '0')/" lib/inc.lua)"
check "under the case's name" grep -qxF '==> s.lua:exhibit lib/inc.lua <==' "$out"
run list scenarios s.lua:twin --show
check "and nothing where nothing is patched" out_is_empty
run run s.lua:exhibit --coverage cover --format json
sha=$("$LOCKSIM" list scenarios s.lua:exhibit --show | sed 1d | sha1sum | cut -d' ' -f1)
check "the SHA is that of the patched text" out_has "\"sha1\": \"$sha\""
check "and so is the coverage" out_has '"script": "s.lua:exhibit:lib/inc.lua"'
run run s.lua:exhibit -o saved
run replay saved/s.exhibit.LK050.lua
ends 1 "a story of a patched case replays"

# The original moves.
sed -i "s/^local by = 1/local by = 7/" lib/inc.lua
run run s.lua:exhibit
ends 65 "the original has moved"
check "where the patch has the line that is gone" out_has \
    's.lua:11: error[scenario]: the patch of lib/inc.lua: the original has moved, lib/inc.lua has no such line: "local by = 1"'
run run s.lua:twin
ends 0 "the twin does not care"
run watch s.lua --once
ends 65 "watch says so, too"
sed -i "s/^local by = 7/local by = 1/" lib/inc.lua
echo "local by = 1" >> lib/inc.lua
run run s.lua:exhibit
check "a changed end does no harm to a hunk with context" out_lacks "has moved"
rm lib/inc.lua
run run s.lua
ends 65 "the original is gone"
for patch in "'x'" "{ 'x' }" '{ ["lib/inc.lua"] = 7 }' '{ ["nope.lua"] = "@@\n-a\n+b\n" }' \
    '{ ["../../etc/passwd"] = "@@\n-root\n+b\n" }' '{ ["/etc/passwd"] = "x" }' \
             '{ [""] = "x" }' '{ ["lib/inc.lua"] = ("@@\n"):rep(100000) }'; do
    echo "return { clients = { 'A' }, program = function(me) end, patch = $patch }" > bad.lua
    run run bad.lua
    ends 65 "patch = ${patch:0:40}"
done
rm bad.lua

# A second version under a patch.
echo "local key = KEYS[1]
local by = 1
if ARGV[1] then by = 2 end
return redis.call('incrby', key, by)" > lib/inc.lua
mkdir -p new/lib && sed 's/incrby/incrbyfloat/' lib/inc.lua > new/lib/inc.lua
sed -i "s/'x'/3/; /script_health/d; s/twin = .*//" s.lua
run compare . new s.lua
ends 1 "compare patches both versions"
check "and finds what differs beside the patch" out_has "incrbyfloat"
