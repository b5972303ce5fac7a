#!/usr/bin/env bash
# Runs every fuzz target of the product and of the test module for the given time each.
set -euo pipefail
cd "$(dirname "$0")/.."
duration=${1:-10s}
for module in . test; do
  (
    cd "$module"
    grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -rn1 dirname | sort -u | while read -r package; do
      if [ "$module" = . ] && [[ $package == ./test/* ]]; then continue; fi
      grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$package"/*_test.go | awk '{print $2}' | while read -r target; do
        echo "==> fuzzing $module $package $target for $duration"
        go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$duration"
      done
    done
  )
done
