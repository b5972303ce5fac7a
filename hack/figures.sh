#!/usr/bin/env bash
# Prints the sizes of the kernel and of each provider, without tests and conformance:
#
#   lines    of all files of a folder
#   files    in its largest folder, and which that is
#   methods  of the type with the most of them, and which that is
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { find "$1" -name '*.go' ! -name '*_test.go' ! -path '*/conformance/*' ! -path '*/testdata/*'; }

lines() { sources "$1" | xargs cat | wc -l; }

files() { sources "$1" | xargs -n1 dirname | sort | uniq -c | sort -rn | awk 'NR == 1 {print $1 " " $2}'; }

# Types of different folders may have one name, so the folder is part of it.
methods() {
  sources "$1" | xargs grep -HoE '^func \(([a-z0-9A-Z_]+ )?\*?[A-Za-z0-9_]+(\[[^]]*\])?\)' |
    sed -E 's|^(.*)/[^/:]+:func \(([a-z0-9A-Z_]+ )?\*?([A-Za-z0-9_]+).*|\1.\3|' | sort | uniq -c | sort -rn | awk 'NR == 1 {print $1 " " $2}'
}

printf '%-26s %7s  %-34s %s\n' folder lines 'files in the largest folder' 'methods of the largest type'
for folder in kernel kernel/*/ providers/*/; do
  folder=${folder%/}
  [[ $folder == kernel/conformance || -z $(sources "$folder") ]] && continue
  printf '%-26s %7d  %-34s %s\n' "$folder" "$(lines "$folder")" "$(files "$folder")" "$(methods "$folder" || true)"
done
