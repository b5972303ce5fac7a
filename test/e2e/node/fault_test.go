package node_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// trouble is a way in which a cloud or the credentials go wrong.
type trouble struct {
	name string
	// begin breaks things; without end, taking the faults away repairs them.
	begin, end func(*plant)
	// reason is the event that tells about it.
	reason string
	// allNotReady leaves no Node Ready.
	allNotReady bool
	// restart starts the CCM only when things are broken.
	restart bool
	// needs are abilities of the cloud; accounts says that there are credentials of two accounts.
	needs    []testcloud.Ability
	accounts bool
}

// plant is a cluster with 240 nodes, most of them NotReady.
type plant struct {
	*site
	all       []testcloud.Machine
	tokenFile string
	ccm       *ccm.Process
}

const (
	plantSize = 240
	// readyNodes stay Ready unless the trouble says otherwise.
	readyNodes = 20
	// faultTime is several times what it takes to delete a Node whose machine is gone,
	// which TestGoneMachine shows.
	faultTime = 20 * time.Second

	otherToken = "token-of-another-account"
)

// inject puts faults in force, whose paths are named as in testcloud.Facts.
func inject(faults ...func(testcloud.Facts) fault.Fault) func(*plant) {
	return func(p *plant) {
		for _, f := range faults {
			p.Cloud.AddFault(f(p.Cloud.Facts()))
		}
	}
}

func clearFaults(p *plant) { p.Cloud.Disarm(); p.Cloud.ClearFaults() }

func everything(f fault.Fault) func(testcloud.Facts) fault.Fault {
	return func(facts testcloud.Facts) fault.Fault {
		f.Path = facts.All
		return f
	}
}

func lists(f fault.Fault) func(testcloud.Facts) fault.Fault {
	return func(facts testcloud.Facts) fault.Fault {
		f.Path = facts.Machines
		return f
	}
}

// unknown answers for each machine that there is none.
func unknown(facts testcloud.Facts) fault.Fault {
	return fault.Fault{Path: facts.Machine, Status: http.StatusNotFound}
}

// switchToken makes the CCM use another token from its next request on.
func switchToken(to string) func(*plant) {
	return func(p *plant) { writeToken(p.site, p.tokenFile, to) }
}

func writeToken(s *site, path, value string) {
	s.t.Helper()
	next := path + ".next"
	s.must(os.WriteFile(next, []byte(value+"\n"), 0o600))
	s.must(os.Rename(next, path))
}

var (
	empty     = lists(fault.Empty(""))
	half      = lists(fault.Fault{List: &fault.List{Keep: 60, Consistent: true}})
	beginning = 40 // bytes

	cut    = []testcloud.Ability{testcloud.ShortLists}
	cutOne = []testcloud.Ability{testcloud.ShortLists, testcloud.ReadOne}
)

var troubles = []trouble{
	{name: "another account", begin: switchToken(otherToken), end: switchToken(token), reason: "CloudIdentityChanged", accounts: true},
	{name: "another account, all NotReady", begin: switchToken(otherToken), end: switchToken(token), reason: "CloudIdentityChanged", accounts: true, allNotReady: true},
	{name: "started with another account", begin: switchToken(otherToken), end: switchToken(token), reason: "DeletionBrakeEngaged", accounts: true, restart: true},
	{name: "started with another account, all NotReady", begin: switchToken(otherToken), end: switchToken(token), reason: "DeletionBrakeEngaged", accounts: true, restart: true, allNotReady: true},
	{name: "refused credentials", begin: func(p *plant) { p.refuse() }, reason: "CloudUnavailable"},
	{name: "empty list", begin: inject(empty), reason: "NodeDeletionHeld", needs: cut},
	{name: "empty list and 404s", begin: inject(empty, unknown), reason: "NodeDeletionHeld", needs: cutOne},
	{name: "empty list and 404s, all NotReady", begin: inject(empty, unknown), reason: "NodeDeletionHeld", needs: cutOne, allNotReady: true},
	{name: "short list and 404s, all NotReady", begin: inject(half, unknown), reason: "NodeDeletionHeld", needs: cutOne, allNotReady: true},
	{name: "404s to everything", begin: inject(everything(fault.Fault{Status: http.StatusNotFound})), reason: "CloudUnavailable", needs: []testcloud.Ability{testcloud.ReadOne}},
	{name: "page 2 fails", begin: inject(lists(fault.Fault{Page: 2, Status: http.StatusInternalServerError})), reason: "CloudUnavailable", needs: []testcloud.Ability{testcloud.SecondPage}},
	{name: "500s", begin: inject(everything(fault.Fault{Status: http.StatusInternalServerError})), reason: "CloudUnavailable"},
	{name: "truncated bodies", begin: inject(everything(fault.Fault{Truncate: &beginning})), reason: "CloudUnavailable"},
	{name: "hung API", begin: inject(everything(fault.Fault{Hang: true})), reason: "CloudUnavailable"},
}

// Whatever the cloud answers and whoever the credentials belong to: no Node is deleted
// while its machine is there, somebody is told, and all is well soon after it is repaired.
func TestTroubleDeletesNoNode(t *testing.T) {
	for _, tt := range troubles {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlant(t, tt)
			p.event("", tt.reason)
			machineOff := p.all[readyNodes]
			p.machines.stop(machineOff)
			fresh := p.machines.seed(1)[0]
			_, err := p.JoinNode(p.within(patience), controlplane.NodeOptions{Name: fresh.Name})
			p.must(err)
			p.never(faultTime, func() error {
				if n := p.count(); n < plantSize+1 {
					return fmt.Errorf("%d of %d nodes are left", n, plantSize+1)
				}
				return nil
			})
			machineGone := p.all[plantSize-1]
			p.machines.remove(machineGone)
			if tt.end == nil {
				clearFaults(p)
			} else {
				tt.end(p)
			}
			p.setReady(true, p.all[0])
			p.node(fresh.Name, initialised)
			p.node(machineOff.Name, shutDown(true))
			p.node(machineGone.Name, gone)
			if n := p.count(); n != plantSize {
				t.Errorf("%d of %d nodes are left", n, plantSize)
			}
		})
	}
}

// newPlant starts a cluster and brings it into trouble.
func newPlant(t *testing.T, tt trouble) *plant {
	t.Helper()
	var p *plant
	var env map[string]string
	if tt.accounts {
		s := openOwn(t, "the token of another account")
		p = &plant{site: s.site, tokenFile: filepath.Join(t.TempDir(), "token")}
		env = map[string]string{"DO_ACCESS_TOKEN_FILE": p.tokenFile}
		writeToken(p.site, p.tokenFile, token)
		s.Cloud.SetToken(otherToken, "other")
		s.Cloud.In("other").Droplets.Seed(50, func(d *digitalocean.Droplet) { d.ID += 1_000_000; d.Name = "other-" + d.Name })
	} else {
		p = &plant{site: open(t, append([]testcloud.Ability{testcloud.API, testcloud.Many}, tt.needs...)...)}
	}
	p.all = p.pool(plantSize)
	start := func() { p.ccm = p.startWith(env) }
	if !tt.restart {
		start()
		p.awaitList()
	}
	tt.begin(p)
	first := readyNodes
	if tt.allNotReady {
		first = 0
	}
	p.notReady(p.all[first:]...)
	if tt.restart {
		start()
	}
	return p
}

// awaitList waits until the CCM has listed all machines and knows its account.
func (p *plant) awaitList() {
	p.t.Helper()
	facts := p.Cloud.Facts()
	p.must(p.Cloud.Until(p.within(patience), func() bool {
		return p.Cloud.Counters().Of(facts.List) >= facts.Pages(plantSize)
	}))
	p.eventually(func() error {
		_, err := p.ccm.Get(p.within(patience), "/readyz", "")
		return err
	})
}
