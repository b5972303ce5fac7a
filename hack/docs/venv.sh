#!/usr/bin/env bash
# Makes the virtual environment of the documentation's generator, once for each version of its
# requirements, and prints where it is. requirements.txt has a hash for every file; it is made from
# requirements.in by: pip-compile --generate-hashes --strip-extras --no-header requirements.in
set -euo pipefail
cd "$(dirname "$0")"

cache=${MCCM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/multicloud-ccm}
venv=$cache/docs-$(cat requirements.txt venv.sh | sha256sum | cut -c1-12)
mkdir -p "$cache"
exec 9>"$venv.lock"
flock 9
if [ ! -e "$venv/ready" ]; then
  python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
    || { echo "the documentation needs Python 3.10 or newer with venv: install it (Debian: apt-get install python3 python3-venv)" >&2; exit 1; }
  echo "==> installing mkdocs into $venv (once)" >&2
  rm -rf "$venv"
  python3 -m venv "$venv" >&2
  "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement requirements.txt >&2
  touch "$venv/ready"
fi
echo "$venv"
