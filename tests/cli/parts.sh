# parts.sh - `locksim run --shard K/N` and `--in-diff REV`: which scenarios of many are run.

scenario() {
    cat <<LUA
local mine = require("generic").lock {
  acquire = "$1", release = "release.lua", keys = { "\$lock" }, args = { acquire = { "\$owner", "\$lease_ms" }, release = { "\$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 100, lease_ms = 1000,
}
${2:-}
return {
  title = "$1", clients = { "A" },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire(200) then
      lock:release()
    end
  end,
}
LUA
}
mkdir -p all/locks
text="if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0"
echo "$text" > all/locks/one.lua
echo "$text" > all/locks/two.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" \
    > all/locks/release.lua
scenario one.lua > all/locks/a.lua
scenario two.lua > all/locks/b.lua
scenario two.lua > all/locks/c.lua
echo "return {}" > all/locks/tools.lua
scenario one.lua 'local tools = require("tools")' > all/locks/d.lua
ran() { grep -oE "^(PASS|VACUOUS|ERROR) +[^ ]+" "$out" | sed 's|.*/||; s|\.lua$||' | tr -d '\n'; }
runs() { check "$2: $1" [ "$(ran)" = "$1" ]; }

run run all
ends 0 "all of it"
runs abcd "all of it"
check "nothing is left out" out_lacks "left out"
run run all --shard 1/3
runs ad "the first of three parts"
check "the rest is counted" out_has "2 scenarios: 2 passed; 2 left out"
run run all --shard 2/3
runs b "the second of three parts"
run run all --shard 3/3
runs c "the third of three parts"
run run all --shard 7/9
ends 0 "a part without any"
check "a part without any: none" out_is '0 scenarios; 4 left out\n'
run run all --shard 1/3 --format json
check "JSON counts them" out_has '"left_out": 2'
for shard in 0/3 4/3 1 1/ x/y; do
    run run all --shard=$shard
    ends 64 "--shard $shard"
done

run run all --in-diff HEAD
ends 65 "--in-diff outside a repository"
check "is said" err_has "lies in no git repository"
git() { command git -c user.name=t -c user.email=t@t "$@"; }
git init -q . && git add all && git commit -q -m one
run run all --in-diff nonsense
ends 65 "a revision that does not exist"
check "is named" err_has "no revision 'nonsense'"
run run all --in-diff HEAD
ends 0 "nothing has changed"
check "nothing has changed: none" out_is '0 scenarios; 4 left out\n'
echo "-- again" >> all/locks/two.lua
run run all --in-diff HEAD
runs bc "who loads a changed script"
run run all --in-diff HEAD --shard 2/2
runs c "parts are parts of these"
(cd all && run run locks --in-diff HEAD)
runs bc "from within a folder"
run run "$PWD/all" --in-diff HEAD
runs bc "by an absolute path"
git commit -q -a -m two
run run all --in-diff HEAD
runs "" "committed"
run run all --in-diff HEAD~1
runs bc "since an earlier revision"
echo "-- again" >> all/locks/c.lua
run run all --in-diff HEAD
runs c "a changed scenario"
git checkout -q all
echo "return { 1 }" > all/locks/tools.lua
run run all --in-diff HEAD
runs d "who requires a changed module"
git checkout -q all
echo "-- again" >> all/locks/release.lua
run run all --in-diff HEAD
runs abcd "what all of them load"
git checkout -q all

# A file that git does not know has changed; one that was there is gone, and another takes its place.
mkdir all/locks/a && echo "$text" > all/locks/a/one.lua
run run all --in-diff HEAD
runs a "an overlay that has come"
git add all && git commit -q -m three
run run all --in-diff HEAD
runs "" "an overlay that is committed"
rm -r all/locks/a
run run all --in-diff HEAD
runs a "an overlay that has gone"
git checkout -q all && rm all/locks/a/one.lua
run run all --in-diff HEAD
runs a "a file of an overlay that has gone"
git checkout -q all
mkdir more && mv all/locks/two.lua more/two.lua && ln -s ../../more/two.lua all/locks/two.lua
git add -A && git commit -q -m four
echo "-- again" >> more/two.lua
run run all --in-diff HEAD
runs bc "what a link leads to"
git checkout -q more

# A name that is put together cannot be seen.
scenario two.lua 'local name = "to" local tools = require(name .. "ols")' > all/locks/c.lua
git commit -q -a -m five
run run all --in-diff HEAD
runs c "a module's name that is put together"
scenario 'two" .. ".lua' > all/locks/c.lua
sed -i 's/title = .*clients/clients/' all/locks/c.lua
git commit -q -a -m six
run run all --in-diff HEAD
runs c "a script's name that is put together"
run run all/nowhere --in-diff HEAD
ends 65 "what is not there is told"
