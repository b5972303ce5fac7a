#!/bin/bash
# up.sh - a real OpenStack control plane on 127.0.0.1, without a hypervisor.
#
# usage: up.sh              install what is missing, create the state if there is
#                           none, start what does not run
#        up.sh --reset      stop, go back to an empty cloud, start
#        up.sh --save F     stop, put all state into the file F (tar.gz), start
#        up.sh --restore F  stop, go back to the state in F, start
# down.sh stops it.  Root on Debian 12; no systemd, RabbitMQ, memcached, uwsgi.
. "$(dirname "$0")/env.sh"

# One at a time; the processes started below do not inherit the lock.
mkdir -p "$H"
exec 9>"$H/.lock"
flock 9

database_exists() { [ -e "$H/.migrated" ]; }
migrate() {
  $PY "$H/databases.py" create
  local pids=() p
  ($PY "$H/databases.py" neutron) >"$H/log/init-neutron.log" 2>&1 & pids+=($!)
  ($PY "$H/databases.py" octavia && $PY "$H/databases.py" nova) >"$H/log/init-nova.log" 2>&1 & pids+=($!)
  ($PY "$H/databases.py" keystone $PW && $PY "$H/databases.py" placement && $PY "$H/databases.py" glance &&
    $PY "$H/databases.py" barbican) >"$H/log/init-rest.log" 2>&1 & pids+=($!)
  for p in "${pids[@]}"; do wait "$p" || die "database migration, see $H/log/init-*.log"; done
}

case "${1:-}" in
"")
  if [ -e "$H/run/ready" ] && "$HERE/service.sh" status >/dev/null; then
    say "runs already"
    exit 0
  fi
  ;;
--reset)
  "$HERE/down.sh"
  rm -rf "$H"/{mysql,state,.migrated}
  ;;
--save)
  [ -n "${2:-}" ] || die "--save FILE"
  "$HERE/down.sh"
  tar -C "$H" -czf "$2" mysql state etc/fernet-keys etc/credential-keys
  say "saved $2"
  ;;
--restore)
  [ -e "${2:-}" ] || die "--restore FILE"
  "$HERE/down.sh"
  rm -rf "$H"/{mysql,state}
  tar -C "$H" -xzf "$2"
  touch "$H/.migrated"
  say "restored $2"
  ;;
*) sed -n '2,/^$/p' "$0" >&2; exit 2 ;;
esac

"$HERE/install.sh"
"$HERE/configure.sh"
if ! database_exists && [ -e "$H/pristine.tar.gz" ]; then
  tar -C "$H" -xzf "$H/pristine.tar.gz"
  touch "$H/.migrated"
  say "took the empty cloud from pristine.tar.gz"
fi
"$HERE/service.sh" start mariadb
if ! database_exists; then
  migrate
  say "databases migrated"
  "$HERE/service.sh" stop mariadb
  tar -C "$H" -czf "$H/pristine.tar.gz" mysql etc/fernet-keys etc/credential-keys
  touch "$H/.migrated"
  "$HERE/service.sh" start mariadb
fi
# All at once: start-up is mostly imports.  nova waits for its account.
rm -f "$H/run/identity-seeded"
"$HERE/service.sh" launch $SERVICES
"$HERE/service.sh" wait keystone
$PY "$H/seed.py" identity $PW
touch "$H/run/identity-seeded"
"$HERE/service.sh" wait $SERVICES
say "all services listen"
$PY "$H/seed.py" rest $PW "$OSLAB_COMPUTES"
touch "$H/run/ready"
say "ready: $H/openrc, $H/clouds.yaml"
