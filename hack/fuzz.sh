#!/usr/bin/env bash
# Runs every fuzz target of the product and of the test module with the given number of inputs
# each. A number, not a time: with a time, Go before 1.27 sometimes ends a run without a finding
# as failed, with "context deadline exceeded" (golang/go#75804).
set -euo pipefail
cd "$(dirname "$0")/.."
inputs=${1:-10000x}
for module in . test; do
  (
    cd "$module"
    grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -rn1 dirname | sort -u | while read -r package; do
      if [ "$module" = . ] && [[ $package == ./test/* ]]; then continue; fi
      grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$package"/*_test.go | awk '{print $2}' | while read -r target; do
        echo "==> fuzzing $module $package $target with $inputs inputs"
        go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$inputs" -fuzzminimizetime 100x
      done
    done
  )
done
