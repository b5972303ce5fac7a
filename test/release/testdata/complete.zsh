# complete.zsh SCRIPT LINE: presses the tab key at the end of the line in a zsh on a terminal, and prints what that shows.
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -D -u; source $1; setopt no_beep; zstyle ':completion:*' list-prompt ''; print re''ady"
zpty -r -m shell out '*ready*'
# The key ctrl-U empties the line, once zsh has shown what can follow.
zpty -w -n shell "$2"$'\t'
zpty -w -n shell $'\x15'
zpty -w shell "print -r en''d"
zpty -r -m shell out '*end*'
print -r -- "$out"
