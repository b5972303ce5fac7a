package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const (
	// base holds a folder and a lock for each slot.
	base = "/var/lib/multicloud-ccm-test"
	// slots is how many clusters can run at once.
	slots = 16
	// cleanLimit bounds the wait for the processes of a cluster that was killed a moment
	// ago: they hold cgroups until they are gone.
	cleanLimit = 30 * time.Second
)

// slot is one of a few places for a cluster on this machine: its names, its addresses and
// its folder follow from the number. The lock goes with the process, so whoever has it may
// remove what the last holder left.
type slot struct {
	number int
	lock   *os.File
}

// takeSlot returns the first place that is free, empty.
func takeSlot(ctx context.Context) (*slot, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for clusters: %w", err)
	}
	for number := range slots {
		s := &slot{number: number}
		if err := s.tryLock(); errors.Is(err, syscall.EWOULDBLOCK) {
			continue
		} else if err != nil {
			return nil, err
		}
		if s.foreign() {
			s.release()
			continue
		}
		if err := s.clean(ctx); err != nil {
			s.release()
			return nil, err
		}
		return s, nil
	}
	return nil, fmt.Errorf("finding a place for a cluster: all %d are in use", slots)
}

// Clean removes what clusters left on this machine that were killed or kept their folder.
func Clean(ctx context.Context) error {
	if err := Missing(); err != nil {
		return fmt.Errorf("cleaning up: %w", err)
	}
	var problems []error
	for number := range slots {
		s := &slot{number: number}
		if _, err := os.Stat(s.dir()); err != nil {
			continue
		}
		if err := s.tryLock(); err != nil {
			continue // it runs
		}
		problems = append(problems, s.clean(ctx))
		s.release()
	}
	return errors.Join(problems...)
}

func (s *slot) tryLock() error {
	lock, err := os.OpenFile(s.dir()+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the lock of a cluster: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("locking %s: %w", lock.Name(), err), lock.Close())
	}
	s.lock = lock
	return nil
}

func (s *slot) release() { s.lock.Close() }

// foreign reports whether something else on this machine has an address of this slot.
func (s *slot) foreign() bool {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false
	}
	for _, i := range interfaces {
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			prefix, err := netip.ParsePrefix(a.String())
			if err == nil && i.Name != s.link() && prefix.Overlaps(s.network()) {
				return true
			}
		}
	}
	return false
}

// clean removes what a cluster leaves: nothing, a folder that it was to keep, or after a
// crash also cgroups and a device that the kernel is about to remove.
func (s *slot) clean(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cleanLimit)
	defer cancel()
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		if _, err := net.InterfaceByName(s.link()); err == nil {
			_ = command(ctx, "ip", "link", "delete", s.link()) // unless it has gone by itself
		}
		for i := range maxNodes {
			if err := removeCgroups(s.cgroup(nodeName(i))); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(s.dir()); err != nil {
			return fmt.Errorf("removing the folder of a cluster: %w", err)
		}
		return nil
	})
}

func (s *slot) dir() string { return filepath.Join(base, fmt.Sprint(s.number)) }

// link is the name of the machine's device to the cluster.
func (s *slot) link() string { return fmt.Sprintf("mccm%d", s.number) }

func (s *slot) cgroup(node string) string { return fmt.Sprintf("mccm-%d-%s", s.number, node) }

// network holds the machine's and the nodes' addresses.
func (s *slot) network() netip.Prefix { return netip.PrefixFrom(s.address(0), 24) }

func (s *slot) address(host int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 111, byte(s.number), byte(host)})
}

// router is the switch's own address, where it routes: with a data plane of load balancers.
func (s *slot) router() netip.Addr { return s.address(2) }

// serviceDNS is an address of the machine, where the cluster's DNS is.
func (s *slot) serviceDNS() netip.Addr { return s.address(3) }

// gateway is the machine's own address.
func (s *slot) gateway() netip.Addr { return s.address(1) }

func (s *slot) nodeAddress(node int) netip.Addr { return s.address(11 + node) }

func nodeName(node int) string { return fmt.Sprintf("node-%d", node+1) }
