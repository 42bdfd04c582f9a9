# coverage.sh - `locksim run --coverage`: the lcov file and the sources with counts, over several scenarios, and what
# can't be written.

mkdir -p lib
cat > lib/take.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 0 then
  redis.call('set', KEYS[1], ARGV[1], 'px', 100)
  return 1
end
if ARGV[1] == 'nobody' then
  return redis.error_reply('ERR never')
end

-- No code here.
return 0
LUA
scenario() {
    cat <<LUA
return {
  title = "takes", clients = { $1 },
  program = function(me)
    me:eval(script "lib/take.lua", { "l" }, { me.id })
    me:eval("return 1", {}, {})
  end,
}
LUA
}
scenario '"A"' > one.lua
scenario '"A", "B"' > two.lua

run run one.lua --coverage cov
ends 0 "one client"
check "the sum as text" out_has 'covered  4 of 7 lines, 1 of 4 branches of 2 scripts'
check "the first client never goes on" grep -qE '^    ##### \|  10  return 0$' cov/lib.take.lua.txt
check "what has no code has no count" grep -qE '^          \|   9  -- No code here\.$' cov/lib.take.lua.txt
check "a way that a decision never went" grep -qF '|      never: else (column 1)' cov/lib.take.lua.txt
run run one.lua two.lua --coverage cov --jobs 1
cp cov/lcov.info first.info
check "both together reach the last line" grep -qE '^ +[1-9][0-9]* \|  10  return 0$' cov/lib.take.lua.txt
check "lcov: a record for the file alone" test "$(grep -c '^SF:' cov/lcov.info)" -eq 1
check "lcov: its name" grep -qxF 'SF:lib/take.lua' cov/lcov.info
check "lcov: lines found and hit" awk -F: \
    '/^DA:/ { split($2, d, ","); n++; h += d[2] > 0 } /^LF:/ { f = $2 } /^LH:/ { t = $2 } END { exit !(n == f && h == t && n == 6 && h == 5) }' cov/lcov.info
check "lcov: branches in pairs" awk -F'[:,]' \
    '/^BRDA:/ { n++; seen[$3]++; h += $5 > 0 } /^BRF:/ { f = $2 } /^BRH:/ { t = $2 } END { for (b in seen) if (seen[b] != 2) exit 1; exit !(n == f && h == t && n == 4) }' cov/lcov.info
run run one.lua two.lua --coverage cov --jobs 2 --format json
check "the same whatever --jobs and --format" cmp -s cov/lcov.info first.info
check "no lines of text in a document" out_lacks 'covered  '
run run one.lua --coverage one.lua
ends 64 "a file where the folder should be"
check "the result is not lost" out_has 'PASS'
check "says what cannot be written" err_has 'one.lua'

# Two scripts whose paths make the same name for the copy with counts.
mkdir -p a
echo "return redis.call('get', KEYS[1])" > a/b.lua
echo "return redis.call('ttl', KEYS[1])" > a.b.lua
echo 'return { title = "two", clients = { "A" }, program = function(me)
  me:eval(script "a/b.lua", { "k" }, {})
  me:eval(script "a.b.lua", { "k" }, {})
end }' > both.lua
run run both.lua --coverage both
check "both are written" test "$(cat both/a.b.lua*.txt | grep -c "redis.call('[gt]")" -eq 2
