# requests.sh - every request as it was sent: `run` and `replay` list them in JSON and with -v, and `replay --to` plays
# them to a server.

cat > s.lua << 'EOF'
local redis_py = require "redis_py.lock"
return {
  title = "work that takes longer than the lease",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 500 } },
  program = function(me)
    local lock = redis_py.lock(me, "L", { lease_ms = 2000, retry_ms = 1000 })
    lock:acquire()
    me:work(3000)
    lock:release()
  end,
  expect = { strict_mutual_exclusion = "holds" },
}
EOF
run run s.lua -o out --format json
# Prints client, sent, executed, answered (ms since the beginning), the words but for the script's hash, and the answer.
requests() { python3 - "$out" << 'EOF'
import json, sys
r = json.load(open(sys.argv[1]))["results"][0]
for q in r["requests"] if "requests" in r else r["counterexamples"][0]["requests"]:
    at = [None if q[k] is None else q[k] - 1700000000000 for k in ("sent_ms", "executed_ms", "answered_ms")]
    words = [w if len(w) != 40 else "SHA" for w in q["words"]]
    print(q["task"], *at, " ".join(words), "->", q["answer"])
EOF
}
check "the JSON lists every request with its times, words and answer" test "$(requests)" = \
    "A:1 0 0 0 SET L A:1/A#0:token:1 PX 2000 NX -> OK
B:1 500 500 500 SET L B:1/B#0:token:1 PX 2000 NX -> nil
B:1 1500 1500 1500 SET L B:1/B#0:token:1 PX 2000 NX -> nil
B:1 2500 2500 2500 SET L B:1/B#0:token:1 PX 2000 NX -> OK"
run run s.lua -o out -v
check "so does --verbose" out_has "2.500 s    2.500 s    2.500 s  B:1      SET L 'B:1/B#0:token:1' PX 2000 NX -> OK"
run run s.lua -o out
check "without it the list stays away" out_lacks "words -> answer"

# What was sent and never executed is in the list, too.
run run "$ROOT/scenarios/museum/G1.lua" -o museum --format json
requests > list
check "a request whose sender crashed has no answer" grep -qx 'A:1 0 None None PEXPIRE order:42 1000 -> None' list

# Played to a server: ours, which answers as the story has it.
saved=out/s.LK002.lua
check "the story was saved" test -e $saved
timeout -k 5 600 "$LOCKSIM" serve --port 0 > where 2> serve.err &
server=$!
until grep -q '^listening' where || ! kill -0 $server 2> /dev/null; do sleep 0.02; done
port=$(sed -n 's/^listening on 127.0.0.1://p' where)
for _ in 1 2 3 4 5; do                 # on a machine that is late nobody knows
    run replay $saved --to "127.0.0.1:$port"
    status_is 2 || break
    redis-cli -p "$port" flushall > "$out"
done
ends 0 "a story played to a server in real time"
check "all answers are as ours" out_has "in real time: every answer is as ours"
check "each is shown" out_has "2.500 s  B:1  SET L 'B:1/B#0:token:1' PX 2000 NX -> OK"

# A server that stands still for longer than the lease, once it has the lock: the second SET comes too late.
redis-cli -p "$port" flushall > "$out"
( until [ "$(redis-cli -p "$port" exists L)" = 1 ]; do sleep 0.02; done
  read -r serve < "/proc/$server/task/$server/children"        # below timeout
  kill -STOP "$serve" && sleep 2.4 && kill -CONT "$serve" ) &
run replay $saved --to "127.0.0.1:$port"
ends 2 "who was late says so instead of an accusation"
check "and what to do" out_has "this machine was late at"

redis-cli -p "$port" flushall > "$out"
run replay $saved --to "127.0.0.1:$port" --fast
ends 1 "without the time between, a lease does not end"
check "what is answered otherwise is marked, with both answers" \
    out_has "! 2.500 s  B:1  SET L 'B:1/B#0:token:1' PX 2000 NX -> OK   there: nil"
redis-cli -p "$port" flushall > "$out"
redis-cli -p "$port" set somebodys key > "$out"
run replay $saved --to "127.0.0.1:$port" --fast
ends 64 "a server that holds data"
check "is refused" err_has "the server holds data"
run replay $saved --to "127.0.0.1:$port" --fast --among-data --format json
check "unless told otherwise; the JSON has both answers" python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))["played"]["requests"]; assert [r["result"] for r in d].count("differs") >= 1 and d[0]["theirs"] == "OK"' "$out"
kill $server
wait $server
run replay $saved --to "127.0.0.1:$port"
ends 64 "a server that is not there"
check "is named" err_has "no Redis answers there"
run replay $saved --to nonsense
ends 64 "an address that is none"
run replay $saved --fast
ends 64 "--fast without a server"
