# tour.sh - what README.md shows is what happens: its tour, its lock of one's own, and the change that mends each.

# The README's indented or fenced lines that begin with the pattern $1, up to the next fence.
shown() { sed -n "/$1/,/^\`\`\`/p" "$ROOT/README.md" | grep -v '^```'; }

cp -R "$ROOT/scenarios" "$ROOT/scripts" . && mkdir build && ln -s "$LOCKSIM" build/locksim
LOCKSIM=build/locksim run run scenarios/tour/sleeper.lua
ends 1 "the tour finds the bug"
check "as the lost wake-up" test "$(head -1 "$out")" = "FAIL  scenarios/tour/sleeper.lua   no_lost_wakeup  LK010"
shown '^FAIL  scenarios.tour.sleeper' | grep -vE '^ +\.\.\.$|^$' > told
check "README shows more than five lines of it" test "$(wc -l < told)" -gt 5
while IFS= read -r line; do
    check "README's line stands in the output: $line" out_has "$line"
done < told
run replay .locksim/out/scenarios.tour.sleeper.LK010.lua
ends 1 "it replays"
sed -i 's/redisson\.fair_3_13/redisson.fair/' scenarios/tour/sleeper.lua
run run scenarios/tour/sleeper.lua
ends 0 "today's scripts pass"

code() { sed 's/ *--.*//'; }
check "README prints the lock of one's own as it is shipped" \
    test "$(shown '^local generic = ' | code)" = \
        "$(sed -n '/^local generic = /,$p' "$ROOT/scenarios/tour/own/lock.lua" | code)"
run run scenarios/tour/own/lock.lua
ends 1 "a lock of one's own"
check "its release frees another client's lock" test "$(head -1 "$out")" = \
    "FAIL  scenarios/tour/own/lock.lua   owner_only  LK003"
cat > scenarios/tour/own/release.lua <<'Y'
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
Y
run run scenarios/tour/own/lock.lua
ends 0 "with a release that asks whose lock it is"
