package testcloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

func init() {
	register("static", Maker{Missing: nothing, Open: openStatic, Facts: (*static)(nil).Facts})
}

// static is a cloud without an API. Its machines are nowhere: nobody can ask for them, so that nobody learns when one is stopped or
// removed. What a Node says of its machine is all that there is.
type static struct {
	unasked

	number int
	// dir has the inventory, "" where there is none.
	dir string
}

const (
	staticRegion = "home"
	staticZone   = "cellar"
)

func openStatic(_ context.Context, o Options) (Cloud, error) {
	s := &static{}
	if o.Entries == 0 {
		return s, nil
	}
	dir, err := os.MkdirTemp("", "static-")
	if err != nil {
		return nil, err
	}
	s.dir = dir
	return s, os.WriteFile(s.file(), []byte(inventoryOf(o.Entries)), 0o600)
}

// inventoryOf is the file of an inventory that knows every Node: by name where it has so many entries.
func inventoryOf(entries int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "apiVersion: static.multicloud-ccm.io/v1\nkind: Inventory\nregion: %s\nzone: %s\nothers: true\nmachines:\n", staticRegion, staticZone)
	for n := range entries {
		fmt.Fprintf(&text, "- {name: node-%d}\n", n)
		if n%100 == 50 {
			fmt.Fprintf(&text, "- {selector: 'rack=r%d,site in (a, b)', zone: attic}\n", n)
		}
	}
	return text.String()
}

func (s *static) file() string { return filepath.Join(s.dir, "inventory.yaml") }

func (s *static) Title() string { return "machines that no API knows" }

func (s *static) Facts() Facts {
	const why = "only a Node says what its machine is"
	return Facts{
		Provider: "static", AtOnce: 6,
		Lacks: map[Ability]string{
			API: why, Types: why, ShortLists: why, SecondPage: why, ReadOne: why, Rename: "a Node keeps its name", Twins: "a cluster has one Node of a name",
			Balancers: "Services are others'", Activation: "Services are others'", Prompt: "Services are others'", RefusedStart: "it has no credentials",
		},
	}
}

func (s *static) Env() map[string]string {
	return map[string]string{"STATIC_REGION": staticRegion, "STATIC_ZONE": staticZone}
}

func (s *static) Args() []string {
	if s.dir == "" {
		return nil
	}
	return []string{"--cloud-config=" + s.file()}
}

func (s *static) Secret() string { return "" }

func (s *static) Balancers(context.Context) ([]Balancer, error) { return nil, nil }

func (s *static) Clear(context.Context) error { return nil }

func (s *static) Close() error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

func (s *static) Seed(_ context.Context, n int, like Machine) ([]Machine, error) {
	var all []Machine
	for range n {
		m := Machine{Name: like.Name, Region: staticRegion, Zone: staticZone, Internal: like.Internal, External: like.External, Tells: true}
		if m.Name == "" {
			m.Name = fmt.Sprintf("node-%d", s.number)
		}
		if m.Internal == "" {
			m.Internal = fmt.Sprintf("10.20.%d.%d", s.number/250, s.number%250+1)
		}
		s.number++
		m.ID, m.ProviderID = m.Name, "static://"+m.Name
		all = append(all, m)
	}
	return all, nil
}

// Stop does nothing that anybody could learn of, like Start and Remove.
func (s *static) Stop(context.Context, Machine) error { return nil }

func (s *static) Start(context.Context, Machine) error { return nil }

func (s *static) Remove(context.Context, ...Machine) error { return nil }

func (s *static) Rename(context.Context, Machine, string) error {
	return errors.New("a machine that its Node describes has the Node's name")
}

// unasked is the traffic of a cloud without an API: there is never a request that could be counted, limited, broken or stopped.
type unasked struct{}

func (unasked) Counters() traffic.Counters  { return traffic.Counters{} }
func (unasked) Requests() []traffic.Request { return nil }
func (unasked) ResetTraffic()               {}
func (unasked) AddFault(fault.Fault) string { return "" }
func (unasked) ClearFaults()                {}
func (unasked) HaltAt(halt.Trigger)         {}
func (unasked) HaltedAt() *halt.Event       { return nil }
func (unasked) Disarm()                     {}
func (unasked) SetQuota(rate.Quota)         {}
func (unasked) SetLatency(time.Duration)    {}

// Until looks once: no request comes, after which it could hold.
func (unasked) Until(ctx context.Context, holds func() bool) error {
	if holds() {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}
