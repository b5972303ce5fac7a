#!/usr/bin/env bash
# Fetches the script that draws diagrams in the reader's browser, once for each version, and prints where it is. The site has it
# among its own files, so that no page asks a third party for it. mkdocs-material 9 needs version 11.
set -euo pipefail

version=11.17.2
sha256=581ed7d74bd9048d0e3a91363927d72ef22942d7722546b27f7cc29e35390eb8
cache=${MCCM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/multicloud-ccm}
script=$cache/mermaid-$version.min.js
mkdir -p "$cache"
exec 9>"$script.lock"
flock 9
if [ ! -e "$script" ]; then
  command -v npm >/dev/null || { echo "the documentation's diagrams need npm: install it (Debian: apt-get install npm)" >&2; exit 1; }
  echo "==> fetching mermaid $version (once)" >&2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --silent "mermaid@$version" >/dev/null)
  tar -xzOf "$work/mermaid-$version.tgz" package/dist/mermaid.min.js >"$work/script"
  echo "$sha256  $work/script" | sha256sum --check --quiet >&2
  mv "$work/script" "$script"
fi
echo "$script"
