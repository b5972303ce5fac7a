#!/usr/bin/env bash
# Runs the tests of all modules: `make test`, which builds the programs first. One line for each package
# comes as soon as it has ended. TEST_FLAGS are added to those of go test.
#
#	test.sh       all but those that take minutes
#	test.sh slow  those that take minutes: `make test-slow`
#
#	RACE=     the race detector watches the unit tests of the kernel, without those that need client-go and what builds on it:
#	          to compile these libraries for it takes longer than all tests
#	RACE=all  it watches the providers, the system tests and their binary too, as CI does; twice as long
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
read -ra flags <<<"${TEST_FLAGS:-}"
verbose=
[[ " ${flags[*]} " != *" -v "* ]] || verbose=-v

# The system tests that take minutes, longest first: none of them is left over alone at the end.
slow=(./e2e/node ./e2e/digitalocean ./e2e/hcloud ./e2e/gce)
# The longest of the others.
long=(./e2e/balancer ./e2e/doctor ./e2e/static)
# What builds the program of every provider takes minutes too.
slow_plain=(./build/binary)
# Packages of the test module that render templates, run programs and compare files. The race detector
# finds nothing there, and they take several times as long with it.
plain=(./chart/... ./release ./build ./cmd/... ./install)

# tested FOLDER PACKAGE… -- COMMAND… tests the packages of a module.
tested() {
  local folder=$1 patterns=() list packages
  shift
  while [[ $1 != -- ]]; do patterns+=("$1"); shift; done
  shift
  cd "$root/$folder"
  list=$(go list "${patterns[@]}")
  mapfile -t packages <<<"$list"
  "$root/bin/progress" -of ${#packages[@]} $verbose -- "$@" -json "${flags[@]}" "${packages[@]}"
}

# raced is go test with the race detector, which needs cgo. At the end of every program, each package's
# tests and each run of the binary, it would sleep for a second.
raced=(env CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race)
watched=("${raced[@]}")
[[ ${RACE:-} == all ]] || watched=(go test)
# Lint does what go vet does; nobody debugs a test's program that is not kept.
raced+=(-vet=off -ldflags=-s)
watched+=(-vet=off -ldflags=-s)
# uncached because Go does not see that files outside a module have changed.
uncached=(-count=1 -timeout 30m)
# The system tests wait for other processes half of the time, so one package more than there are processors runs at
# once. With more of them, each with several control planes, deadlines pass for want of processor time.
at_once=$(($(nproc) + 1))

others() {
  export CCM_BINARY=${CCM_PLAIN_BINARY:-}
  echo "==> tests without the race detector, beside the unit tests: chart, release, build"
  tested test "${plain[@]}" -- go test -p 1 -vet=off -ldflags=-s "${uncached[@]}"
  echo "==> image builder, pictures, releaser, prose linter, progress and returns; kubelet configuration, examples"
  tested hack/image ./... -- go test -p 1 -count=1
  tested hack/pictures ./... -- go test -p 1 -count=1
  tested hack/releaser ./... -- go test -p 1 -count=1
  tested hack ./prose ./progress ./returns -- go test -p 1 -count=1
  tested test/platform ./... -- go test -p 1 -count=1
  tested test/examples ./... -- go test -p 1 -vet=off -ldflags=-s -count=1
}

unit() {
  echo "==> unit tests (product module)"
  local list
  list=$(cd "$root" && go list ./...)
  mapfile -t kernel < <(grep -E '/(kernel|examples|providers/sim)(/|$)' <<<"$list" | grep -v /kernel/framework)
  mapfile -t rest < <(grep -vxFf <(printf '%s\n' "${kernel[@]}") <<<"$list")
  tested . "${kernel[@]}" -- "${raced[@]}" -timeout 20m
  tested . "${rest[@]}" -- "${watched[@]}" -timeout 20m
}

system() {
  echo "==> system tests (test module)"
  cd "$root/test"
  local but all
  but=$(go list "${plain[@]}" "${slow_plain[@]}" "${slow[@]}")
  all=$(CGO_ENABLED=1 go list -race ./...)
  # With -race the list lacks what is not built then: memory, which `make chaos` runs.
  # shellcheck disable=SC2046 # one word for each package
  tested test "${long[@]}" $(grep -vxF "$but" <<<"$all") -- "${watched[@]}" -p $at_once "${uncached[@]}"
}

if [[ ${1:-} == slow ]]; then
  echo "==> system tests that take minutes (test module)"
  (tested test "${slow[@]}" -- "${watched[@]}" -p $at_once "${uncached[@]}")
  echo "==> size, libraries and command line of each provider's program"
  CCM_BINARY=${CCM_PLAIN_BINARY:-} tested test "${slow_plain[@]}" -- go test -vet=off "${uncached[@]}"
  exit
fi

set -m # a process group of its own, so that it can be ended whole
(others) & aside=$!
set +m
trap 'kill -- "-$aside" 2>/dev/null || true' EXIT
(unit)
(system)
wait "$aside"
