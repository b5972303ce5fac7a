#!/usr/bin/env bash
# Prints the sizes of the kernel, of each provider and of the example, without tests, conformance and packages for
# tests, whose names end in "test":
#
#   lines    of all files of a folder
#   files    in its largest folder, and which that is
#   methods  of the type with the most of them, and which that is
#
# then the long files of the kernel, and how often somebody who reads what it and the providers do has to turn back.
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { find "$1" -name '*.go' ! -name '*_test.go' ! -path '*/conformance/*' ! -path '*/testdata/*' ! -path '*test/*'; }

lines() { sources "$1" | xargs cat | wc -l; }

files() { sources "$1" | xargs -n1 dirname | sort | uniq -c | sort -rn | awk 'NR == 1 {print $1 " " $2}'; }

# Types of different folders may have one name, so the folder is part of it.
methods() {
  sources "$1" | xargs grep -HoE '^func \(([a-z0-9A-Z_]+ )?\*?[A-Za-z0-9_]+(\[[^]]*\])?\)' |
    sed -E 's|^(.*)/[^/:]+:func \(([a-z0-9A-Z_]+ )?\*?([A-Za-z0-9_]+).*|\1.\3|' | sort | uniq -c | sort -rn | awk 'NR == 1 {print $1 " " $2}'
}

printf '%-26s %7s  %-34s %s\n' folder lines 'files in the largest folder' 'methods of the largest type'
for folder in kernel kernel/*/ providers/*/ examples/*/; do
  folder=${folder%/}
  [[ $folder == kernel/conformance || -z $(sources "$folder") ]] && continue
  printf '%-26s %7d  %-34s %s\n' "$folder" "$(lines "$folder")" "$(files "$folder")" "$(methods "$folder" || true)"
done

# Files that were glued together would make the figures below smaller.
long=$(sources kernel | xargs wc -l | awk '$2 != "total" && $1 > 400 {print $2 " (" $1 ")"}')
printf '\nfiles over 400 lines in kernel: %d\n' "$(grep -c . <<<"$long" || true)"
[[ -z $long ]] || sed 's/^/  /' <<<"$long"

# How often somebody who follows a path comes back to a file that they have left, and how much they read: see
# hack/returns. A path of the kernel is followed through all of the kernel, and with -alone within its own folder.
returns=$(mktemp)
trap 'rm -f "$returns"' EXIT
(cd hack && go build -buildvcs=false -o "$returns" ./returns)

# paths [-alone] FOLDER ENTRY… prints a line for each entry.
paths() {
  local folder=${1%/} counted entry figures
  [[ $1 != -alone ]] || folder="${2%/} alone"
  counted=$("$returns" "$@")
  # shellcheck disable=SC2086 # one word for each figure
  while read -r entry figures; do
    printf '%-26s %-26s %7d %5d %9d\n' "$folder" "$entry" $figures
  done <<<"$counted"
}

printf '\n%-26s %-26s %7s %5s %9s\n' folder path returns files functions
for within in '' -alone; do
  # shellcheck disable=SC2086 # no word where there is no option
  {
    paths $within kernel/loadbalancer Manager.Ensure Manager.Delete Manager.UpdateTargets
    paths $within kernel/instance Inventory.Exists
    paths $within kernel/composite balancers.Apply
  }
done
for folder in providers/*/ examples/*/; do
  changes=Apply
  grep -qrE --include='*.go' '\) ResourceKinds\(' "$folder" && changes=Resources+ResourceKinds
  grep -qrE --include='*.go' "\\) ${changes%+*}\\(" "$folder" || continue
  paths "$folder" "$changes" Observe
done
