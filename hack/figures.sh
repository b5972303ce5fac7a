#!/usr/bin/env bash
# Prints the sizes of the kernel, of each provider and of the example, without tests, conformance and packages for
# tests, whose names end in "test":
#
#   lines    of all files of a folder
#   files    in its largest folder, and which that is
#   methods  of the type with the most of them, and which that is
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

# How often somebody who follows a change of a load balancer through a provider comes back to a file
# that they have left.
printf '\n%-26s %s\n' provider 'returns to a file already left'
for folder in providers/*/ examples/*/; do
  entries=(Apply)
  grep -qrE --include='*.go' '\) ResourceKinds\(' "$folder" && entries=(Resources ResourceKinds)
  grep -qrE --include='*.go' "\) ${entries[0]}\(" "$folder" || continue
  printf '%-26s %s\n' "${folder%/}" "$(cd hack && go run ./returns "../$folder" "${entries[@]}")"
done
