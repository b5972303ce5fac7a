#!/usr/bin/env bash
# Makes the virtual environment of the moto server, once for each version of its requirements,
# and prints where it is. With CI=true it installs what Debian lacks for that.
set -euo pipefail
cd "$(dirname "$0")"

cache=${MCCM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/multicloud-ccm}
venv=$cache/moto-$(cat requirements.txt venv.sh | sha256sum | cut -c1-12)

ready() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

mkdir -p "$cache"
exec 9>"$venv.lock"
flock 9
if [ ! -e "$venv/ready" ]; then
  if ! ready && [ "${CI:-}" = true ]; then
    { apt-get update -qq && apt-get install -y -qq python3 python3-venv; } >&2
  fi
  ready || { echo "the moto server of the AWS tests needs Python 3.11 or newer with venv: install it (Debian: apt-get install python3 python3-venv)" >&2; exit 1; }
  echo "==> installing the moto server into $venv (once)" >&2
  rm -rf "$venv"
  python3 -m venv "$venv" >&2
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement requirements.txt >&2
  touch "$venv/ready"
fi
echo "$venv"
