# fish completion for locksim: the program says what a word may become (`locksim complete`), and fish finds the files.
function __locksim_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in (locksim complete $words[2..-1] "$word" 2> /dev/null)
        switch $line
            case ':files *'
                __fish_complete_suffix "$word" (string replace ':files ' '' -- $line)
            case ':files'
                __fish_complete_path "$word"
            case ':dirs'
                __fish_complete_directories "$word"
            case '*'
                echo $line
        end
    end
end
complete -c locksim -f -a '(__locksim_complete)'
