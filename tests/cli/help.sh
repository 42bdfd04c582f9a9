# help.sh - the program explains itself: first steps, help with examples, nearest names, explanations, lists.

run
ends 0 "locksim alone"
check "locksim alone says what to do first" out_has "locksim run FILE"
run --version
ends 0 "--version"
check "--version is one line" out_is 'locksim 0.1.0\n'
run --help
ends 0 "--help"
check "--help has an example" out_has "Example:"
for command in run report simulate replay compare shell serve plot list explain lint; do
    run "$command" --help
    ends 0 "$command --help"
    check "$command --help has an example" out_has "Example:"
    check "$command --help shows the usage" out_has "Usage: locksim $command"
    cp "$out" help.txt
    run help "$command"
    check "help $command says the same" cmp -s help.txt "$out"
    # The man page and the completion must know what the program knows.
    for option in $(grep -oE '^  (-., )?--[a-z-]+' help.txt | grep -oE -- '--[a-z-]+'); do
        check "locksim(1) describes $option" grep -qF -- "$(echo "$option" | sed 's/-/\\-/g')" "$ROOT/reports/locksim.1"
        check "completion offers $option" grep -qF -- "$option" "$ROOT/reports/completion.bash"
    done
done

# Usage: completed WORD...     what the completion offers for the last word, which is empty; one a line, in byte order.
completed() {
    bash -c 'complete() { :; }; compopt() { :; }; . "$ROOT/reports/completion.bash"; COMP_WORDS=(locksim "$@"); COMP_CWORD=$#; _locksim
             printf "%s\n" "${COMPREPLY[@]}"' completed "$@" | LC_ALL=C sort
}
for command in run report simulate watch replay compare init shell serve plot list explain mutate lint; do
    run "$command" --help
    options=$(grep -oE '^  (-., )?--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+' | LC_ALL=C sort)
    check "the completion offers all options of $command, and no others" test "$(completed "$command" -- 2> /dev/null | grep -E '^--.')" = "$options"
    formats=$(grep -oE '^  --format [a-z|]+' "$out" | sed 's/.* //' | tr '|' '\n' | LC_ALL=C sort)
    [ -z "$formats" ] || check "and the formats of $command" test "$(completed "$command" --format "")" = "$formats"
done

# The man page knows every field of a scenario and of generic.lock, and every call of a driver, as the sources list them.
manual=$(sed 's/\\-/-/g; s/\\(dq/"/g; s/\\f[A-Z]//g' "$ROOT/reports/locksim.1")
words=$(sed -n '/^static const char \*const fields\[\]/,/^};/p' "$ROOT/sim/client/scenario.c" | grep -oE '"[a-z_]+"' | tr -d '"'
        sed -n '/^local fields = {/,/^}/p' "$ROOT/scripts/generic.lua" | grep -oE '[a-z_]+ = true' | sed 's/ = true//'
        grep -ohE '\{ "[a-z_]+", me_[a-z_]+ \}' "$ROOT"/sim/client/*.c | sed -E 's/\{ "([a-z_]+)".*/me:\1/')
check "the lists of fields and calls were found" test "$(echo "$words" | wc -l)" -ge 50
for word in $words; do
    check "locksim(1) knows $word" grep -qwF -- "$word" <<< "$manual"
done

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
check "all faults are listed" test "$(wc -l < "$out")" -eq 15
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
