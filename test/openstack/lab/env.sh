# shellcheck shell=bash
# Sourced by the scripts beside it: where everything is, and how to talk.
set -euo pipefail
umask 022
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export OSLAB_HOME=${OSLAB_HOME:-/var/lib/openstack-lab}
# Each fake compute host becomes a hypervisor (1000 vCPU, 800 GB RAM) and, by
# seed.py, an availability zone: compute1 -> az1, ...
export OSLAB_COMPUTES=${OSLAB_COMPUTES:-compute1,compute2,compute3}
H=$OSLAB_HOME
PW=lab-secret          # made up; the password of every account of the lab
PY=/usr/bin/python3    # not a pyenv one: the packages are Debian's
SOCK=$H/run/mysqld.sock
SERVICES="keystone placement glance neutron nova octavia barbican"
declare -A PORT=([keystone]=5000 [placement]=8778 [glance]=9292 [neutron]=9696 [nova]=8774 [octavia]=9876 [barbican]=9311)
export PYTHONPATH=$H/py PYTHONDONTWRITEBYTECODE=
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
T0=${T0:-$(date +%s%N)}
say() { local ms=$((($(date +%s%N) - T0) / 1000000)); printf '[%3d.%03ds] %s\n' $((ms / 1000)) $((ms % 1000)) "$*" >&2; }
die() { say "FAILED: $*"; exit 1; }
