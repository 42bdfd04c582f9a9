# watch.sh - `locksim watch`: what a save affects is run again, and nothing else, however the editor saves; nothing a
# person types ends it.

mkdir locks scripts
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0" > scripts/acquire.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" \
    > scripts/release.lua
cp -r scripts good
without_lease() { sed "s/, 'px', ARGV\[2\]//" good/acquire.lua; }
# A save is seen at once or not at all, however busy the machine: half a file would be one more save, and other lines.
# `save FILE` and `save_in_place FILE` take what stands on stdin, and one system call changes FILE.
save() { cat > saved_file && mv -T saved_file "$1"; }
save_in_place() {
    cat > saved_file
    while [ "$(stat -c %s saved_file)" -lt "$(stat -Lc %s "$1")" ]; do echo >> saved_file; done
    dd if=saved_file of="$1" bs=1M conv=notrunc status=none
    rm saved_file
}
scenario() {
    cat <<LUA
local mine = require("generic").lock {
  acquire = "acquire.lua", release = "release.lua", keys = { "\$lock" }, args = { acquire = { "\$owner", "\$lease_ms" }, release = { "\$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 100, lease_ms = 1000,
}
return {
  title = "$1", clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire(200) then
      me:work(10)
      lock:release()
    end
  end,
  expect = { strict_mutual_exclusion = "holds" },
}
LUA
}
scenario "one" > locks/one.lua
scenario "two" > locks/two.lua

# start ARG...: watches in the background; its lines come from $from.
start() {
    exec {from}< <(exec timeout -k 5 600 "$LOCKSIM" watch "$@" 2> "$err")
    watcher=$!
}
# Takes lines into $out until one holds the text; fails if none comes for 40 seconds.
until_line() {
    local line
    : > "$out"
    while IFS= read -r -t 40 -u "$from" line; do
        printf '%s\n' "$line" >> "$out"
        [[ $line != *"$1"* ]] || return 0
    done
    return 1
}
end() {
    kill -INT "$watcher"
    status=0
    wait "$watcher" || status=$?
    exec {from}<&-
}

run watch locks --scripts scripts --once
ends 0 "--once"
check "--once: the sum" out_has '2 scenarios: 2 passed'
check "--once: no line for a pass" out_lacks 'PASS'
run watch nowhere
ends 65 "a path that is not there"
check "a path that is not there: located" err_has 'nowhere: error[scenario]'
run watch locks --scripts nowhere
ends 64 "a script folder that is not there"

start locks --scripts scripts --jobs 2
check "the first pass ends" until_line 'Ctrl-C ends'
check "the first pass: the sum" out_has '2 scenarios: 2 passed'

sed -i "s/, 'px', ARGV\[2\]//" scripts/acquire.lua       # sed writes another file and renames it
check "a changed script: told" until_line 'saved scripts/acquire.lua: 2 scenarios, 2 changed; now 2 scenarios: 2 failed'
check "a changed script: the verdict and the one before" out_has 'FAIL  locks/one.lua   was PASS'
check "a changed script: what breaks" out_has 'LK031 lease_set'
check "a changed script: how to see it" grep -q 'replay .locksim/out/locks.one.LK031.lua' "$out"

echo "if" >> scripts/acquire.lua
check "half a file: told once, with its place" until_line 'nothing is run before it is saved again'
check "half a file: the line" out_has "scripts/acquire.lua:2: error[scenario]: '<eof>' expected near 'if'"
check "half a file: nothing else" test "$(grep -c 'ERROR\|FAIL' "$out")" -eq 1

save_in_place scripts/acquire.lua < good/acquire.lua
check "mended" until_line 'now 2 scenarios: 2 passed'
check "mended: told" out_has 'PASS  locks/two.lua   was FAIL'

# A comment changes nothing; the same bytes again are no change at all, so that the next line is that of the file after
# it.
cp good/acquire.lua again && mv again scripts/acquire.lua
sed -i 's/title = "two"/title = "second"/' locks/two.lua
check "a scenario: it alone" until_line 'saved locks/two.lua: 1 scenario, nothing changed; 2 scenarios: 2 passed'
check "the same bytes: nothing" test "$(wc -l < "$out")" -eq 1
sed -i '1i -- again' scripts/acquire.lua
check "a comment: run again" until_line 'saved scripts/acquire.lua: 2 scenarios, nothing changed (2 known by '

scenario "three" | save locks/three.lua
check "a new scenario" until_line 'saved locks/three.lua: 1 scenario, nothing changed; 3 scenarios: 3 passed'
rm locks/three.lua
check "a scenario that is gone" until_line 'GONE  locks/three.lua'
mkdir locks/deeper && scenario "four" | save locks/deeper/four.lua
check "a scenario in a new folder" until_line \
    'saved locks/deeper/four.lua: 1 scenario, nothing changed; 3 scenarios: 3 passed'
rm -r locks/deeper
check "a folder that is gone" until_line 'GONE  locks/deeper/four.lua'

# A folder beside the scenario named like it goes before --scripts. It was looked for and not there; now it is.
mkdir locks/one
without_lease | save locks/one/acquire.lua
check "an overlay folder that comes up" until_line 'now 2 scenarios: 1 passed, 1 failed'
rm -r locks/one
check "an overlay folder that goes" until_line 'now 2 scenarios: 2 passed'
mv scripts elsewhere
check "a script folder that goes: told once" until_line 'now 2 scenarios: 2 in error'
check "a script folder that goes: the others are counted" out_has '1 more scenario has the same error'
mv elsewhere scripts
check "and comes back" until_line 'now 2 scenarios: 2 passed'
sed -i '1i -- and again' scripts/release.lua
check "a script in a folder that came back" until_line 'saved scripts/release.lua: 2 scenarios, nothing changed'

# Saved through a link, by whatever name and in whatever folder it lies; and one that leads to another file from now on.
mkdir common elsewhere
cp scripts/acquire.lua common/theirs.lua
ln -s ../common/theirs.lua elsewhere/link.lua
ln -s ../elsewhere/link.lua scripts/link && mv -T scripts/link scripts/acquire.lua
check "a script that becomes a link: the same bytes" test -L scripts/acquire.lua
sed -i '1i -- once more' scripts/release.lua
check "a script beside a link" until_line 'scripts/release.lua: 2 scenarios, '
without_lease | save_in_place common/theirs.lua
check "what a link leads to" until_line 'scripts/acquire.lua: 2 scenarios, 2 changed; now 2 scenarios: 2 failed'
cp good/acquire.lua common/others.lua
ln -s ../common/others.lua elsewhere/other && mv -T elsewhere/other elsewhere/link.lua
check "a link in between that leads elsewhere" until_line 'now 2 scenarios: 2 passed'
without_lease | save_in_place common/others.lua
check "what it leads to now" until_line 'now 2 scenarios: 2 failed'
rm -r common
check "a link to nothing" until_line 'now 2 scenarios: 2 in error'
cp good/acquire.lua again && mv again scripts/acquire.lua
check "a file again" until_line 'now 2 scenarios: 2 passed'

echo 'return {' | save locks/two.lua
check "a scenario that does not parse" until_line 'nothing is run before'
end
ends 65 "Ctrl-C, with a file that does not parse"
check "Ctrl-C: nothing on stderr" err_is_empty

# Something that takes longer than any patience: a save in the middle stops it.
scenario "two" > locks/two.lua
sed 's/"A", "B"/"A", "B", "C", "D", "E", "F"/; s/me:work(10)/me:work(10) me:work(7) me:work(5)/' locks/one.lua \
    > locks/long.lua
start locks --scripts scripts --jobs 1
sed -i '1i -- in the middle' scripts/acquire.lua
rm locks/long.lua
check "in the middle of a search: it is given up" until_line 'Ctrl-C ends'
# A file that went after its folder was listed and before it was opened is an error first, and gone when its folder is
# heard.
out_lacks 'ERROR  locks/long.lua' || out_has 'GONE  locks/long.lua' ||
    check "gone before it was opened" until_line 'GONE  locks/long.lua'
end
ends 0 "Ctrl-C"
start locks --scripts scripts
check "over by a signal" until_line 'Ctrl-C ends'
kill -TERM "$watcher"
wait "$watcher" || true
check "over by a signal: nothing is left running" test -z "$(jobs -r)"

# A file that comes into a new folder just before the system watches it, and a folder into that: nothing tells of them.
cat > late.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    size_t n = strlen(path);
    char inner[4096], file[4096];
    if (n >= 4 && strcmp(path + n - 4, "late") == 0 && access("late.lua", R_OK) == 0) {
        snprintf(inner, sizeof inner, "%s/inner", path);
        mkdir(inner, 0777);
        snprintf(file, sizeof file, "%s/inner/late.lua", path);
        rename("late.lua", file);
    }
    int (*real)(int, const char *, uint32_t) = (int (*)(int, const char *, uint32_t))dlsym(RTLD_NEXT, "inotify_add_watch");
    return real(fd, path, mask);
}
C
if gcc -shared -fPIC -o late.so late.c -ldl 2> /dev/null; then
    scenario "late" > late.lua
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
    LD_PRELOAD=$PWD/late.so start locks --scripts scripts
    check "before a folder comes" until_line 'Ctrl-C ends'
    mkdir locks/late
    check "what came before its folder was watched" until_line 'saved locks/late/inner/late.lua: 1 scenario, '
    sed -i 's/title = "late"/title = "later"/' locks/late/inner/late.lua
    check "and is saved again" until_line 'saved locks/late/inner/late.lua: 1 scenario, '
    end
    ends 0 "watched from then on"
fi
