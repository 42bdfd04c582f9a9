# report.sh - `locksim report`: one page of all that came out, the same bytes each time, and nothing of it runs what a
# scenario says.

cat > lock.lua <<'X'
local acquire = script.text "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 1000) then return 1 end return 0"
local release = script.text "return redis.call('del', KEYS[1])"
local driver = {}
function driver.view(redis, name)
  local owner = redis.call("GET", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", name), queue = {}, keys = owner and { name } or {} }
end
return {
  title   = "</title><script>alert(1)</script> \"onload='x'",
  clients = { "A", "B" }, start_ms = 0,
  program = function(me)
    local name = "</script><img src=x onerror=alert(2)>\27[31m\255\226\128\174"
    me:observe(name, driver)
    me:wants(name)
    while me:eval(acquire, { name }, { me.id }, { op = "acquire", lock = name, lease = 1000 }) ~= 1 do me:refused(name) me:sleep(400) end
    me:granted(name, { lease = 1000 })
    me:log("<svg onload=alert(3)>")
    me:work(10)
    me:eval(release, { name }, {}, { op = "release", lock = name })
    me:released(name)
  end,
  faults = { pause = 1 },
}
X
run report lock.lua
ends 1 "a report has the status of a run"
page=.locksim/out/report.html
check "what was written is said" out_has "wrote  $page"
check "the page is whole" test "$(tail -1 $page)" = "</html>"
check "nothing half-written lies beside it" test -z "$(find .locksim -name '*.part')"
check "a diagram of what failed" grep -q 'aria-label="Sequence diagram of LK003"' $page
check "the keys of its first step" grep -q '<caption>Keys after step 1</caption>' $page
check "no tag of the scenario's" test "$(grep -c '<img\|<script>\|<svg onload\|alert(2)>' $page)" -eq 0
check "their texts are shown" grep -q '&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;\\x1b\[31m' $page
check "one script, the page's own" test "$(grep -c '<script' $page)" -eq 1
check "no bytes that steer or break" test "$(LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\xff]|\xe2\x80\xae' $page)" -eq 0
check "nothing is fetched" test "$(grep -cE '(src|href)="?(https?:|//)|@import|url\(' $page)" -eq 0
cp $page kept.html
run report lock.lua -j 1
check "the same page again" cmp -s kept.html $page
run report lock.lua --schedule "A !pause A +1001" -o deep/er
ends 1 "a schedule on the page"
check "it is written where -o says" test -s deep/er/report.html
check "the options are told" grep -q 'schedule &quot;A !pause A +1001&quot;' deep/er/report.html

echo "return {" > broken.lua
run report broken.lua lock.lua
ends 65 "a file that does not parse"
check "it is named, with its line" err_has "broken.lua:"
check "the page tells it beside the others" grep -q '2</b> \|broken.lua' $page
run report absent.lua
ends 65 "a file that is not there"
run report
ends 64 "nothing to report on"
touch file
run report lock.lua -o file
ends 64 "a folder that cannot be"

# What was simulated of it stands on the page, too; without gnuplot the numbers do.
sed 's/busy/quick/; s/acquisitions = 200/acquisitions = 40/; s/8/3/' "$ROOT/tests/pages/busy.lua" > busy.lua
run report busy.lua -o drawn -j 1
ends 0 "a report with a workload"
check "its numbers" grep -q '>wait p99, ms</th><td class="count">' drawn/report.html
check "its data" test -s drawn/busy.quick/waits.tsv
if command -v gnuplot > /dev/null; then check "its plots" test \
    "$(grep -c '<img loading="lazy" alt="[^"]*busy.quick" src="data:image/svg+xml;base64,PD94' drawn/report.html)" -eq \
    10; fi
cp drawn/report.html drawn.html
run report busy.lua -o drawn -j 2
check "the same page again" cmp -s drawn.html drawn/report.html
sed 's/redisson.fair/redisson.lock/' busy.lua > plain.lua
run report busy.lua plain.lua -o two
check "two of one workload stand side by side in one table" grep -q '>busy.quick<.*>plain.quick<' two/report.html
if command -v gnuplot > /dev/null; then check "and in pictures of both" test "$(grep -c '<img ' two/report.html)" -eq \
    24; fi
run report busy.lua --workload nope -o none
ends 64 "no workload of that name"
check "the page names the file of which nothing was simulated" grep -q '<summary><h4>busy.lua</h4></summary>' \
    none/report.html
program=$(realpath "$LOCKSIM")
(PATH=/nonexistent; exec "$program" report busy.lua -o undrawn > "$out" 2> "$err") && status=0 || status=$?
ends 0 "no gnuplot"
check "the page says so, and how to get it" grep -q 'drawn by gnuplot, which is not installed.*apt-get install' \
    undrawn/report.html
check "the numbers are there all the same" grep -q '>wait p99, ms</th>' undrawn/report.html
run simulate busy.lua --format html -o undrawn
ends 0 "a page of a simulation alone"
check "on stdout, and nothing else" test "$(head -c 15 "$out")$(tail -n 1 "$out")" = "<!DOCTYPE html></html>"
check "it has the numbers, and no table of scenarios" bash -c \
    "grep -q '>wait p99, ms</th>' '$out' && ! grep -q 'class=.scenarios' '$out'"
run report busy.lua --profile -o profiled
check "what states are made of stands on the page where asked for" grep -q '<dt>made</dt>' profiled/report.html
run report "$ROOT/scenarios/tour/sleeper.lua" -o stands
check "a step's place has a line, or is not told" bash -c "grep -q 'the client is at .*lua:[1-9]' stands/report.html && ! grep -q 'lua:0<' stands/report.html"
