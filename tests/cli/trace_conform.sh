# trace_conform.sh - `locksim trace --conform`: is what each owner sent a behaviour of that driver? Logs of the driver
# itself are; with a request that it would never send they are not.

# redis-py: a token waits 100 ms between two attempts.
ask() { echo "{\"time\": $((1700000000000 + $1)), \"client\": \"$2\", \"words\": [\"SET\", \"L\", \"$3\", \"PX\", \"2000\", \"NX\"], \"answer\": $4}"; }
sha=$(sha1sum < "$ROOT/scripts/redis_py/lock/release.lua" | cut -d ' ' -f 1)
give() { echo "{\"time\": $((1700000000000 + $1)), \"client\": \"$2\", \"words\": [\"EVALSHA\", \"$sha\", \"1\", \"L\", \"$3\"], \"answer\": $4}"; }
ok='"OK"'
{ ask 0 A a "$ok"; ask 10 B b null; ask 111 B b null; give 130 A a 1; ask 212 B b "$ok"; give 300 B b 1; } > good.json
run trace good.json --conform redis_py.lock
ends 0 "what redis-py does"
check "is told of each owner" out_has "conform       6 requests of 2 owners: 2 behave as redis_py.lock may, 0 sent"
{ ask 0 A a "$ok"; ask 10 B b null; ask 60 B b null; give 130 A a 1; } > hasty.json
run trace hasty.json --conform redis_py.lock
ends 1 "who asks again too soon"
check "is told with its line" out_has 'strange_request  "L"   line 3, at 0.060 s, since line 2'
check "and until when the driver would have waited" out_has "its next timer ends at 0.110 s"
sed 's/"time": 1700000000060/"time": 1700000000300/' hasty.json > late.json
run trace late.json --conform redis_py.lock
check "who is slow is not" out_has "0 strange requests"
{ ask 0 A a "$ok"; echo '{"time": 1700000000050, "client": "A", "words": ["DEL", "L"], "answer": 1}'; } > del.json
run trace del.json --conform redis_py.lock
check "a release by DEL is no request of redis-py's" out_has 'a sent DEL L at 0.050 s, which redis_py.lock would never send'
check "it is told what that would send" out_has "release (L Q:1"
{ ask 0 A a "$ok"; give 50 A a 1; give 60 A a 0; } > twice.json
run trace twice.json --conform redis_py.lock
check "nor is a second release with the same token" out_has 'line 3, at 0.060 s, since line 2'
{ ask 0 A a "$ok"; for command in GET PTTL EXISTS; do
    echo "{\"time\": 1700000000050, \"client\": \"A\", \"words\": [\"$command\", \"L\"]}"; done; give 130 A a 1; } > looks.json
run trace looks.json --conform redis_py.lock
ends 0 "owned() and locked() only read: anybody may"
check "they are passed over" out_has "passed over 3"
{ give 0 A a 1; ask 60 A c "$ok"; } > begun.json
run trace begun.json --conform redis_py.lock
check "what began before the log is passed over" out_has "0 strange requests"
check "and counted" out_has "passed over 1"
run trace good.json --conform redis_py.lock --format json
check "the JSON document has the counts" python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))["trace"]["conform"]; sys.exit(c["driver"] != "redis_py.lock" or c["conforming"] != 2)' "$out"
run trace good.json --conform no.such.driver
ends 65 "a driver that is not there"

# A driver of one's own: another delay.
printf 'return { acquire = { "SET", "$lock", "$token", "PX", "$lease_ms", "NX" }, release = script "redis_py/lock/release.lua",
  args = { release = { "$token" } }, granted = "OK", lease_ms = 2000 }\n' > mine.lua
sed -i 's/release = script "\(.*\)",/release = "\1",/' mine.lua
run trace good.json --conform mine.lua
check "a table is a driver, too" out_has "2 behave as mine.lua may"

# A lock that no scenario can name does not end the rest.
{ cat good.json; sed 's/"L"/"L\\u0000"/' good.json; } | sort > nul.json
run trace nul.json --conform redis_py.lock
ends 2 "a lock's name with a NUL byte"
check "is undecided, and the others are not" out_has "2 behave as redis_py.lock may"
check "and it is told why" out_has "the lock's name holds a NUL byte"
grep 'u0000' nul.json > only.json
run trace only.json --to-scenario nul.lua --lines 1-6
ends 65 "nor can a scenario name it"
check "the line is told" err_has "line 1 of the log cannot be part of a scenario: the lock's name holds a NUL byte"

# A script that is about no lock.
{ echo '{"time": 1700000000000, "client": "A", "words": ["EVAL", "return redis.call(\"GET\", KEYS[1])", "1", "cfg"], "answer": "v"}'
  cat good.json; } > aside.json
run trace aside.json
check "what it reads the log may not tell: it is not compared" out_has "0 differ"

# The driver with other options than its own.
printf 'local M, driver = {}, require "redis_py.lock"
for name, value in pairs(driver) do M[name] = value end
function M.lock(me, name, options) options.retry_ms = 50 return driver.lock(me, name, options) end
return M\n' > hasty.lua
run trace hasty.json --conform hasty.lua
ends 0 "who waits 50 ms is not hasty by such a driver"

# Redisson: messages, renewals, latches. What its driver sends in a run is a behaviour of it.
cat > redisson.lua << 'EOF'
local redisson = require "redisson.lock"
return { clients = { { "A", start_ms = 0 }, { "B", start_ms = 50 }, { "C", start_ms = 120 } }, program = function(me)
  local lock = redisson.lock(me, "L", {})
  for _ = 1, 2 do
    if me.client == "C" then
      if lock:try_acquire(30000) then me:work(12000) lock:release() end
    else
      lock:acquire() me:work(me.client == "A" and 25000 or 300) lock:release()
    end
    me:sleep(70)
  end
end }
EOF
run run redisson.lua --schedule A --format json -v
python3 - "$out" > redisson.json << 'EOF'
import json, sys
def requests(x):
    if isinstance(x, dict):
        x = [x["requests"]] if x.get("requests") else list(x.values())
        if x and isinstance(x[0], list) and x[0] and isinstance(x[0][0], dict) and "words" in x[0][0]: return x[0]
    for y in x if isinstance(x, list) else []:
        found = requests(y)
        if found: return found
def value(text):
    if text is None or text == "nil": return None
    try: return json.loads(text)
    except ValueError: return text
for r in sorted(requests(json.load(open(sys.argv[1]))), key=lambda r: r["executed_ms"]):
    print(json.dumps({"time": r["executed_ms"], "client": r["client"].split(":")[0], "words": r["words"], "answer": value(r["answer"])}))
EOF
run trace redisson.json --conform redisson.lock
ends 0 "what Redisson's driver sends"
check "by each of its owners" out_has "of 3 owners: 3 behave as redisson.lock may"
check "with renewals" out_lacks " 0 renewals"
sed 's/"time": 1700000010000/"time": 1700000009000/' redisson.json > renewal.json
run trace renewal.json --conform redisson.lock
check "a renewal before its watchdog's time" out_has "1 sent what it would never send"
check "and when that is" out_has "its next timer ends at 10.000 s"
sed 's/"30000", "B:1"/"20000", "B:1"/' redisson.json | grep -v C:1 > lease.json
run trace lease.json --conform redisson.lock
check "a lease that the caller names is no other behaviour" out_has "0 sent what it would never send"
