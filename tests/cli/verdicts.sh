# verdicts.sh - `locksim run` from a stranger's folder with scripts of its own: each verdict with its status and words,
# options, formats, and that nothing is written but where it may be.

cat > acquire.lua <<'X'
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
X
cat > release.lua <<'X'
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
X
mkdir careless
cat > careless/release.lua <<'X'
return redis.call('del', KEYS[1])
X
# Usage: scenario NAME FIELDS      two clients of the lock above; FIELDS come last
scenario() {
    cat > "$1.lua" <<X
-- $1.lua: a stranger's lock.
local generic = require "generic"
local mine = generic.lock {
  acquire = "acquire.lua", release = "release.lua", keys = { "\$lock" },
  args = { acquire = { "\$owner", "\$lease_ms" }, release = { "\$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 3000,
}
return {
  title   = "a stranger's lock: $1",
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42", { lease_ms = 5000 })
    lock:acquire()
    me:work(10)
    lock:release()
  end,
  $2
}
X
}

scenario good 'explore = { random = 50 },'
run run good.lua
ends 0 "a good lock"
check "PASS is the first word" test "$(head -c 4 "$out")" = PASS
check "nothing is written" test ! -e reports
check "nothing goes to stderr" err_is_empty

# The same scenario with a careless release: found under PCT, saved, replayed.
late='A.acquire !pause A B.acquire +3000 B B.acquire +2001 +1000 B B.acquire !resume A A.work A.release'
scenario late 'faults = { pause = 1 }, explore = { random = 2000, strategy = "pct" },'
run run late.lua
ends 0 "a careful release"
mv release.lua careful.lua && cp careless/release.lua .
run run late.lua
ends 1 "a careless release"
check "FAIL comes first, with file, property and code" test "$(head -1 "$out")" = "FAIL  late.lua   owner_only  LK003"
check "the table has a column per client and one for Redis" grep -qE '^   #   time +A +B +Redis$' "$out"
check "the guilty command is shown with its line" out_has "release.lua:1  del order:42"
check "the fault is blamed" grep -qE '^  blame .*pause' "$out"
check "the command to see it again stands there" out_has "replay $LOCKSIM replay .locksim/out/late.LK003.lua"
check "the counterexample is saved" test -s .locksim/out/late.LK003.lua
check "a picture of it lies beside it" grep -q '^</svg>$' .locksim/out/late.LK003.svg
check "both are said on one line" out_has \
    "wrote  .locksim/out/late.LK003.lua   the schedule, a step a line   .locksim/out/late.LK003.svg   the same as a picture"
check "and nothing else but counterexamples" test \
    "$(find . -newer late.lua -type f ! -name '*.LK*.lua' ! -name '*.LK*.svg' ! -name release.lua ! -name .gitignore | wc -l)" -eq 0
cp "$out" first_time
cp .locksim/out/late.LK003.lua kept.lua
cp .locksim/out/late.LK003.svg kept.svg
run run late.lua
check "the same bytes again" cmp -s first_time "$out"
check "the same file again" cmp -s kept.lua .locksim/out/late.LK003.lua
check "the same picture again" cmp -s kept.svg .locksim/out/late.LK003.svg
if command -v luac5.1 > /dev/null; then check "the saved file is Lua" luac5.1 -p .locksim/out/late.LK003.lua; fi

# --scripts: another folder's script takes the place of a shipped one, not of the one beside the scenario.
cp careful.lua release.lua
run run late.lua --scripts careless
ends 0 "the script beside the scenario comes first"
rm release.lua
run run late.lua
ends 65 "no release script at all"
check "it is said where was looked" grep -qE "looked in .*scripts" "$out"
run run late.lua --scripts careless -o elsewhere/deep
ends 1 "the script from --scripts"
check "options are printed first" test "$(head -1 "$out")" = "options --scripts careless"
check "-o says where files go" test -s elsewhere/deep/late.LK003.lua
run replay elsewhere/deep/late.LK003.lua
ends 1 "a replay finds the --scripts of its run"
cp careful.lua release.lua

# Expectations.
scenario expected \
    'faults = { pause = 1 }, explore = { random = 2000, strategy = "pct" }, expect = { strict_mutual_exclusion = "violated" },'
run run expected.lua
ends 0 "an expected violation"
check "it is said in the line" out_has "strict_mutual_exclusion is violated, as expected ("
run run expected.lua --verbose
check "--verbose tells the expected story" grep -qE '^   #   time +A +B +Redis$' "$out"
check "--verbose lists the properties" grep -qE '^  LK001  mutual_exclusion +holds' "$out"
check "--verbose says what was never seen" grep -qE '^  never .*crash' "$out"
scenario unfound 'explore = { random = 50 }, expect = { strict_mutual_exclusion = "violated" },'
run run unfound.lua
ends 2 "an expected violation that a sample did not find"
check "INCONCLUSIVE comes first" test "$(head -c 12 "$out")" = INCONCLUSIVE
scenario limited 'explore = { random = 50 },'
run run limited.lua --max-steps 3
ends 2 "runs that are cut"
scenario vacuous 'explore = { random = 50 }, must_see = { "crash" },'
run run vacuous.lua
ends 3 "what had to be seen was not"
check "VACUOUS comes first" test "$(head -c 7 "$out")" = VACUOUS
printf 'return { title = "t", clients = { "A" }, program = function(me)\n  error("boom")\nend }\n' > driver.lua
run run driver.lua
ends 4 "an error in a program"
check "the error is located" out_has "driver.lua:2"
printf 'return { titel = "t", program = 1 }\n' > wrong.lua
run run wrong.lua
ends 65 "a wrong scenario"

# The worst counts, and every result is there.
run run vacuous.lua good.lua
ends 3 "vacuous and good"
run run unfound.lua vacuous.lua good.lua
ends 2 "inconclusive, vacuous and good"
run run good.lua --scripts none
ends 64 "a folder of scripts that is not there"
run run good.lua --scripts careless vacuous.lua
ends 3 "options between files"
run run driver.lua good.lua unfound.lua
ends 4 "driver error among others"
run run good.lua wrong.lua driver.lua absent.lua vacuous.lua
ends 65 "all kinds together"
for word in "PASS  good.lua" "ERROR  wrong.lua" "ERROR  driver.lua" "ERROR  absent.lua" "VACUOUS  vacuous.lua"; do
    check "$word is there" out_has "$word"
done
check "the summary counts them" out_has "5 scenarios: 1 passed, 1 vacuous, 3 in error"

# Folders: scenarios below, in byte order; scripts and what is hidden are no scenarios.
mkdir -p tree/b tree/.hidden && cp good.lua tree/z.lua && cp good.lua tree/b/y.lua && cp good.lua tree/.hidden/x.lua
cp acquire.lua release.lua tree && cp acquire.lua release.lua tree/b
run run tree
ends 0 "a folder"
check "its scenarios in byte order" test "$(grep -o 'tree/[a-z/]*.lua' "$out" | tr '\n' ' ')" = \
    "tree/b/y.lua tree/z.lua "

# A schedule from the command line.
run run good.lua --schedule 'A.acquire +10 A.work A.release'
ends 0 "a schedule"
check "a schedule is followed" out_has "schedule: "
run run good.lua --schedule 'A.acquire Z.acquire'
ends 65 "a schedule that names nobody"
check "the clients are named" out_has "A, B"
run run good.lua --schedule 'A.acquire !explode A'
ends 65 "a schedule with an unknown fault"

# Side by side: the same results in the same order, whatever the number of jobs.
run run good.lua vacuous.lua driver.lua unfound.lua late.lua --jobs 1
cp "$out" one_job
for jobs in 2 9; do
    run run good.lua vacuous.lua driver.lua unfound.lua late.lua --jobs $jobs
    ends 4 "--jobs $jobs"
    check "--jobs $jobs: the same bytes as one job" cmp -s one_job "$out"
done
run run good.lua --format markdown
ends 0 "as markdown"
check "markdown is a table" grep -q '^|.*LK001\|^|.*mutual_exclusion\|^|' "$out"

# Formats.
for format in json junit; do
    run run good.lua late.lua wrong.lua driver.lua vacuous.lua unfound.lua --format $format --verbose
    ends 65 "all kinds as $format"
    cp "$out" "all.$format"
    check "errors are said on stderr as well" err_has "driver.lua:2"
done
if command -v python3 > /dev/null; then
    check "the JSON parses and has what was promised" python3 - all.json <<'X'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["locksim"] == 1 and d["exit_status"] == 65
assert [r["verdict"] for r in d["results"]] == ["PASS", "PASS", "ERROR", "ERROR", "VACUOUS", "INCONCLUSIVE"]
for r in d["results"]:
    for key in ("strategy", "states", "transitions", "executions", "runs", "seed"):
        assert key in r["search"], key
    assert "seconds" not in r["search"]
    for p in r["properties"]:
        assert set(p) == {"name", "code", "outcome", "expected"}
    for c in r["counterexamples"]:
        assert c["schedule"] and c["steps"] and c["file"] and c["replayed"] is True
assert d["results"][2]["error"]["status"] == 65 and d["results"][3]["error"]["line"] == 2
X
    check "the JUnit XML is well-formed and counts" python3 - all.junit <<'X'
import sys, xml.etree.ElementTree as e
root = e.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites" and len(root) == 6
cases = root.findall(".//testcase")
assert len(cases) == int(root.get("tests")) and len(root.findall(".//error")) == int(root.get("errors"))
assert len(root.findall(".//failure")) == int(root.get("failures")) == 1
X
fi
check "the JSON begins with its version" test "$(sed -n 2p all.json)" = '  "locksim": 1,'

# Hostile titles and names.
printf 'return { title = "\\27[31m<&\\"]]>\\0\\255", clients = { "A" }, explore = { random = 2 }, program = function(me) me:call("PING") end }' > 'odd <&"name.lua'
for format in text json junit; do
    run run 'odd <&"name.lua' --format $format --verbose
    ends 0 "a hostile title as $format"
    check "no escape reaches the terminal as $format" test "$(LC_ALL=C grep -c $'\033' "$out")" -eq 0
done

# Time, colour, limits, interruption.
run run good.lua --timing
check "--timing shows seconds" grep -qE '[0-9]\.[0-9]{3} s' "$out"
run run good.lua --color always
check "--color always colours" grep -q $'\033\[32mPASS' "$out"
NO_COLOR=1 run run good.lua
check "no colour into a file" test "$(grep -c $'\033' "$out")" -eq 0
scenario endless 'explore = { random = 1000000000 },'
before=$SECONDS
run run endless.lua --time-limit 1
ends 2 "--time-limit"
check "--time-limit is kept" test $((SECONDS - before)) -lt 20
for seconds in 1 5 20; do                          # a busy machine may need longer to begin
    status=0
    timeout -s INT "$seconds" "$LOCKSIM" run --jobs 1 endless.lua good.lua > "$out" 2> "$err" || status=$?
    ! out_has "INCONCLUSIVE" || break
done
check "Ctrl-C ends the search and reports" out_has "INCONCLUSIVE"
check "what was not run is counted" out_has "1 not run"
# The same Ctrl-C arrives twice when a shell or `timeout` passes it on to the whole group; a later one ends the program
# at once.
"$LOCKSIM" run --jobs 1 endless.lua good.lua > "$out" 2> "$err" &
pid=$!
sleep 3
kill -INT $pid && sleep 0.005 && kill -INT $pid 2> /dev/null
wait $pid
check "a Ctrl-C that is sent twice reports all the same" out_has "INCONCLUSIVE"
"$LOCKSIM" run good.lua good.lua good.lua 2> "$err" | head -c 1 > "$out"
check "a closed pipe is no news" err_is_empty
touch file && run run late.lua --scripts careless -o file/sub
check "an output folder that cannot be made leaves the result" out_has "late.lua"

# A lock whose release script names its channel among its KEYS: one cluster slot, whether or not the lock's name has a
# hash tag.
cat > tell.lua <<'Y'
redis.call('publish', KEYS[2], 'free')
return redis.call('del', KEYS[1])
Y
for name in order:42 '{order}:42'; do
    cat > told.lua <<Y
local generic = require "generic"
local mine = generic.lock {
  acquire = "acquire.lua", release = "tell.lua", keys = { acquire = { "\$lock" }, release = { "\$lock", "\$channel" } },
  granted = 1, wait = "pubsub", lease_ms = 5000,
}
return {
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "$name")
    lock:acquire()  me:work(10)  lock:release()
  end,
  explore = { random = 50 },
}
Y
    run run told.lua
    ends 0 "a channel among the KEYS of the lock $name"
done

# Commands in the place of scripts, one request each: a crash between the two leaves a lock for ever, and in one command
# it does not. Usage: commands NAME ACQUIRE GRANTED
commands() {
    cat > "$1.lua" <<Y
local mine = require("generic").lock {
  acquire = $2, granted = $3, release = { "DEL", "\$lock" }, retry_ms = 1000, lease_ms = 1000,
}
return {
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42")
    if lock:acquire() then
      me:work(10)
      lock:release()
    end
  end,
  faults = { crash = 1 },
}
Y
    run run "$1.lua"
}
commands one '{ "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }' '"OK"'
ends 0 "one command takes the lock and sets its end"
commands two '{ { "SETNX", "$lock", "$token" }, { "PEXPIRE", "$lock", "$lease_ms" } }' 1
ends 1 "a crash between two commands"
check "the lock is for ever" out_has "no_deadlock  LK011"
commands undone '{ { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, { "GET", "$lock", equals = "another" } }' \
    '"OK"'
ends 3 "a lock that is never confirmed"
check "it is never granted" out_has '`granted` expects "OK", and each'
sed -i 's/faults = {/expect = { no_deadlock = "violated" }, faults = {/' undone.lua
run run undone.lua --verbose
ends 0 "... as expected"
check "it is given back" out_has "release -> 1"

# A fencing token reaches the resource, and its counter is no leak.
cat > fence.lua <<'Y'
return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and redis.call('incr', KEYS[2])
Y
cat > fenced.lua <<'Y'
local mine = require("generic").lock {
  acquire = "fence.lua", release = "release.lua", keys = { acquire = { "$lock", "{$lock}:fence" }, release = { "$lock" } },
  lasting = { "{$lock}:fence" }, fencing = true, lease_ms = 1000,
}
return {
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42")
    if lock:acquire() then
      me:use("the account", FENCE)
      lock:release()
    end
  end,
  faults = { pause = 1 },
  expect = { fencing = "holds" },
}
Y
sed 's/FENCE/lock.fence/' fenced.lua > with.lua
sed 's/FENCE/nil/' fenced.lua > without.lua
run run with.lua
ends 0 "the resource is told the token"
run run without.lua
ends 1 "the resource is not told the token"
check "it takes a late write" out_has "fencing  LK005"

sed 's/release = { "DEL", "$lock" }/release = { { "GET", "$lock" }, { "DEL", "$lock" } }/' one.lua > wrong.lua
run run wrong.lua
ends 65 "a release of two commands"
check "says what it is" out_has "release is one script or one command"

# A token that is passed on by a list: its lease runs from the push that ended the wait, not from the late answer.
token() {
    cat > "token_$1.lua" <<Y
return { title = "a token passed on", clients = { { "A", start_ms = 0 }, { "B", start_ms = 150 }, { "C", start_ms = 100 } }, latency_ms = { 0, 80 },
  timeout_ms = 1000, explore = "exhaustive", program = function(me)
    if me.client == "C" then me:call("RPUSH", "q", 1) me:sleep($1) me:call("RPUSH", "q", 2) return end
    me:wants("L")
    me:call("BLPOP", "q", 0, { op = "acquire", lock = "L", lease = 100 })
    me:granted("L", { lease = 100 })
  end }
Y
}
token 101
run run token_101.lua
ends 0 "a token that is passed on when its lease is over"
token 90
run run token_90.lua
ends 1 "a token that is passed on before its lease is over"

# What locksim does not do ends the run: a client that goes on with the error would go another way than in life.
cat > refused.lua <<'X'
return {
  clients = { "A", "B" },
  program = function(me)
    local made = me:call("DUMP", "jobs")
    me:call("SET", "made", made and "yes" or "no")
  end,
}
X
for how in '' --no-memo --no-fold '--runs 2'; do
    run run $how refused.lua
    ends 4 "a command that locksim refuses ${how:-by tables}"
    check "its place is told" out_has "refused.lua:4:"
    check "its name is told" out_has "locksim refuses 'DUMP'"
done
sed -i 's/me:call("DUMP.*/me:eval("return redis.call([[dump]], KEYS[1])", { "k" }, {})/' refused.lua
run run refused.lua
ends 4 "a script with such a command"
check "its place is told" out_has "refused.lua:4:"
check "its name is told" out_has "locksim refuses 'dump'"
sed -i 's/return redis.call(\[\[dump\]\], KEYS\[1\])/pcall(redis.call, [[dump]], KEYS[1]) return 1/' refused.lua
for how in '' --no-memo --no-fold '--runs 2'; do
    run run $how refused.lua
    ends 4 "a script that catches the refusal ${how:-by tables}"
    check "its place is told" out_has "refused.lua:4:"
    check "its name is told" out_has "locksim refuses 'dump'"
    check "so is its line in the script" out_has "on @user_script:1."
done
cat > judges.lua <<'X'
return {
  clients = { "A", "B" },
  always = function(_, redis)
    return true
  end,
  program = function(me)
    me:observe("L", { view = function(redis)
      return { holders = {}, keys = {} }
    end })
    me:call("PING")
  end,
}
X
run run judges.lua
ends 0 "a view, and always, that ask for nothing"
for line in 3 7; do
    for call in "DUMP:locksim refuses 'DUMP'" "TIME:a view cannot ask for the time"; do
        sed "${line}s/\$/ pcall(redis.call, '${call%%:*}', 'k')/" judges.lua > caught.lua
        for how in '' --no-memo --no-fold '--runs 2'; do
            run run $how caught.lua
            ends 4 "line $line catches the refusal of ${call%%:*} ${how:-by tables}"
            check "its place is told" out_has "caught.lua:$line:"
            check "what it is is told" out_has "${call#*:}"
        done
    done
done

# A view that names tokens, and says nothing of the lease, makes every release look like theft: it is told why.
cat > tokens.lua <<'X'
local function view(redis, name)
  local token = redis.call("GET", name)
  return { holders = token and { [token] = 1 } or {}, keys = token and { name } or {} }
end
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", { view = view })
    me:wants("L")
    if me:call("SET", "L", me:unique("token"), "NX", "PX", 100, { op = "acquire", lock = "L", lease = 100 }) then
      me:granted("L", { lease = 100 })
      me:call("DEL", "L", { op = "release", lock = "L" })
      me:released("L")
    else
      me:gave_up("L")
    end
  end,
}
X
run run tokens.lua
ends 1 "a view that names tokens"
check "nobody has this name" out_has "no client of this name has asked"
check "the lease is the view's" out_has "set it so, by the view's ttl_ms"
