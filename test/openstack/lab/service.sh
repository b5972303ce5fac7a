#!/bin/bash
# service.sh - start or stop single processes of the lab.
#
# usage: service.sh start|stop|restart NAME...
#        service.sh status            exits 0 when all run, else says which do not
# NAME is mariadb or one of keystone placement glance neutron nova octavia barbican.
# start returns when the service listens.
. "$(dirname "$0")/env.sh"

# A zombie that init has not reaped yet is not alive.
running() { grep -qE '^State:[[:space:]]+[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }
pid() { cat "$H/run/$1.pid" 2>/dev/null; }
# Only if the pid is still the process that was started here.
ours() { grep -aqF "$H" "/proc/$1/cmdline" 2>/dev/null; }
alive() { local p; p=$(pid "$1") && [ -n "$p" ] && running "$p" && ours "$p"; }

start_mariadb() {
  if [ ! -d "$H/mysql/mysql" ]; then
    mariadb-install-db --no-defaults --user=root --datadir="$H/mysql" --skip-test-db \
      --auth-root-authentication-method=normal >"$H/log/mariadb-install.log" 2>&1 || die "mariadb-install-db"
  fi
  # no TCP at all; durability off: the data is worth nothing
  setsid mariadbd --no-defaults --user=root --datadir="$H/mysql" --socket="$SOCK" \
    --pid-file="$H/run/mariadbd.pid" --skip-networking --skip-log-bin --skip-name-resolve \
    --max-connections=400 --innodb-buffer-pool-size=128M --innodb-log-file-size=32M \
    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-flush-method=nosync \
    --character-set-server=utf8mb4 --performance-schema=off \
    >"$H/log/mariadb.log" 2>&1 </dev/null 9>&- &
  echo $! >"$H/run/mariadb.pid"
}
start() {
  alive "$1" && return 0
  case $1 in
  mariadb) start_mariadb ;;
  *)
    setsid $PY "$H/labd.py" "$1" >>"$H/log/$1.out" 2>&1 </dev/null 9>&- &
    echo $! >"$H/run/$1.pid"
    ;;
  esac
}
answers() {
  case $1 in
  mariadb) $PY -c "import pymysql; pymysql.connect(unix_socket='$SOCK', user='root')" 2>/dev/null ;;
  *) (exec 3<>"/dev/tcp/127.0.0.1/${PORT[$1]}") 2>/dev/null ;;
  esac
}
wait_for() {
  for _ in $(seq 600); do
    answers "$1" && return 0
    running "$(pid "$1")" || { tail -15 "$H/log/$1.out" "$H/log/$1.log" >&2; die "$1 died, see $H/log/$1.*"; }
    sleep .1
  done
  die "$1 does not answer"
}
stop() {
  local p
  p=$(pid "$1") || return 0
  if running "$p" && ours "$p"; then
    # What OpenStack's services know is in the database only.
    case $1 in mariadb) kill "$p" ;; *) kill -9 -- "-$p" ;; esac
    # the socket outlives the process for a moment
    for _ in $(seq 100); do running "$p" || answers "$1" || break; sleep .1; done
  fi
  rm -f "$H/run/$1.pid"
}

action=${1:-}
shift || true
case $action in
launch) for s in "$@"; do start "$s"; done ;; # without waiting
wait) for s in "$@"; do wait_for "$s"; done ;;
start) for s in "$@"; do start "$s"; done; for s in "$@"; do wait_for "$s"; done ;;
stop) for s in "$@"; do stop "$s"; done ;;
restart) for s in "$@"; do stop "$s"; done; for s in "$@"; do start "$s"; done; for s in "$@"; do wait_for "$s"; done ;;
status)
  dead=
  for s in mariadb $SERVICES; do alive "$s" || dead+=" $s"; done
  [ -z "$dead" ] || { echo "not running:$dead"; exit 1; }
  ;;
*) sed -n '2,/^$/p' "$0" >&2; exit 2 ;;
esac
