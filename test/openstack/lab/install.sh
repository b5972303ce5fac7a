#!/bin/bash
# install.sh - install the Debian packages that the lab needs and that are missing.
#
# Root on Debian 12 (bookworm).  Nothing comes from elsewhere than apt.
. "$(dirname "$0")/env.sh"

# Only the python3-* packages: the daemon packages (nova-api, keystone, ...)
# would add users, debconf questions, init scripts and default databases.
PACKAGES="python3-keystone python3-placement python3-glance python3-neutron
          python3-nova python3-octavia python3-barbican python3-waitress
          python3-pymysql python3-sqlalchemy-ext
          mariadb-server-core mariadb-client-core"

missing=()
for p in $PACKAGES; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$(id -u)" = 0 ] || die "installing ${missing[*]} needs root"
command -v apt-get >/dev/null || die "the lab needs Debian 12 or the packages ${missing[*]}: there is no apt-get"

# Half of the time would go into byte-compiling some 25,000 Python files, most
# of them never imported.  Divert the compiler meanwhile; Python, run by root,
# writes the .pyc files of what it does import by itself.
compiler=/usr/bin/py3compile
divert_off() {
  [ "$(readlink $compiler)" = /bin/true ] || return 0
  rm -f $compiler
  dpkg-divert --quiet --local --rename --remove $compiler
}
# No package may start anything.
policy=/usr/sbin/policy-rc.d
made_policy=
undo() {
  divert_off
  [ -z "$made_policy" ] || rm -f $policy
}
trap undo EXIT
divert_off
dpkg-divert --quiet --local --rename --add $compiler
ln -s /bin/true $compiler
if [ ! -e $policy ]; then
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod +x $policy
  made_policy=1
fi

say "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
apt() {
  apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 \
    -o Dpkg::Options::=--force-unsafe-io -o Dpkg::Options::=--force-confold \
    -o Dpkg::Options::=--path-exclude='/usr/share/doc/*' \
    -o Dpkg::Options::=--path-exclude='/usr/share/man/*' \
    -o Dpkg::Options::=--path-exclude='/usr/share/locale/*' \
    "${missing[@]}" >"$log" 2>&1
}
apt || { apt-get update -qq >/dev/null 2>&1 && apt; } || { tail -20 "$log" >&2; die "apt-get install"; }
rm -f "$log"
say "packages installed"
