# complete.bash SCRIPT LINE: prints what bash offers at the end of the line.
source /usr/share/bash-completion/bash_completion
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9 COMP_KEY=9
read -ra COMP_WORDS <<<"$2"
[[ $2 != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__start_cloud-controller-manager 2>/dev/null # compopt says that nobody has pressed a key
printf '%s\n' "${COMPREPLY[@]}"
