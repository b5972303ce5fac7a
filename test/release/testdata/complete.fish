# complete.fish SCRIPT LINE: prints what fish offers at the end of the line.
source $argv[1]
complete -C "$argv[2]"
