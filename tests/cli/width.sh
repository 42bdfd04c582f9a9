# width.sh - a result on a terminal: laid out for its columns, one line of progress that leaves nothing behind.

cat > onterm.py <<'PY'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
size = struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0)
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execv(sys.argv[2], sys.argv[2:])
out = b""
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    out += part
os.waitpid(pid, 0)
# What a reader sees in the end: a line is what follows its last return, less what was erased there.
lines = []
for line in out.decode().replace("\r\n", "\n").split("\n"):
    for part in line.split("\r")[:-1]:
        drawn = part.split("\x1b[K")[0]
        assert len(drawn) < int(sys.argv[1]), "progress takes two lines: " + drawn
    lines.append(line.split("\r")[-1].replace("\x1b[K", ""))
sys.stdout.write("\n".join(lines))
PY
# on COLUMNS ARG...: what a terminal of so many columns shows in the end
on() { status=0; /usr/bin/python3 onterm.py "$1" "$LOCKSIM" "${@:2}" --color never > "$out" 2> "$err" || status=$?; }
cp -R "$ROOT/scenarios/tour" tour
for columns in 60 80 100; do
    on $columns run tour/sleeper.lua
    check "at $columns columns: no line is longer" test "$(grep -vE '^  (replay|wrote)' "$out" | awk '{ if (length($0) > m) m = length($0) } END { print m }')" -le $columns
    check "at $columns columns: progress fits and is gone" err_is_empty
    check "at $columns columns: the story is whole" test "$(grep -cE '^ +[0-9]+ +[0-9]+\.[0-9]{3} s ' "$out")" -ge 52
done
on 80 run tour/sleeper.lua
check "who did it stands in a column where columns for all do not fit" out_has '  25  30.001 s    B      acquire -> -1 (on its way)'
check "and what came of it at the server beneath" out_has '                  Redis  order:42 {A:1 = 1}  ttl 30000'
check "what it means stands once" test "$(grep -c '^  means  ' "$out")" = 1
on 300 run tour/sleeper.lua
check "a wide one shows the table as a file has it" grep -qE '^   #   time       A  +B  +C  +Redis$' "$out"
cp "$out" wide
# With its colors, and a list of files whose names take half of the line.
narrow_enough() { sed 's/\x1b\[[0-9;]*m//g' "$out" | grep -vE '^  (replay|wrote|next)' | awk 'NF > 1 && length($0) > 80 { wide = 1 } END { exit wide }'; }
mkdir -p seeds && cp "$ROOT"/scenarios/seeds/{simple_string,notes_fair}*.lua "$ROOT"/scenarios/seeds/situations.lua seeds
status=0; /usr/bin/python3 onterm.py 80 "$LOCKSIM" run seeds --max-states 300 --color always > "$out" 2> "$err" || status=$?
check "a line with a verdict is folded where it has a color, too" narrow_enough
check "of as many files" test "$(grep -c 'seeds/' "$out")" -ge 4
for words in "list scenarios" "list properties" "list locks" "list faults" "explain all"; do
    status=0; /usr/bin/python3 onterm.py 80 "$LOCKSIM" $words > "$out" 2> "$err" || status=$?
    check "$words: 80 columns" narrow_enough
    check "$words: all of it" test "$(tr -s ' \n' '\n\n' < "$out" | wc -l)" = "$("$LOCKSIM" $words | tr -s ' \n' '\n\n' | wc -l)"
done
run run tour/sleeper.lua
check "as a file has it" cmp -s <(grep -v ' replay ' wide) <(grep -v ' replay ' "$out")
on 80 replay .locksim/out/tour.sleeper.LK010.lua
check "a replay fits, too" test "$(grep -vE '^  (replay|from)' "$out" | awk '{ if (length($0) > m) m = length($0) } END { print m }')" -le 80
# Two servers beside each other: the table of the story, too, takes what the terminal has.
mkdir -p moved && cp "$ROOT/scenarios/findings/deadline_by_server.lua" moved
on 80 compare --dialect "redis 7.0,valkey 9.1" moved/deadline_by_server.lua --max-states 300
check "compare: a difference in 80 columns" narrow_enough
check "compare: the table says what the second did" out_has 'release -> 0          release -> 1'
on 80 compare --dialect "redis 7.0,valkey 9.1" moved/deadline_by_server.lua:mended
check "compare: what an equivalence means in 80 columns" narrow_enough
check "compare: it says so" grep -qE '^  means  .{50}' "$out"
run compare --dialect "redis 7.0,valkey 9.1" moved/deadline_by_server.lua:mended
check "compare into a file: sentences end at 118 columns" test "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' "$out")" -le 118
check "compare into a file: and begin beneath each other" grep -qE '^  means  .{80}' "$out"
# Whatever else is told to a terminal: a first contact, findings with the lines that their carets point into, a log,
# measures, what is wrong.
said_on() { status=0; /usr/bin/python3 onterm.py "$1" "$LOCKSIM" "${@:2}" > "$out" 2> "$err" || status=$?; }
# says TEXT COMMAND WORD...: in 80 columns, and this text
says() {
    said_on 80 "${@:2}"
    grep -vE '^ *[0-9]* \| |^next ' "$out" > lines
    check "$2: it says so" out_has "$1"
    cp "$out" all && cp lines "$out"
    check "$2: 80 columns" narrow_enough
    cp all "$out"
}
cp -R tour/own "a folder of some length"
says "wrote    a folder/" init "a folder of some length/acquire.lua" "a folder of some length/release.lua" -o "a folder/with a name that takes its share/my_lock.lua"
check "init: what goes on, goes on beneath" grep -qE '^  .*\$lease_ms$' "$out"
says "LS004" lint "$ROOT/tests/lint/LS004_bad.lua" "$ROOT/tests/lint/LC001_bad.lua"
check "lint: a caret points where it should" grep -qE '^ +\| +.*\^' "$out"
says "LK003 owner_only" trace "$ROOT/tests/trace/redisson.log"
check "trace: a text stands beside its label" grep -qE '^ {16}tables: redis_py\.lock, ' "$out"
says "MEASURED" simulate tour/own/lock.lua -o data
says "no scenario passes" mutate tour/own/acquire.lua
says "MEASURED" simulate "$ROOT/scenarios/fairness/basic_set_nx.lua" tour/own/lock.lua --seeds 1 -o data
# From a copy: the path of the checkout may be so long that it goes on beneath, too.
cp "$ROOT"/scenarios/fairness/{basic_set_nx,workloads}.lua .
said_on 60 simulate basic_set_nx.lua --seeds 1 -o data
check "simulate: what goes on stands beneath its text, not beneath a label" test -z "$(grep -E '^ {1,13}[^ ]' "$out" | grep -vE '^  ([A-Za-z]|basic)' )"
says "no such file" run "no such file, whatever its name may be, in this folder or in any other one.lua"
says "no option" run "no_such_file_whatever_its_name_may_be.lua" --no-such-option-here-at-all

# A figure stands with its name and its interval, whatever the width.
for columns in 60 80; do
    on $columns simulate "$ROOT/tests/pages/busy.lua" -o measured --seeds 2
    check "at $columns columns: figures" out_has "p99 "
    check "at $columns columns: none is parted from its name or its interval" \
        bash -c "! grep -nE '^ +±[0-9]|(p[0-9.]+|max|commands|scripts|requests)\$' '$out'"
    check "at $columns columns: each is told from the next" bash -c "! grep -nE '±[0-9.]+ [a-z]' '$out'"
done
