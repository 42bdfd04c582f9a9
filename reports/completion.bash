# completion.bash - bash completion for locksim: subcommands, their options, the words that options take, codes and names.
# The first line of `complete` below hooks it up; `make install` puts this file where bash looks.

_locksim() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            run|report|simulate|watch|replay|compare|init|shell|serve|plot|list|explain|mutate|lint|help) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    COMPREPLY=()
    case $before in
        --scripts|--out|-o|--coverage) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --only) mapfile -t COMPREPLY < <(compgen -W "cdf ccdf boxes wait_time grants overtakes jain gantt queue handoff compare" -- "$word"); return ;;
        --strategy) mapfile -t COMPREPLY < <(compgen -W "uniform pct" -- "$word"); return ;;
        --format)
            if [ "$command" = plot ]; then mapfile -t COMPREPLY < <(compgen -W "svg png" -- "$word"); return; fi
            if [ "$command" = lint ]; then mapfile -t COMPREPLY < <(compgen -W "text json sarif github" -- "$word"); return; fi
            if [ "$command" = replay ]; then mapfile -t COMPREPLY < <(compgen -W "text json junit" -- "$word"); return; fi
            if [ "$command" = mutate ] || [ "$command" = compare ] || [ "$command" = simulate ]; then mapfile -t COMPREPLY < <(compgen -W "text json" -- "$word"); return; fi
            mapfile -t COMPREPLY < <(compgen -W "text json junit markdown tap sarif github" -- "$word"); return ;;
        --clock) mapfile -t COMPREPLY < <(compgen -W "real manual" -- "$word"); return ;;
        --unix|--baseline|--scenarios|--explained|--adapter) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
        --keys|--verdicts) mapfile -t COMPREPLY < <(compgen -W "yes no" -- "$word"); return ;;
        --color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word"); return ;;
        --faults) mapfile -t COMPREPLY < <(compgen -W "none $(locksim list faults 2> /dev/null | awk '{ print $1 }')" -- "$word"); return ;;
        --seed|--seeds|--workload|--runs|--jobs|-j|--schedule|--max-steps|--max-states|--max-memory|--time-limit|--port|--bind|--start|--shard|--in-diff|--ignore-keys|--ttl-within|--as|--argv) return ;;
    esac
    local words=
    case $command in
        '') words="run report simulate watch replay compare init shell serve plot list explain mutate lint help --help --version" ;;
        run) words="--scripts --seed --strategy --runs --jobs -j --schedule --faults --exhaustive --no-memo --no-fold --max-steps
                    --max-states --max-memory --time-limit --format --table --expected --quiet -q --fail-fast --coverage --measure --baseline --out -o --verbose -v
                    --timing --color --help" ;;
        report) words="--scripts --seed --strategy --runs --jobs -j --schedule --faults --exhaustive --no-memo --no-fold --max-steps
                    --max-states --max-memory --time-limit --seeds --workload --out -o --help" ;;
        simulate) words="--scripts --seeds --seed --workload --jobs -j --time-limit --format --out -o --color --help" ;;
        watch) words="--once --scripts --seed --strategy --runs --jobs -j --faults --exhaustive --max-steps --max-states --max-memory
                    --time-limit --out -o --verbose -v --timing --color --help" ;;
        replay) words="--scripts --max-steps --format --carry-on --verbose -v --color --help" ;;
        compare) words="--schedule --keys --ignore-keys --ttl-within --adapter --as --verdicts --scripts --faults --max-states --max-memory --time-limit
                        --jobs -j --no-memo --format --verbose -v --color --help" ;;
        init) words="--out -o --help" ;;
        shell) words="--scripts --help" ;;
        serve) words="--port --unix --stdio --bind --clock --start --help" ;;
        plot) words="--out -o --format --only --help" ;;
        list) words="scenarios locks properties faults --scripts --help" ;;
        explain)
            words="all PASS FAIL INCONCLUSIVE VACUOUS ERROR --help
                   $(locksim list properties 2> /dev/null | awk '{ print $1, $2 }') $(locksim list faults 2> /dev/null | awk '{ print $1 }')" ;;
        mutate) words="--scenarios --scripts --shard --in-diff --explained --max-states --time-limit --jobs -j --format --out -o --verbose -v --help" ;;
        lint) words="--keys --argv --format --color --help" ;;
        help) words="run report simulate watch replay compare init shell serve plot list explain mutate lint" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    case $command in
        run|report|simulate|watch|replay|compare|init|shell|list|mutate|lint)
            if [[ $word != -* ]]; then
                compopt -o filenames 2> /dev/null
                local files
                mapfile -t files < <(compgen -f -X '!*.lua' -- "$word"; compgen -d -- "$word")
                COMPREPLY+=("${files[@]}")
            fi ;;
        plot) [[ $word == -* ]] || mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    esac
}
complete -F _locksim locksim
