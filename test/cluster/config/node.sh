# Turns fresh namespaces into a machine: its own /proc, /run, /var/lib and /var/log, its name
# and its address. Runs once, as the first thing in a node.
# Needs NODE, DIR, ADDRESS (with the length of the prefix) and GATEWAY.
set -eu

mount --make-rprivate / # from here on no mount gets out
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$DIR/log" /var/log
mount --bind "$DIR/lib" /var/lib # hides DIR, so it is the last
mount --make-rshared / # pods may ask for mounts that come and go
hostname "$NODE"

ip link set lo up
ip addr add "$ADDRESS" dev eth0
ip link set eth0 up
ip route add default via "$GATEWAY"
echo 1 >/proc/sys/net/ipv4/ip_forward

# A kubelet wants these to be so, and they are the whole machine's: it gets copies.
mkdir /run/sysctl
fake() {
  echo "$2" >"/run/sysctl/$1"
  mount --bind "/run/sysctl/$1" "/proc/sys/$(echo "$1" | tr . /)"
}
fake vm.overcommit_memory 1
fake vm.panic_on_oom 0
fake kernel.panic 10
fake kernel.panic_on_oops 1
fake kernel.keys.root_maxkeys 1000000
fake kernel.keys.root_maxbytes 25000000
