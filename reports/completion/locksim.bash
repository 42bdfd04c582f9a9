# bash completion for locksim: the program says what a word may become (`locksim complete`), and bash finds the files.
# `make install` puts this file where bash looks.
_locksim() {
    local word=${COMP_WORDS[COMP_CWORD]} line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            ':files '*) compopt -o filenames 2> /dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*${line#:files }" -- "$word"; compgen -d -- "$word") ;;
            :files) compopt -o filenames 2> /dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word") ;;
            :dirs) compopt -o filenames 2> /dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word") ;;
            *) COMPREPLY+=("$line") ;;
        esac
    done < <(locksim complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _locksim locksim
