# config.sh - .locksim: defaults of a repository, and the folder of results with a .gitignore of its own.

mkdir -p redis locks/deep .locksim
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0" > redis/take.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > redis/free.lua
cat > locks/own.lua <<'LUA'
local mine = require("generic").lock { acquire = "take.lua", release = "free.lua", granted = 1, lease_ms = 1000 }
return {
  title = "own", clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire() then me:work(10) lock:release() end
  end,
}
LUA
run run locks/own.lua
ends 65 "scripts that lie elsewhere"
printf '# defaults\nrun --scripts redis --pinned   # of this repository\nlint --ignore LS004\n' > .locksim/config
run run locks/own.lua
ends 0 "... and config says where"
check "what config adds is told" out_has "options --pinned"
run lint redis
ends 0 "another command has its own line"
mkdir .git
(cd locks/deep && LOCKSIM="$LOCKSIM" && "$LOCKSIM" run ../own.lua) > "$out" 2> "$err"
status=$?
ends 0 "from a folder below, in the same repository"
rmdir .git
(cd locks/deep && "$LOCKSIM" run ../own.lua) > "$out" 2> "$err"
status=$?
ends 65 "a folder above that is no part of the repository does not count"
LOCKSIM_NO_CONFIG=1 run run locks/own.lua
ends 65 "passed over when asked"
run run locks/own.lua --scripts "$PWD/redis" --format json
ends 0 "what is typed is added"
printf 'run "--scripts" "redis" --format json\n' > .locksim/config
run run locks/own.lua --format text
check "what is typed wins" out_has "1 scenario: 1 passed"
run run locks/own.lua
check "else config does" out_has '"outcome": "holds"'
printf 'run --scripts redis --reduction --no-symmetry\n' > .locksim/config
run run locks/own.lua
check "flags of config" out_has "options --no-symmetry --reduction"
run run locks/own.lua --no-reduction --symmetry
ends 0 "flags are taken back"
check "flags are taken back: nothing is told of them" bash -c "! grep -qE 'symmetry|reduction' '$out'"
run run locks/own.lua --no-reduction --reduction
check "the last one counts" out_has "options --no-symmetry --reduction"
run run locks/own.lua --no-scripts
ends 64 "what takes a value has no opposite"
run run locks/own.lua --no-reduction=1
ends 64 "an opposite takes no value"
printf '\nrum --scripts redis\n' > .locksim/config
run run locks/own.lua
ends 64 "no such command"
check "no such command: where" err_has ".locksim/config:2: error[usage]"
printf 'run --scripts "redis\n' > .locksim/config
run run locks/own.lua
ends 64 "a quote that does not end"
printf '# defaults\nrun --scripts redis\nlint --nosuch\nrun --scriptz redis\n' > .locksim/config
run run locks/own.lua
ends 64 "no such option"
check "no such option: where" err_has ".locksim/config:4: error[usage]: \`locksim run\` has no option"
printf 'run --scripts redis\n\nrun --max-states many\n' > .locksim/config
run run locks/own.lua
ends 64 "no such value"
check "no such value: where" err_has ".locksim/config:3: error[usage]"
run run --help
ends 0 "--help needs no config"
# A repository that was cloned runs no command, and writes nothing outside of itself.
for form in "--render 'touch pwned; cat'" "--render='touch pwned; cat'"; do
    echo "init $form" > .locksim/config
    run init redis/take.lua redis/free.lua
    ends 64 "a command: $form"
    check "a command: where" err_has ".locksim/config:1: error[usage]: this file runs no command"
    check "a command is not run: $form" test ! -e pwned
done
for form in "drive 'A=touch pwned'" "drive -- 'A=touch pwned'" "drive --seed 1 'A=touch pwned'"; do
    echo "$form" > .locksim/config
    run drive
    ends 64 "a program: $form"
    check "a program: said" err_has ".locksim/config:1: error[usage]: this file gives options"
    check "a program is not run: $form" test ! -e pwned
done
echo "replay --to 127.0.0.1:7" > .locksim/config
run replay locks/own.lua
ends 64 "a server"
check "a server: said" err_has ".locksim/config:1: error[usage]: this file names no server"
for form in "-o /tmp/x" "-o/tmp/x" "--out ../x" "--out=a/../../x" "--coverage /tmp/x" "--spill ../x"; do
    echo "run --scripts redis $form" > .locksim/config
    run run locks/own.lua
    ends 64 "a place outside: $form"
    check "a place outside: said" err_has "outside of its repository"
done
mkdir -p away results && ln -s "$PWD/away" results/link
echo "run --scripts redis -o results/link/deeper" > .locksim/config
run run locks/own.lua
ends 64 "a place behind a link"
check "a place behind a link: said" err_has "or behind a link: 'results/link/deeper'"
rm -r results
echo "run --scripts redis -o results/today..1" > .locksim/config
run run locks/own.lua
ends 0 "a place inside"
rm -rf results
rm .locksim/config

echo "return 1" > redis/take.lua
run run locks/own.lua --scripts redis
ends 1 "a failure"
check "is saved below .locksim/out" out_has "wrote  .locksim/out/locks.own."
git init -q . 2> /dev/null
check "which git does not see" test -z "$(git status --porcelain --ignored=no .locksim)"
run run locks/own.lua --scripts redis -o elsewhere
check "-o says where" test -n "$(ls elsewhere/*.lua)"
check "and then nothing is hidden there" test ! -e elsewhere/.gitignore
# A link in the default folder's place may come with a repository.
for link in .locksim .locksim/out; do
    rm -rf .locksim
    mkdir -p "$(dirname "$link")"
    ln -s "$PWD/away" "$link"
    run run locks/own.lua --scripts redis
    check "$link is a link: said" err_has "$link: error[usage]: this folder is a link, and may lead anywhere"
    check "$link is a link: nothing is written through it" test -z "$(ls -A away)"
    rm "$link"
done
mkdir -p .locksim/out
rm -r .git .locksim/out elsewhere
