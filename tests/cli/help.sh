# help.sh - the program explains itself: first steps, help with examples, nearest names, explanations, lists.

run
ends 0 "locksim alone"
check "locksim alone says what to do first" out_has "locksim run FILE"
run --version
ends 0 "--version"
check "--version begins with the number, alone" grep -qxE 'locksim [0-9]+\.[0-9]+\.[0-9]+' <(head -n 1 "$out")
check "--version tells the dialects that are proved" grep -qxF \
    'dialects: redis 7.0, 8.0; valkey 8.1, 9.1 (compared with the real servers)' "$out"
check "and the others" grep -qE '^ +redis 7\.2.*8\.4; valkey 7\.2.* \(not compared\)$' "$out"
check "--version tells the build" grep -qE \
    '^build: (gcc|clang) [0-9][^,]*, [a-z0-9_ ]+, Lua 5\.1\.[0-9]+(, id [0-9a-f]{16})?$' "$out"
cp "$out" version.txt
run -V
check "-V tells the same" cmp -s version.txt "$out"
run --help
ends 0 "--help"
check "--help has an example" out_has "Example:"
check "no line of it passes 80 columns" test -z "$(awk 'length > 80' "$out")"
for command in run report simulate watch replay walk compare init shell serve drive plot list explain mutate lint trace; do
    run "$command" --help
    ends 0 "$command --help"
    check "$command --help has an example" out_has "Example:"
    check "no line of $command --help passes 80 columns" test -z "$(awk 'length > 80' "$out")"
    check "$command --help shows the usage" out_has "Usage: locksim $command"
    cp "$out" help.txt
    run help "$command"
    check "help $command says the same" cmp -s help.txt "$out"
    for example in $(sed -n '/^Example/,$p' help.txt | grep -oE '(scenarios|scripts)/[a-z_0-9/]+\.lua(:[a-z_0-9.]+)?'); do
        check "$command --help: there is $example" test -e "$ROOT/${example%%:*}"
        [ "${example%%:*}" = "$example" ] || run list scenarios "$ROOT/$example"
        check "$command --help: $example is a case" test "$status" -eq 0
    done
    # The man page must know what the program knows.
    for option in $(grep -oE '^ {2,6}(-., )?--[a-z-]+' help.txt | grep -oE -- '--[a-z-]+'); do
        check "locksim(1) describes $option" grep -qF -- "$(echo "$option" | sed 's/-/\\-/g')" "$ROOT/reports/locksim.1"
    done
done

# Usage: completed WORD...     what the completion offers for the last word, which is empty; one a line, in byte order.
completed() {
    bash -c 'complete() { :; }; compopt() { :; }; locksim() { "$LOCKSIM" "$@"; }; . "$ROOT/reports/completion/locksim.bash"; COMP_WORDS=(locksim "$@"); COMP_CWORD=$#; _locksim
             printf "%s\n" "${COMPREPLY[@]}"' completed "$@" | LC_ALL=C sort
}
run --help
commands=$(sed -n '/^Commands:/,/^$/p' "$out" | grep -oE '^  [a-z]+' | LC_ALL=C sort)
check "the completion offers all commands, and no others" test "$(completed "" | grep -vE '^(-|help$)')" = "$(tr -d ' ' <<< "$commands")"
for command in $commands; do
    run "$command" --help
    options=$(grep -oE '^ {2,6}(-., )?--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+' | LC_ALL=C sort)
    check "the completion offers all options of $command, and no others" test \
        "$(completed "$command" -- 2> /dev/null | grep -E '^--.')" = "$options"
    formats=$(grep -oE '^ {6}--format [a-z|]+' "$out" | sed 's/.* //' | tr '|' '\n' | LC_ALL=C sort)
    [ -z "$formats" ] || check "and the formats of $command" test "$(completed "$command" --format "")" = "$formats"
done

check "a command is completed" test "$(completed ru)" = run
check "a code is explained by its first letters" test "$(completed explain LK01 | tr '\n' ' ')" = \
    "LK010 LK011 LK012 LK013 "
check "a fault's name is completed" test "$(completed run --faults lose_m)" = lose_message
mkdir -p place/within && touch place/a.lua place/b.txt
check "scenarios and folders are found" test "$(completed run place/ | tr '\n' ' ')" = "place/a.lua place/within "
check "where a folder is wanted, folders only" test "$(completed run -o place/)" = place/within
check "an option that takes any text gets nothing" test -z "$(completed run --schedule x)"
run complete nothing at all
ends 0 "completion of what is no command"
check "says nothing" out_is_empty
ln -sf "$LOCKSIM" locksim
if command -v zsh > /dev/null; then
    # compadd works below the line editor only: here it prints what it is given.
    zsh -f -c \
        'PATH=$PWD:$PATH; compdef() { :; }; compadd() { shift; eval "print -l -- \${(@)$1}"; }; _files() { print -- files "$@"; }
               . $ROOT/reports/completion/_locksim; words=(locksim explain LK01); CURRENT=3; _locksim
               words=(locksim run x); _locksim' > "$out" 2> "$err"
    check "zsh completes a code" out_has LK010
    check "zsh finds scenarios" out_has 'files -g *.lua'
fi
if command -v fish > /dev/null; then
    HOME=$PWD fish -N -c \
        'set PATH $PWD $PATH; source $ROOT/reports/completion/locksim.fish; complete -C "locksim explain LK01"' \
        > "$out" 2> "$err"
    check "fish completes a code" out_has LK010
fi

# locksim-scenario(5) knows every field of a scenario and of generic.lock, every fault, and every call of a driver,
# as the program and its sources list them.
manual=$(sed 's/\\-/-/g; s/\\(dq/"/g; s/\\f[A-Z]//g' "$ROOT/reports/locksim-scenario.5")
words=$(grep -oE '^    \{ \{ "[a-z_]+", [0-9]+ \}, field_' "$ROOT/sim/scenario/fields.c" | grep -oE '"[a-z_]+"' | tr -d '"'
        sed -n '/^local fields = {/,/^}/p' "$ROOT/scripts/generic.lua" | grep -oE '[a-z_]+ = true' | sed 's/ = true//'
        run list faults; cut -d " " -f 1 "$out"
        grep -ohE '\{ "[a-z_]+", me_[a-z_]+ \}' "$ROOT"/sim/client/*.c | sed -E 's/\{ "([a-z_]+)".*/me:\1/')
check "the lists of fields and calls were found" test "$(echo "$words" | wc -l)" -ge 70
for word in $words; do
    check "locksim-scenario(5) knows $word" grep -qwF -- "$word" <<< "$manual"
done

# A page of the manual is set without a warning.
if command -v groff > /dev/null; then
    for page in "$ROOT"/reports/locksim*.[157]; do
        groff -t -man -ww -z -rLL=100n "$page" > "$out" 2> "$err"
        check "${page##*/} has no mistake of troff" test ! -s "$err"
    done
fi

# Where to add something: each file is there, but for those that are to be made.
for file in $(sed 's/\\-/-/g' "$ROOT/reports/locksim.7" |
              grep -oE '(sim|model|reports)/[a-z_/]+[.-][a-z0-9.-]+' | sort -u); do
    check "locksim(7) names $file, which exists" test -e "$ROOT/${file%.}"
done

# A line of text that begins with a dot is taken for a request, and is not shown.
check "no line of text in a page begins with a dot" bash -c \
    "! grep -nE '^\\.[^A-Za-z\\\\]' '$ROOT'/reports/locksim*.[157]"

# All that is measured is defined in --help and in the manual, by the names that files and JSON use.
run simulate --help
names=$(sed -n '/^static const metric_info metrics/,/^};/p' "$ROOT/sim/simulate/metric.c" | sed -n 's/^ *\[METRIC_[A-Z0-9_]*\] = { "\([^"]*\)".*/\1/p')
check "the names of what is measured were found" test "$(echo "$names" | wc -l)" -ge 40
for name in $names; do
    check "--help defines $name" grep -qE "^  ${name//./\\.} +[A-Z0-9]" "$out"
    check "locksim(1) defines $name" grep -qE "^\.BR ${name//./\\.}( |\$)" "$ROOT/reports/locksim.1"
done

run runn x
ends 64 "an unknown subcommand"
check "the nearest subcommand is named" err_has "locksim run"
check "nothing goes to stdout" out_is_empty
run run --sed 1 x.lua
ends 64 "an unknown option"
check "the nearest option is named" err_has "did you mean --seed?"
run --verison
ends 64 "an unknown option before the subcommand"
check "the nearest is named" err_has "--version"
run run
ends 64 "run without files"
run help nothing
ends 64 "help for nothing"

run explain LK010
ends 0 "explain a code"
check "explain says what holds" out_has "Holds when:"
check "explain gives the name" out_has "no_lost_wakeup"
cp "$out" by_code
run explain no_lost_wakeup
check "a name explains as its code does" cmp -s by_code "$out"
run explain lk010
check "codes may be in lower case" cmp -s by_code "$out"
run list properties
ends 0 "list properties"
cp "$out" properties
check "sixteen properties, two of compare, and the user's own" test "$(wc -l < properties)" -eq 19
for code in $(cut -d' ' -f1 properties); do
    run explain "$code"
    ends 0 "explain $code"
    check "explain $code is more than a line" test "$(wc -l < "$out")" -gt 4
done
for verdict in PASS FAIL INCONCLUSIVE VACUOUS ERROR; do
    run explain $verdict
    ends 0 "explain $verdict"
done
run explain all
ends 0 "explain all"
run explain LK01O
ends 64 "explain an unknown code"
check "the nearest code is named" err_has "LK01"
run explain LK001 nonsense LK002
ends 64 "explain a code and nonsense"
check "what is known is explained all the same" out_has "LK001"

run list faults
ends 0 "list faults"
check "all faults are listed" test "$(wc -l < "$out")" -eq 20
for fault in $(cut -d' ' -f1 "$out"); do
    run explain "$fault"
    check "explain $fault" status_is 0
done
run list scenarios
ends 0 "list scenarios"
check "shipped scenarios are listed" out_has "scenarios/seeds/"
run list locks
ends 0 "list locks"
check "drivers are listed by the name require takes" out_has "redisson.lock "
run list faults --format json
check "a list as JSON has the same names" test "$(grep -c '"name"' "$out")" -eq "$("$LOCKSIM" list faults | wc -l)"
run list properties --format json
check "properties with their codes" out_has '"code": "LK001"'
run list --format json
ends 64 "a list of nothing"
check "it says what there is" err_has '`locksim list` takes scenarios|locks|properties|faults'
check "and shows how" err_has 'for example `locksim list properties`'
run list scenarios --show --format json
ends 64 "files are not JSON"
run list lokcs
ends 64 "list of nothing"
check "the nearest list is named" err_has "locksim list locks"
run list properties extra
ends 64 "list properties takes nothing more"
run list scenarios nowhere
ends 65 "list scenarios of a folder that is not there"

# Whatever is asked, nothing steers the terminal.
for words in "explain" "list" "replay" "run" "--scripts" "nonsense"; do
    run $words $'\e[31mred\a'
    check "no escape sequence comes back from $words" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$out' '$err'"
done

run rnu
ends 64 "two letters that changed places"
check "the command that was meant is named" err_has 'did you mean `locksim run`?'
run hepl
check "help counts as a command" err_has 'did you mean `locksim help`?'

# The beginning of a command's name says which one is meant, where only one begins so.
for pair in sim=simulate comp=compare mut=mutate; do
    run "${pair%=*}"
    ends 64 "${pair%=*}"
    check "... is the beginning of one" err_has "did you mean \`locksim ${pair#*=}\`?"
done
run re
check "re is the beginning of two" err_has 'the subcommands are'
