#!/bin/bash
# up.sh - a real OpenStack control plane on 127.0.0.1, without a hypervisor.
#
# usage: up.sh            install what is missing, create the state if there is
#                         none, start everything, print clouds.yaml
#        up.sh --install  only install the packages
#        up.sh --reset    stop, go back to the state right after the database
#                         migrations (empty cloud), start
#        up.sh --save F   stop, put all state into the file F (tar.gz), start
#        up.sh --restore F  stop, go back to the state in F, start
# Stop it with down.sh (down.sh --wipe also removes all state).
#
# Root on Debian 12 (bookworm).  No systemd, RabbitMQ, memcached or uwsgi.
#
# Measured on a 2-core, 24 GiB VM that often had another job on one core
# (README.md says which numbers are which):
#   install    52 s      from a bare debootstrap; 112 s with OSLAB_BYTECOMPILE=1
#                        197 MB downloaded, 420 packages
#   first up   23-29 s   databases 8-12 s, snapshot of them 2 s, start the rest
#                        (50 s once, on a very busy machine)
#   later up   10-11 s   on a quiet machine, 13-26 s on a busy one
#   --reset    16-24 s   (busy)         down.sh 0.5 s
#   RAM        1.0 GB    resident, all 7 processes (1.1 GB with 500 servers)
#   disk       1.2 GB    packages and apt cache; state 0.2 GB
# Versions: OpenStack Zed - keystone 22.0.2, placement 8.0.0, glance 25.1.0,
# neutron 21.0.0, nova 26.2.2, octavia 11.0.0; MariaDB 10.11.
set -euo pipefail
umask 022
HERE=$(cd "$(dirname "$0")" && pwd)
export OSLAB_HOME=${OSLAB_HOME:-/var/lib/openstack-lab}
# Each fake compute host becomes a hypervisor (1000 vCPU, 800 GB RAM) and, by
# the seeding below, an availability zone: compute1 -> az1, ...
export OSLAB_COMPUTES=${OSLAB_COMPUTES:-compute1,compute2,compute3}
H=$OSLAB_HOME
PW=lab-secret                   # made up; used for every account of the lab
PY=/usr/bin/python3             # not a pyenv one: the packages are Debian's
SOCK=$H/run/mysqld.sock
SERVICES="keystone placement glance neutron nova octavia"
PORTS="keystone:5000 placement:8778 glance:9292 neutron:9696 nova:8774 octavia:9876"
export PYTHONPATH=$H/py PYTHONDONTWRITEBYTECODE=
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY 2>/dev/null || true
T0=$(date +%s.%N)
say() { printf '[%6.1fs] %s\n' "$(awk "BEGIN{print $(date +%s.%N)-$T0}")" "$*" >&2; }
die() { say "FAILED: $*"; exit 1; }

# ---------------------------------------------------------------- packages --
# Only the python3-* packages: the daemon packages (nova-api, keystone, ...)
# would add users, debconf questions, init scripts and default databases.
PKGS="python3-keystone python3-placement python3-glance python3-neutron
      python3-nova python3-octavia python3-barbican python3-waitress python3-pymysql
      python3-sqlalchemy-ext
      mariadb-server-core mariadb-client-core python3-openstackclient python3-octaviaclient"
# Half of the installation time would go into byte-compiling some 25,000 Python
# files, most of them never imported.  Divert the compiler meanwhile; Python
# (run by root) writes the .pyc files of what it does import by itself.
divert_off() {
  [ -L /usr/bin/py3compile ] && [ "$(readlink /usr/bin/py3compile)" = /bin/true ] || return 0
  rm -f /usr/bin/py3compile
  dpkg-divert --quiet --local --rename --remove /usr/bin/py3compile
}
divert_on() {
  [ -n "${OSLAB_BYTECOMPILE:-}" ] && return 0
  divert_off; trap divert_off EXIT
  dpkg-divert --quiet --local --rename --add /usr/bin/py3compile
  ln -s /bin/true /usr/bin/py3compile
}
install_packages() {
  local missing=""
  for p in $PKGS; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=" $p"
  done
  [ -z "$missing" ] && return 0
  say "installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  # nothing may be started by a package's postinst
  local rcd=/usr/sbin/policy-rc.d made=
  if [ ! -e $rcd ]; then printf '#!/bin/sh\nexit 101\n' >$rcd; chmod +x $rcd; made=1; fi
  apt-get update -q >/dev/null
  divert_on
  apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 \
    -o Dpkg::Options::=--force-unsafe-io -o Dpkg::Options::=--force-confold \
    -o Dpkg::Options::=--path-exclude='/usr/share/doc/*' \
    -o Dpkg::Options::=--path-exclude='/usr/share/man/*' \
    -o Dpkg::Options::=--path-exclude='/usr/share/locale/*' \
    $PKGS >/tmp/openstack-lab-apt.log 2>&1 ||
    { tail -20 /tmp/openstack-lab-apt.log >&2; die "apt-get install"; }
  divert_off
  [ -z "$made" ] || rm -f $rcd
  say "packages installed"
}

# ----------------------------------------------------------- configuration --
db() { echo "mysql+pymysql://root@localhost/$1?unix_socket=$SOCK&charset=utf8mb4"; }
auth_opts() { cat <<EOF
auth_type = password
auth_url = http://127.0.0.1:5000/v3
username = svc
password = $PW
project_name = service
user_domain_id = default
project_domain_id = default
region_name = RegionOne
EOF
}
# middleware that checks the caller's token; caches the answer in-process
authtoken() { echo "[keystone_authtoken]"; auth_opts
  echo "www_authenticate_uri = http://127.0.0.1:5000/v3"
  echo "service_token_roles_required = false"; }
common() { cat <<EOF
[DEFAULT]
transport_url = fake://
use_stderr = false
log_file = $H/log/$1.log
state_path = $H/state/$1
$2
[oslo_concurrency]
lock_path = $H/run/lock
[oslo_policy]
policy_file = $H/etc/$1-policy.yaml
EOF
[ -e $H/etc/$1-policy.yaml ] || echo '# nothing: the defaults' >$H/etc/$1-policy.yaml; }

write_config() {
  mkdir -p $H/{etc,log,run/lock,state/{nova/instances,glance/images,neutron,octavia},py}
  cp -r "$HERE"/py/* $H/py/; cp "$HERE"/labd.py "$HERE"/seed.py $H/
  # keys and a throw-away CA
  local d
  for d in fernet-keys credential-keys; do
    if [ ! -d $H/etc/$d ]; then
      mkdir -m 700 $H/etc/$d
      for i in 0 1; do head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' >$H/etc/$d/$i; done
      chmod 600 $H/etc/$d/*
    fi
  done
  [ -e $H/etc/ca.pem ] || openssl req -x509 -newkey rsa:2048 -nodes -days 3650 \
    -subj /CN=openstack-lab-test-ca -keyout $H/etc/ca.key -out $H/etc/ca.pem 2>/dev/null
  # authtoken caches in memory per process; nothing needs memcached
  cat >$H/etc/keystone.conf <<EOF
$(common keystone "")
[database]
connection = $(db keystone)
[token]
provider = fernet
expiration = 86400
[fernet_tokens]
key_repository = $H/etc/fernet-keys
[fernet_receipts]
key_repository = $H/etc/fernet-keys
[credential]
key_repository = $H/etc/credential-keys
[identity]
password_hash_rounds = 4
[cache]
enabled = true
backend = dogpile.cache.memory
EOF
  cat >$H/etc/placement.conf <<EOF
$(common placement "")
$(authtoken)
[placement_database]
connection = $(db placement)
[api]
auth_strategy = keystone
EOF
  cat >$H/etc/glance-api.conf <<EOF
$(common glance "")
$(authtoken)
[database]
connection = $(db glance)
[glance_store]
default_backend = file
stores = file
filesystem_store_datadir = $H/state/glance/images
[paste_deploy]
flavor = keystone
config_file = $H/etc/glance-api-paste.ini
EOF
  cat >$H/etc/glance-api-paste.ini <<'EOF'
[pipeline:glance-api-keystone]
pipeline = http_proxy_to_wsgi versionnegotiation authtoken context rootapp
[composite:rootapp]
paste.composite_factory = glance.api:root_app_factory
/: apiversions
/v2: apiv2app
[app:apiversions]
paste.app_factory = glance.api.versions:create_resource
[app:apiv2app]
paste.app_factory = glance.api.v2.router:API.factory
[filter:versionnegotiation]
paste.filter_factory = glance.api.middleware.version_negotiation:VersionNegotiationFilter.factory
[filter:context]
paste.filter_factory = glance.api.middleware.context:ContextMiddleware.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
delay_auth_decision = true
[filter:http_proxy_to_wsgi]
paste.filter_factory = oslo_middleware:HTTPProxyToWSGI.factory
EOF
  cat >$H/etc/neutron.conf <<EOF
$(common neutron "bind_host = 127.0.0.1
bind_port = 9696
core_plugin = ml2
service_plugins = lab_router
api_paste_config = $H/etc/neutron-api-paste.ini
api_workers = ${OSLAB_NEUTRON_WORKERS:-0}
rpc_workers = 0
rpc_state_report_workers = 0
dhcp_agent_notification = false
# the fake driver waits for no network-vif-plugged; but a floating IP must
# show up in the server's addresses (network-changed event)
notify_nova_on_port_status_changes = false
notify_nova_on_port_data_changes = true
send_events_interval = 1")
[nova]
$(auth_opts)
$(authtoken)
[database]
connection = $(db neutron)
[quotas]
quota_driver = neutron.db.quota.driver_nolock.DbQuotaNoLockDriver
$(for q in network subnet port router floatingip security_group security_group_rule; do echo "quota_$q = -1"; done)
[ml2]
type_drivers = flat,vxlan
tenant_network_types = vxlan
mechanism_drivers = lab
extension_drivers = port_security
[ml2_type_flat]
flat_networks = *
[ml2_type_vxlan]
vni_ranges = 1:10000
EOF
  cat >$H/etc/neutron-api-paste.ini <<'EOF'
[composite:neutron]
use = egg:Paste#urlmap
/: neutronversions_composite
/v2.0: neutronapi_v2_0
[composite:neutronapi_v2_0]
use = call:neutron.auth:pipeline_factory
keystone = http_proxy_to_wsgi request_id catch_errors authtoken keystonecontext extensions neutronapiapp_v2_0
[composite:neutronversions_composite]
use = call:neutron.auth:pipeline_factory
keystone = http_proxy_to_wsgi neutronversions
[filter:request_id]
paste.filter_factory = oslo_middleware:RequestId.factory
[filter:catch_errors]
paste.filter_factory = oslo_middleware:CatchErrors.factory
[filter:http_proxy_to_wsgi]
paste.filter_factory = oslo_middleware.http_proxy_to_wsgi:HTTPProxyToWSGI.factory
[filter:keystonecontext]
paste.filter_factory = neutron.auth:NeutronKeystoneContext.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
[filter:extensions]
paste.filter_factory = neutron.api.extensions:plugin_aware_extension_middleware_factory
[app:neutronversions]
paste.app_factory = neutron.pecan_wsgi.app:versions_factory
[app:neutronapiapp_v2_0]
paste.app_factory = neutron.api.v2.router:APIRouter.factory
EOF
  cat >$H/etc/nova.conf <<EOF
$(common nova "host = compute1
my_ip = 127.0.0.1
compute_driver = lab.LabFakeDriver
instances_path = $H/state/nova/instances
osapi_compute_listen = 127.0.0.1
osapi_compute_listen_port = 8774
osapi_compute_workers = 1
enabled_apis = osapi_compute
# the fake driver forgets its instances when the process restarts: do not
# let nova "correct" the database from that
resume_guests_state_on_host_boot = true
sync_power_state_interval = -1
max_concurrent_builds = 0
vif_plugging_is_fatal = false
vif_plugging_timeout = 0")
$(authtoken)
[api]
auth_strategy = keystone
max_limit = 1000
[wsgi]
api_paste_config = $H/etc/nova-api-paste.ini
[api_database]
connection = $(db nova_api)
[database]
connection = $(db nova)
[quota]
driver = nova.quota.NoopQuotaDriver
[vnc]
enabled = false
[glance]
api_servers = http://127.0.0.1:9292
[placement]
$(auth_opts)
[neutron]
$(auth_opts)
[service_user]
send_service_user_token = false
EOF
  cat >$H/etc/nova-api-paste.ini <<'EOF'
[composite:osapi_compute]
use = call:nova.api.openstack.urlmap:urlmap_factory
/: oscomputeversions
/v2.1: oscomputeversion_v2
/v2.1/+: openstack_compute_api_v21
[composite:openstack_compute_api_v21]
use = call:nova.api.auth:pipeline_factory_v21
keystone = http_proxy_to_wsgi compute_req_id faultwrap sizelimit authtoken keystonecontext osapi_compute_app_v21
[filter:compute_req_id]
paste.filter_factory = nova.api.compute_req_id:ComputeReqIdMiddleware.factory
[filter:faultwrap]
paste.filter_factory = nova.api.openstack:FaultWrapper.factory
[filter:sizelimit]
paste.filter_factory = oslo_middleware:RequestBodySizeLimiter.factory
[filter:http_proxy_to_wsgi]
paste.filter_factory = oslo_middleware.http_proxy_to_wsgi:HTTPProxyToWSGI.factory
[app:osapi_compute_app_v21]
paste.app_factory = nova.api.openstack.compute:APIRouterV21.factory
[pipeline:oscomputeversions]
pipeline = faultwrap http_proxy_to_wsgi oscomputeversionapp
[pipeline:oscomputeversion_v2]
pipeline = compute_req_id faultwrap http_proxy_to_wsgi oscomputeversionapp_v2
[app:oscomputeversionapp]
paste.app_factory = nova.api.openstack.compute.versions:Versions.factory
[app:oscomputeversionapp_v2]
paste.app_factory = nova.api.openstack.compute.versions:VersionsV2.factory
[filter:keystonecontext]
paste.filter_factory = nova.api.auth:NovaKeystoneContext.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
EOF
  cat >$H/etc/octavia.conf <<EOF
$(common octavia "")
$(authtoken)
[database]
connection = $(db octavia)
[api_settings]
bind_host = 127.0.0.1
auth_strategy = keystone
api_base_uri = http://127.0.0.1:9876
enabled_provider_drivers = amphora:The Octavia Amphora driver,octavia:alias of amphora
default_provider_driver = amphora
allow_tls_terminated_listeners = true
[oslo_messaging]
topic = octavia_prov
[service_auth]
$(auth_opts)
[certificates]
cert_generator = local_cert_generator
cert_manager = local_cert_manager
ca_certificate = $H/etc/ca.pem
ca_private_key = $H/etc/ca.key
storage_path = $H/state/octavia
[haproxy_amphora]
server_ca = $H/etc/ca.pem
client_cert = $H/etc/ca.pem
[health_manager]
heartbeat_key = $PW
[controller_worker]
client_ca = $H/etc/ca.pem
amphora_driver = amphora_noop_driver
compute_driver = compute_noop_driver
image_driver = image_noop_driver
volume_driver = volume_noop_driver
network_driver = lab_network_driver
amp_active_retries = 2
amp_active_wait_sec = 0
[quotas]
$(for q in load_balancer listener member pool health_monitor l7policy l7rule; do echo "default_${q}_quota = -1"; done)
EOF
  cat >$H/openrc <<EOF
export OS_AUTH_URL=http://127.0.0.1:5000/v3 OS_IDENTITY_API_VERSION=3
export OS_USERNAME=admin OS_PASSWORD=$PW OS_PROJECT_NAME=admin
export OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default OS_REGION_NAME=RegionOne
EOF
  cat >$H/clouds.yaml <<EOF
clouds:
  lab-admin: &a
    region_name: RegionOne
    identity_api_version: "3"
    auth:
      auth_url: http://127.0.0.1:5000/v3
      username: admin
      password: $PW
      project_name: admin
      user_domain_id: default
      project_domain_id: default
  lab:
    region_name: RegionOne
    identity_api_version: "3"
    auth:
      auth_url: http://127.0.0.1:5000/v3
      username: demo
      password: $PW
      project_name: demo
      user_domain_id: default
      project_domain_id: default
EOF
}

# ----------------------------------------------------------------- database --
start_db() {
  if [ ! -d $H/mysql/mysql ]; then
    mariadb-install-db --no-defaults --user=root --datadir=$H/mysql --skip-test-db \
      --auth-root-authentication-method=normal >$H/log/mariadb-install.log 2>&1 || die "mariadb-install-db"
  fi
  alive mariadb && return 0
  # no TCP at all; durability off: the data is worth nothing
  setsid mariadbd --no-defaults --user=root --datadir=$H/mysql --socket=$SOCK \
    --pid-file=$H/run/mariadbd.pid --skip-networking --skip-log-bin --skip-name-resolve \
    --max-connections=400 --innodb-buffer-pool-size=128M --innodb-log-file-size=32M \
    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-flush-method=nosync \
    --character-set-server=utf8mb4 --performance-schema=off \
    >$H/log/mariadb.log 2>&1 </dev/null & echo $! >$H/run/mariadb.pid
  for i in $(seq 150); do
    $PY -c "import pymysql;pymysql.connect(unix_socket='$SOCK',user='root')" 2>/dev/null && return 0
    sleep .2; alive mariadb || break
  done
  tail -5 $H/log/mariadb.log >&2; die "mariadb does not start"
}
sync_db() {
  $PY - <<EOF
import pymysql
c = pymysql.connect(unix_socket='$SOCK', user='root').cursor()
for d in 'keystone placement glance neutron nova nova_api nova_cell0 octavia'.split():
    c.execute('CREATE DATABASE IF NOT EXISTS %s CHARACTER SET utf8mb3' % d)
EOF
  local pids="" p
  ( $PY $H/labd.py neutron-init ) >$H/log/init-neutron.log 2>&1 & pids+=" $!"
  ( $PY $H/labd.py octavia-init ; $PY $H/labd.py nova-init ) >$H/log/init-nova.log 2>&1 & pids+=" $!"
  ( $PY $H/labd.py keystone-init $PW
    $PY $H/labd.py placement-init; $PY $H/labd.py glance-init ) >$H/log/init-rest.log 2>&1 & pids+=" $!"
  for p in $pids; do wait $p || die "database migration, see $H/log/init-*.log"; done
}

# ---------------------------------------------------------------- processes --
# a zombie that init has not reaped yet is not alive
alive() { local p; p=$(cat $H/run/$1.pid 2>/dev/null) && [ -n "$p" ] &&
          grep -qE '^State:[[:space:]]+[^ZX[:space:]]' /proc/$p/status 2>/dev/null; }
start() {
  alive $1 && return 0
  setsid $PY $H/labd.py $1 >>$H/log/$1.out 2>&1 </dev/null & echo $! >$H/run/$1.pid
}
wait_port() { # name port
  for i in $(seq 300); do
    (exec 3<>/dev/tcp/127.0.0.1/$2) 2>/dev/null && return 0
    alive $1 || { tail -15 $H/log/$1.out >&2; die "$1 died, see $H/log/$1.*"; }
    sleep .2
  done
  die "$1 does not listen on $2"
}

# --------------------------------------------------------------------- main --
case "${1:-}" in
  "") ;;
  --install) install_packages; exit;;
  --reset)   "$HERE"/down.sh; rm -rf $H/mysql $H/state $H/.migrated;;
  --save)    [ -n "${2:-}" ] || die "--save FILE"; "$HERE"/down.sh
             tar -C $H -czf "$2" mysql state etc/fernet-keys etc/credential-keys; say "saved $2";;
  --restore) [ -e "${2:-}" ] || die "--restore FILE"; "$HERE"/down.sh; mkdir -p $H
             rm -rf $H/mysql $H/state; tar -C $H -xzf "$2"; touch $H/.migrated; say "restored $2";;
  *) sed -n '2,/^$/p' "$0" >&2; exit 2;;
esac
install_packages
write_config
if [ ! -e $H/.migrated ] && [ -e $H/pristine.tar.gz ]; then
  tar -C $H -xzf $H/pristine.tar.gz; touch $H/.migrated; say "restored the empty cloud from pristine.tar.gz"
fi
start_db; say "mariadb is up"
if [ ! -e $H/.migrated ]; then
  sync_db; say "databases migrated"
  "$HERE"/down.sh; tar -C $H -czf $H/pristine.tar.gz mysql etc/fernet-keys etc/credential-keys
  touch $H/.migrated; start_db; say "saved pristine.tar.gz"
fi
# All at once: start-up is mostly imports.  nova waits for its account.
rm -f $H/run/identity-seeded
for s in $SERVICES; do start $s; done
wait_port keystone 5000; $PY $H/seed.py identity $PW; touch $H/run/identity-seeded
for sp in $PORTS; do wait_port ${sp%:*} ${sp#*:}; done; say "all services listen"
$PY $H/seed.py rest $PW "$OSLAB_COMPUTES"; say "seeded, ready"
echo "# openrc: $H/openrc    clouds.yaml: $H/clouds.yaml"; cat $H/clouds.yaml
