#!/bin/bash
# configure.sh - write the lab's configuration from the templates in etc/.
. "$(dirname "$0")/env.sh"

mkdir -p "$H"/{etc,log,run/lock,state/{nova/instances,glance/images,neutron,octavia,barbican}}
rm -rf "$H/py"
cp -r "$HERE/py" "$H/py"
cp "$HERE"/{labd,databases,seed}.py "$H/"

# keys and a throw-away CA
for d in fernet-keys credential-keys; do
  [ ! -d "$H/etc/$d" ] || continue
  mkdir -m 700 "$H/etc/$d"
  for i in 0 1; do head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' >"$H/etc/$d/$i"; done
  chmod 600 "$H/etc/$d"/*
done
[ -e "$H/etc/ca.pem" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 3650 \
  -subj /CN=openstack-lab-test-ca -keyout "$H/etc/ca.key" -out "$H/etc/ca.pem" 2>/dev/null

# @AUTHTOKEN@ and @ACCOUNT@ stand for the files of that name, the rest for values.
for template in "$HERE"/etc/*.conf "$HERE"/etc/*.ini; do
  sed -e "/^@AUTHTOKEN@/{r $HERE/etc/AUTHTOKEN
          d}" "$template" |
    sed -e "/^@ACCOUNT@/{r $HERE/etc/ACCOUNT
          d}" |
    sed -e "s|@HOME@|$H|g; s|@PASSWORD@|$PW|g; s|@TOKEN_CACHE@|${OSLAB_TOKEN_CACHE:-5}|g" \
      >"$H/etc/$(basename "$template")"
done
for s in $SERVICES; do
  [ -e "$H/etc/$s-policy.yaml" ] || echo '# nothing: the defaults' >"$H/etc/$s-policy.yaml"
done

cat >"$H/openrc" <<END
export OS_AUTH_URL=http://127.0.0.1:5000/v3 OS_IDENTITY_API_VERSION=3
export OS_USERNAME=admin OS_PASSWORD=$PW OS_PROJECT_NAME=admin
export OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default OS_REGION_NAME=RegionOne
END
cloud() { cat <<END; }
  $1:
    region_name: RegionOne
    identity_api_version: "3"
    auth:
      auth_url: http://127.0.0.1:5000/v3
      username: $2
      password: $PW
      project_name: $2
      user_domain_id: default
      project_domain_id: default
END
{ echo clouds:; cloud lab-admin admin; cloud lab demo; } >"$H/clouds.yaml"
