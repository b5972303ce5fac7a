#!/bin/bash
# Builds what the quickstart needs, saying how long it takes, and becomes the quickstart.
# `make quickstart` calls it at the top of the repository; arguments go to the quickstart.
set -euo pipefail
cd "$(dirname "$0")/../../.."

fail() {
	echo "quickstart: $*" >&2
	exit 1
}

case $(uname -s) in
Linux | Darwin) ;;
*) fail "$(uname -s) is not supported; use Linux, macOS or WSL" ;;
esac
command -v go >/dev/null || fail "Go is missing: install Go $(awk '/^go /{print $2}' go.mod) or newer, see https://go.dev/doc/install"

log=$(mktemp)
ticker=
finish() {
	[ -z "$ticker" ] || kill "$ticker" 2>/dev/null || true
	ticker=
	rm -f "$log"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# tick says every 15 seconds that a step still runs. It ends with this shell, within a second.
tick() {
	local until=$((SECONDS + 15))
	while sleep 1 && kill -0 $$ 2>/dev/null; do
		if ((SECONDS >= until)); then
			echo "    still building, $SECONDS s since the start"
			until=$((SECONDS + 15))
		fi
	done
}

# step runs a command, shows what it says if it fails, and says in one line why if it was
# the module proxy.
step() {
	local what=$1 started=$SECONDS
	shift
	echo "==> building $what (minutes the first time, then seconds)"
	tick &
	ticker=$!
	if ! "$@" >"$log" 2>&1; then
		local said
		said=$(grep -vE '^(go: downloading |==>)' "$log" || true)
		if [[ $said =~ (dial tcp|Get \"http|GOPROXY=off|reading http) ]]; then
			fail "cannot download Go modules; is the proxy of \`go env GOPROXY\` reachable? ${said%%$'\n'*}"
		fi
		echo "$said" >&2
		fail "building $what failed, see above"
	fi
	kill "$ticker" 2>/dev/null || true
	wait "$ticker" 2>/dev/null || true
	ticker=
	echo "    built $what in $((SECONDS - started)) s"
}

# Only the driver that is shown is compiled in.
cloud=sim previous=
for argument in "$@"; do
	[ "$previous" != -cloud ] || cloud=$argument
	previous=$argument
done
mkdir -p bin
step "the quickstart" go build -C test -o ../bin/quickstart ./cmd/quickstart
bin/quickstart -check "$@"
step "the CCM" "${MAKE:-make}" --no-print-directory build PROVIDERS="$cloud" BINARY="bin/quickstart-$cloud"
finish
trap - EXIT INT TERM HUP
exec bin/quickstart -binary "bin/quickstart-$cloud" "$@"
