#!/usr/bin/env bash
# Installs what nodes of the test cluster need and is not there: containerd, runc, CNI plugins,
# ip, iptables, nft and conntrack. What is installed by other means, such as Docker's containerd, stays.
#
#	node-deps.sh             what nodes and their load balancers need
#	node-deps.sh kubernetes  what Kubernetes' own tests need too: the programs of the image in which they run commands
set -euo pipefail

packages=()
need() { # need PACKAGE PATH...: one of the paths has to be there
  local package=$1 path
  shift
  for path in "$@"; do
    if command -v "$path" >/dev/null; then return; fi
  done
  packages+=("$package")
}
need containerd containerd
need runc runc
need containernetworking-plugins /usr/lib/cni/bridge /opt/cni/bin/bridge
need iproute2 ip
need iptables iptables
need util-linux nsenter
need util-linux unshare
need procps sysctl
need nftables nft
need conntrack conntrack
case ${1:-} in
"") ;;
kubernetes)
  need dash dash
  need curl curl
  need netcat-openbsd nc.openbsd
  need wget wget
  need busybox-static busybox
  ;;
*)
  echo "node-deps: there is no \"$1\"; there is: kubernetes" >&2
  exit 1
  ;;
esac

if [ ${#packages[@]} -eq 0 ]; then
  exit 0
fi
cannot() {
  echo "node-deps: cannot install ${packages[*]}: $1" >&2
  exit 1
}
command -v apt-get >/dev/null || cannot "there is no apt-get; install them with this system's packages"
[ "$(id -u)" -eq 0 ] || cannot "that needs root"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends "${packages[@]}" >"$log" 2>&1; }
install || { apt-get update -qq >/dev/null 2>&1 && install; } || cannot "$(grep -m1 '^E:' "$log" || tail -n1 "$log")"
echo "node-deps: installed ${packages[*]}"
