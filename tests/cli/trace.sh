# trace.sh - `locksim trace`: what a real server's MONITOR log shows, what a damaged one does, and lock tables. The logs
# of tests/trace were recorded from redis-server 7.0 (record.sh).
logs=$ROOT/tests/trace

# Four clients and SET NX PX: one lease ends during its hold, one lock is deleted by another client.
run trace "$logs/plain.log"
ends 1 "a log in which a lock is deleted under its holder"
check "the verdict comes first" out_has \
    "FAIL  $logs/plain.log   2 violations, 1 warning; 9 requests about locks, 3 grants"
check "the deletion is the deed of another" out_has "LK003 owner_only  \"order:42\"   line 11"
check "it says whose" out_has "(del) took away the hold of tokC"
check "then two are promised the lock" out_has "LK001 mutual_exclusion  \"order:42\"   line 12"
check "with the line of the other grant" out_has "since line 8"
check "a lease ended during a hold" out_has "The lease of tokB (300 ms, granted in line 7) ended at"
check "and a client got in meanwhile" out_has "tokC was granted it meanwhile, in line 8"
check "what cannot be judged is said" out_has "LK002, whether two clients believed"
cp "$out" first
run trace "$logs/plain.log"
check "the same log gives the same bytes" cmp -s first "$out"
gzip -c "$logs/plain.log" > plain.log.gz
run trace plain.log.gz
sed 's|[^ ]*/plain.log |plain.log.gz |' first > wanted
check "so does the same log as gzip" cmp -s wanted "$out"
head -c $(($(wc -c < plain.log.gz) / 2)) plain.log.gz > cut.log.gz
run trace cut.log.gz
check "a gzip file that is cut is told" err_has "the compressed log is cut or damaged"
status=0; "$LOCKSIM" trace - < "$logs/plain.log" > "$out" 2> "$err" || status=$?
ends 1 "a log from standard input"

# Redisson's lock: renewals without an owner, a persist, a late release.
run trace "$logs/redisson.log" --lock redisson.lock --format json
ends 1 "Redisson's lock"
check "the JSON document is one" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$out"
kinds() { python3 -c 'import json, sys
for f in json.load(open(sys.argv[1]))["trace"]["findings"]: print(f["code"] or f["kind"], f["lock"], f["line"], f["since_line"])' "$out"; }
check "its findings, with their lines" test "$(kinds)" = "overrun stock 41 33
orphan stock 110 37
LK031 stock 134 37
LK003 stock 135 37"
run trace "$logs/redisson.log" --lock redisson.lock --orphan-leases 20
check "how long is an orphan's time is an option" out_lacks "orphan  "
run trace "$logs/redisson.log" --lock redis_py.lock
check "by the table of another lock nothing is known of it" status_is 3
check "and that is said" out_has "VACUOUS"

# A table of one's own, beside its scripts. The script's text stands in the log, too.
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
1700000001.500000 [0 10.0.0.2:1] "EVALSHA" "$sha" "1" "L" "b"
1700000001.500001 [0 lua] "GET" "L"
1700000001.500002 [0 lua] "DEL" "L"
EOF
run trace mine.log --lock my/table.lua
ends 0 "a lock table of one's own"
check "its numbers are measured" out_has "wait, ms      mean 100"
check "each grant is counted" out_has "5 requests about locks, 2 grants"
printf 'return { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = { "DEL", "$lock" }, granted = "OK", lease_ms = 1000 }\n' > my/plain.lua
run trace mine.log --lock my/plain.lua
ends 0 "a table alone is a generic.lock"
check "a script that nobody knows is told once" out_has "unknown_script   line 4"
check "and executed by its lua lines" out_has "2 grants"
run trace mine.log --lock my/plain.lua --scripts my
check "unless --scripts has it" out_lacks "unknown_script"
sed '/ lua\]/d' mine.log > silent.log
run trace silent.log --lock my/plain.lua
ends 2 "a script that nobody knows, without its commands"

# Differences: the log's server did something else than ours.
sed 's/"DEL" "L"/"GET" "L"/' mine.log > other.log
run trace other.log --lock my/table.lua
ends 2 "a script that did something else there"
check "the first difference is told" out_has "difference  \"L\"   line 6, at 1.300 s, since line 4"
check "with both sides" out_has "The log has GET L, our server DEL L."

# Locks without expiry; a storm; a queue's head that is passed over is in the unit tests.
cat > forever.log << EOF
1700000000.000000 [0 10.0.0.1:1] "DEL" "L"
1700000001.000000 [0 10.0.0.1:1] "SET" "L" "a" "NX"
1700000001.100000 [0 10.0.0.9:1] "DEL" "L"
1700000002.000000 [0 10.0.0.1:1] "SET" "L" "a" "NX"
EOF
run trace forever.log
ends 1 "a lock without expiry"
check "is told" out_has "LK031 lease_set"
{ echo '1700000000.000000 [0 10.0.0.1:1] "PING"'
  echo '1700000100.000000 [0 10.0.0.1:1] "SET" "L" "a" "NX" "PX" "30000"'
  for i in $(seq 100 299); do echo \
      "1700000101.${i}000 [0 10.0.0.2:1] \"SET\" \"L\" \"b\" \"NX\" \"PX\" \"30000\""; done; } > storm.log
run trace storm.log
ends 0 "a storm of refusals is a warning"
check "told once" test "$(grep -c '^  storm' "$out")" = 1
check "with its line" out_has "storm  \"L\"   line 102"

# A key that is also written without NX is a cache, and nobody is accused of what becomes of it; what --lock calls a lock
# is one, and an overwriting client is reported.
cat > cache.log << 'EOF'
1700000000.000000 [0 10.0.0.1:1] "DEL" "cache:1"
1700000040.000000 [0 10.0.0.1:1] "SET" "cache:1" "a" "NX" "PX" "30000"
1700000041.000000 [0 10.0.0.1:1] "DEL" "cache:1"
1700000042.000000 [0 10.0.0.2:1] "SET" "cache:1" "b"
1700000043.000000 [0 10.0.0.1:1] "DEL" "cache:1"
1700000044.000000 [0 10.0.0.1:1] "SET" "cache:1" "c" "NX" "PX" "30000"
EOF
run trace cache.log
ends 0 "a cache that is filled by SET NX at times"
check "which is a grant each time" out_has "2 grants"
sed '3d' cache.log > overwritten.log
run trace overwritten.log
ends 0 "a SET without NX over a key that nobody called a lock"
run trace overwritten.log --lock redis_py.lock
ends 1 "a SET without NX over a hold"

# JSON lines: answers are compared.
cat > lines.json << 'EOF'
{"time": 1700000000000, "client": "A", "words": ["SET", "L", "a", "NX", "PX", "1000"], "answer": {"status": "OK"}}
{"time": 1700000000100, "client": "B", "words": ["SET", "L", "b", "NX", "PX", "1000"], "answer": null}
{"time": 1700000000200, "client": "A", "words": ["DEL", "L"], "answer": 1}
{"time": 1700000000300, "client": "B", "words": ["SET", "L", "b", "NX", "PX", "1000"], "answer": "OK"}
{"time": 1700000000400, "client": "C", "words": ["SET", "L", "c", "NX", "PX", "1000"], "answer": "OK"}
EOF
run trace lines.json --lock my/plain.lua
check "an answer that ours would not give is a difference" out_has \
    "The log has the answer \"OK\", our server the answer nil."
ends 2 "which makes the rest uncertain"
head -n 4 lines.json > good.json
run trace good.json --lock my/plain.lua
ends 0 "answers as ours"
check "they are counted" out_has "answers were compared; 0 differ"

# What `locksim serve` was asked, as it wrote it down.
printf 'set L a nx px 90000\r\nset L b nx px 1000\r\nclock advance 60000\r\nset M a nx px 1000\r\neval "return redis.call(\x27del\x27, KEYS[1])" 1 M a\r\n' |
    "$LOCKSIM" serve --stdio --clock manual --log asked.json > "$out" 2> "$err"
check "serve --log writes a line for each request" test "$(wc -l < asked.json)" = 5
check "with its answer" grep -q '"words": \["set", "L", "b", "nx", "px", "1000"\], "answer": null' asked.json
run trace asked.json
ends 0 "the log of serve"
check "all its answers are ours" out_has "answers were compared; 0 differ"
run serve --stdio --log no/such/folder/log
ends 64 "a log that cannot be written"

# Bad input.
printf '1700000000.000000 [0 a' >> mine.log
run trace mine.log --lock my/table.lua
ends 0 "a last line that is cut does not count"
check "but is told" out_has "the last line is cut"
printf '\nnonsense\n' >> mine.log
run trace mine.log --lock my/table.lua
ends 2 "lines that say nothing"
check "are told with their numbers" out_has "line 11: its [ ] is not closed: 1700000000.000000 [0 a"
check "all of them" out_has "line 12: it is a line neither of MONITOR nor of JSON: nonsense"
printf '1700000009.000000 [0 a:1] "SET" "L" "a" "NX" "PX" "10"\n1700000008.000000 [0 a:1] "GET" "L"\n' > back.log
run trace back.log
check "lines out of order are told" out_has "This line is 1000.000 ms earlier"
head -c 100000 /dev/urandom > binary.log
run trace binary.log
ends 65 "bytes that are no log"
check "its verdict" out_has "ERROR  binary.log   no line of it is one of MONITOR or JSON"
: > empty.log
run trace empty.log
ends 65 "an empty log"
run trace nowhere.log
ends 65 "a log that is not there"
check "it is named" err_has "nowhere.log: error"
run trace .
ends 65 "a folder"
run trace mine.log --lock no.such.family
ends 65 "a family that is not there"
run trace mine.log --lock redisson.permits
ends 65 "a family that is no lock"
check "it is told why" err_has "its driver has no lock(me, name): of semaphores"
printf 'return { acquire = "a.lua" }' > my/bad.lua
run trace mine.log --lock my/bad.lua
ends 65 "a table with nothing to release"
check "what is missing is told" err_has "needs \`acquire\` and \`release\`"
run trace
ends 64 "no log"

# Data for pictures, when asked for.
run trace "$logs/redisson.log" --lock redisson.lock -o data
check "the data are written" test -e data/redisson.log/meta.tsv
check "the next command is told" out_has "plot data/redisson.log"

# The page: findings, a timeline, numbers and plots; of any log of about the same size.
page=$PWD/page.html
run trace "$logs/plain.log" --format html -o data
ends 1 "a page has the verdict's exit status"
cp "$out" "$page"
check "each client has a row of data, and nobody else" test "$(awk -F'\t' '/^#/ || $1 == "client" { next } $1 == "" { empty++ } { n++ } END { print n ? empty + 0 : "none" }' data/plain.log/clients.tsv)" = 0
check "the page is whole" test "$(tail -n 1 "$page")" = "</html>"
check "each finding is in its table, with its lines" test "$(grep -c '<td class="count">9, since 7\|<td class="count">11, since 8\|<td class="count">12, since 8' "$page")" = 3
check "the overview marks the lines of findings" out_has '<title>1 finding, from line 9</title>'
check "a window shows who held, until when and by which lines" out_has '<title>tokC holds from 0.551 s (line 8) to 0.588 s (line 11)</title>'
check "a lease that the clock ended names no line for that" out_has '<title>tokB holds from 0.044 s (line 7) to 0.345 s</title>'
check "marks have their lines" out_has 'LK003 owner_only, line 11</text>'
check "what is not known is said" out_has "Where it is not known who held, nothing is drawn."
run trace "$logs/plain.log" --format html -o data
check "the same log gives the same page" cmp -s "$page" "$out"
awk 'BEGIN { for (i = 0; i < 60000; i++) { lock = "order:" (i % 3 == 0 ? i % 7 : i)
    printf "17000%05d.%06d [0 10.0.0.%d:1] \"SET\" \"%s\" \"t%d\" \"NX\" \"PX\" \"400\"\n", int(i / 20), i % 20 * 50000, i % 5, lock, i
    if (i % 50 == 0) printf "17000%05d.%06d [0 10.0.0.9:1] \"DEL\" \"order:%d\"\n", int(i / 20), i % 20 * 50000 + 1000, i % 7 } }' > wide.log
run trace wide.log --format html -o data
check "a log of many locks" out_has "12 of 512 locks have a row"
check "says how many were forgotten" grep -qE '[0-9]+ more without findings, and with less waiting, were forgotten' "$out"
check "and how many findings have no picture" grep -qE '[0-9]+ findings are in none of these pictures' "$out"
pictures() { grep -v 'image/svg' "$1" | wc -c; }
check "its page is not much larger" test "$(pictures "$out")" -lt $((6 * $(pictures "$page")))
run trace - --format html < /dev/null
ends 65 "a log without a line has a page, too"
check "that says so" out_has "No client held a lock, or waited for one."

# Logs of locks that are used as they should be, and of keys that are no locks. Nobody is accused.
# at SECONDS CLIENT WORD...: a line of MONITOR's
at() {
    local at=$1 client=$2
    shift 2
    printf '17000%s [0 %s]' "$at" "$client"
    printf ' "%s"' "$@"
    echo
}
first() { at 00000.000000 10.9.9.9:1 PING; }
{
    first
    for i in $(seq 100); do at 00100.000000 10.0.0.1:5 SET "L$i" "a$i" NX PX 30000; done
    at 00101.000000 10.0.0.1:5 DEL $(seq -f L%g 100)
    for i in $(seq 100); do at 00102.000000 10.0.0.2:5 SET "L$i" "b$i" NX PX 30000; done
} > many.log
run trace many.log
ends 0 "a hundred locks given back by one request"
check "each is" out_has "200 grants"
sed 's/"DEL".*/"FLUSHALL"/; s/0.1:5\] "FLUSHALL"/0.7:5] "FLUSHALL"/' many.log > flushed.log
run trace flushed.log --format json
check "a hundred locks taken away by one request: nobody else did it" test "$(python3 -c 'import json, sys
print({(f["code"], f["line"]) for f in json.load(open(sys.argv[1]))["trace"]["findings"] if f["code"] == "LK003"})' "$out")" = \
    "{('LK003', 102)}"
{
    first
    at 00100.000000 10.0.0.1:5 SET cache v1 NX EX 10
    at 00102.000000 10.0.0.2:5 SET cache v2 EX 10
    at 00104.000000 10.0.0.3:5 SETEX cache 10 v3
} > cache.log
run trace cache.log
ends 0 "a cache that SET NX fills, and others overwrite"
run trace cache.log --lock redis_py.lock
ends 1 "if it is said to be a lock, its holder was robbed"
check "by whom" out_has "10.0.0.2 (SET) took away the hold of v1"
{
    first
    at 00100.000000 10.0.0.1:5 SET L a NX PX 1000
    at 00101.000400 10.0.0.2:5 SET L b NX PX 1000
    at 00101.100000 10.0.0.3:5 SET L c NX PX 1000
    at 00101.300000 10.0.0.2:5 DEL L
    at 00101.400000 10.0.0.3:5 SET L c NX PX 1000
    at 00101.500000 10.0.0.3:5 DEL L
} > edge.log
run trace edge.log
ends 0 "who comes at the millisecond in which a lease ends was granted it or not"
sed 's/101.000400/100.990000/' edge.log > early.log
run trace early.log
ends 1 "who came before it was not"
{
    first
    at 00100.000000 10.0.0.1:5 SET L 1 NX PX 1000
    at 00101.200000 10.0.0.2:5 SET L 1 NX PX 1000
    at 00101.300000 10.0.0.1:5 DEL L
} > one_name.log
run trace one_name.log
ends 1 "owners of one name: a hold that is over takes the next one away"
check "it says who did" out_has "10.0.0.1 (DEL) took away the hold of 1"
sed 's/0.1:5\] "DEL"/0.2:5] "DEL"/' one_name.log > its_own.log
run trace its_own.log
ends 0 "the next one gives its own back"
