# trace_scenario.sh - `locksim trace --to-scenario`: a passage of a log becomes a scenario that shows the same; and
# --dialect, which server wrote the log.
logs=$ROOT/tests/trace

run trace "$logs/plain.log" --to-scenario incident.lua
ends 1 "a scenario of the first violation"
check "what its run shows is told" out_has \
    'incident.lua   3 requests about "order:42"; it was run, and shows LK003 owner_only'
run run incident.lua
ends 0 "the scenario expects what the log shows"
check "namely the hold that was taken" out_has "owner_only is violated, as expected"
sed 's/owner_only = "violated"//' incident.lua > naive.lua
run run naive.lua
ends 1 "without that expectation it fails"
check "for the same deed, at its time" out_has 'C:1 (del) took away the hold of A:1 on "order:42" at 0.037 s'
sed '/line = 11/,/words/d; s/ +5 C.sleep C.del//' incident.lua > mended.lua
run run mended.lua
ends 1 "without the deletion the expectation fails"
check "for the property holds" out_has "The scenario expects owner_only to be violated, and it holds."
run trace "$logs/plain.log" --to-scenario two.lua --lines 8-12
check "a passage of one's own" out_has "shows LK001 mutual_exclusion, LK003 owner_only"
run trace "$logs/plain.log" --to-scenario late.lua --lines 7-9
check "a lease that ends within a hold: two believe" out_has "shows LK002 strict_mutual_exclusion"
run run late.lua
ends 0 "and its scenario passes"
run trace "$logs/redisson.log" --lock redisson.lock --to-scenario persist.lua
check "a family's script is named, so that a changed one takes its place" \
    grep -q 'script = script "redisson/lock/acquire.lua", keys = { "stock" }, args = { "400", "A:1" }' persist.lua
run run persist.lua
ends 0 "Redisson's lock without a lease"

# A table of one's own.
mkdir my
printf 'local generic = require "generic"\nreturn generic.lock { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = "give_back.lua",
  args = { release = { "$token" } }, granted = "OK", lease_ms = 1000 }\n' > my/table.lua
printf "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0" > my/give_back.lua
sha=$(sha1sum < my/give_back.lua | cut -d ' ' -f 1)
cat > mine.log << EOF
1700000000.000000 [0 10.0.0.1:1] "SET" "other" "x"
1700000001.100000 [0 10.0.0.1:1] "SET" "L" "a" "NX" "PX" "1000"
1700000001.200000 [0 10.0.0.2:1] "SET" "L" "b" "PX" "1000" "NX"
1700000001.300000 [0 10.0.0.1:2] "EVALSHA" "$sha" "1" "L" "a"
1700000001.300001 [0 lua] "GET" "L"
1700000001.300002 [0 lua] "DEL" "L"
1700000001.400000 [0 10.0.0.2:1] "SET" "L" "b" "EX" "1" "NX"
EOF
run trace mine.log --lock my/table.lua --to-scenario x.lua
ends 65 "a log in which nothing is violated"
check "has a way out" err_has "--lines FIRST-LAST makes one of any passage"
run trace mine.log --lock my/table.lua --to-scenario mine.lua --lines 2-7
ends 0 "which is taken"
check "the next command finds the table" out_has "run mine.lua --scripts my"
run run mine.lua --scripts my
ends 0 "a scenario of a table of one's own"
check "its script is named as the table names it" grep -q 'script "give_back.lua"' mine.lua
printf 'return { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = { "DEL", "$lock" }, granted = "OK", lease_ms = 1000 }\n' > my/plain.lua
run trace mine.log --lock my/plain.lua --to-scenario x.lua --lines 2-7
ends 65 "a script that nobody knows"
check "names the line" err_has "line 4 of the log cannot be part of a scenario: its script is not known here"

# Instants in a request's words move along with it.
cat > until.log << 'EOF'
1700000101.000000 [0 10.0.0.1:1] "SET" "L" "a" "NX" "PX" "1000"
1700000101.200000 [0 10.0.0.2:1] "SET" "L" "1700000102200" "XX" "PX" "1000"
EOF
run trace until.log --lock my/plain.lua --to-scenario until.lua --lines 1-2
check "an instant is counted from the passage's beginning" grep -q 'words = { "SET", "L", at(1200), "XX"' until.lua
run run until.lua --scripts my -v
check "and stands there in the run" out_has "SET L 1700000001200 XX"

# What is there stays as it is.
cp mine.log kept.log
run trace mine.log --lock my/table.lua --to-scenario mine.log --lines 2-7
ends 64 "a scenario in the place of the log"
check "says so" err_has "this file is there already"
check "and the log stays" cmp mine.log kept.log
echo "-- mended" >> incident.lua
run trace "$logs/plain.log" --to-scenario incident.lua
ends 64 "a scenario that may have been changed"
check "stays, too" grep -q "^-- mended" incident.lua
run trace "$logs/plain.log" --to-scenario -x.lua
ends 1 "a name that begins like an option"
check "is one of a file" out_has "run ./-x.lua"

run trace - --to-scenario x.lua < mine.log
ends 64 "standard input is read once only"
for lines in 5 5-2 0-3 x-y 3-; do
    run trace mine.log --lock my/table.lua --to-scenario x.lua --lines "$lines"
    ends 64 "--lines $lines"
done
run trace mine.log --lock my/table.lua --lines 2-3
ends 64 "--lines without --to-scenario"
run trace "$logs/plain.log" --to-scenario "$PWD/mine.log/y.lua"
ends 64 "a file that cannot be written"

# --dialect
cat > valkey.json << 'EOF'
{"time": 1700000000000, "client": "A", "words": ["SET", "L", "a", "NX", "PX", "1000"], "answer": {"status": "OK"}}
{"time": 1700000000100, "client": "A", "words": ["DELIFEQ", "L", "a"], "answer": 1}
{"time": 1700000000200, "client": "B", "words": ["SET", "L", "b", "NX", "PX", "1000"], "answer": {"status": "OK"}}
EOF
printf 'return { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = { "DEL", "$lock" }, granted = "OK", lease_ms = 1000 }\n' > my/valkey.lua
run trace valkey.json --lock my/valkey.lua
check "another server than ours" out_has "difference"
run trace valkey.json --lock my/valkey.lua --dialect "valkey 9.1"
ends 0 "the log's own dialect"
check "has no difference" out_has "answers were compared; 0 differ"
run trace valkey.json --lock my/valkey.lua --dialect "valkey 9.1" --to-scenario valkey.lua --lines 1-3
check "a scenario of it names the dialect" grep -q 'dialect = "valkey 9.1"' valkey.lua
run trace valkey.json --dialect "valkey 1.0"
ends 64 "a dialect that there is not"
