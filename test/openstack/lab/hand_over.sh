#!/bin/bash
# Gives servers to another project by database row, and a name: hand_over.sh PROJECT NAME SERVER...
# Their ports stay where they are.
. "$(dirname "$0")/env.sh"
[ $# -gt 2 ] || die "usage: hand_over.sh PROJECT NAME SERVER..."
project=$1 name=$2
shift 2
for word in "$project" "$name" "$@"; do
  [[ $word =~ ^[A-Za-z0-9-]+$ ]] || die "$word is no id and no name"
done
printf -v ids "'%s'," "$@"
mariadb --no-defaults --socket="$SOCK" --user=root nova \
  -e "UPDATE instances SET project_id='$project', display_name='$name' WHERE uuid IN (${ids%,})"
