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
)

// trouble is a way in which a cloud or the credentials go wrong.
type trouble struct {
	name string
	// begin breaks things, end repairs them.
	begin, end func(*plant)
	// reason is the event that tells about it.
	reason string
	// allNotReady leaves no Node Ready.
	allNotReady bool
	// restart starts the CCM only when things are broken.
	restart bool
}

// plant is a cluster with 240 nodes, most of them NotReady.
type plant struct {
	*site
	droplets  []digitalocean.Droplet
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

	machines   = "/v2/droplets"
	oneMachine = "/v2/droplets/*"
	anything   = "/v2/**"
	otherToken = "token-of-another-account"
)

func inject(faults ...fault.Fault) func(*plant) {
	return func(p *plant) {
		for _, f := range faults {
			p.Cloud.AddFault(f)
		}
	}
}

func clearFaults(p *plant) { p.Cloud.Disarm(); p.Cloud.ClearFaults() }

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

func truncate(path string, keep int) fault.Fault {
	return fault.Fault{Path: path, Truncate: &keep}
}

var troubles = []trouble{
	{name: "another account", begin: switchToken(otherToken), end: switchToken(token), reason: "CloudIdentityChanged"},
	{name: "another account, all NotReady", begin: switchToken(otherToken), end: switchToken(token), reason: "CloudIdentityChanged", allNotReady: true},
	{name: "started with another account", begin: switchToken(otherToken), end: switchToken(token), reason: "DeletionBrakeEngaged", restart: true},
	{name: "started with another account, all NotReady", begin: switchToken(otherToken), end: switchToken(token), reason: "DeletionBrakeEngaged", restart: true, allNotReady: true},
	{name: "revoked token", begin: func(p *plant) { p.Cloud.RevokeToken(token) }, end: func(p *plant) { p.Cloud.SetToken(token, "default") }, reason: "CloudUnavailable"},
	{name: "empty list", begin: inject(fault.Empty(machines)), end: clearFaults, reason: "NodeDeletionHeld"},
	{name: "empty list and 404s", begin: inject(fault.Empty(machines), fault.Fault{Path: oneMachine, Status: http.StatusNotFound}), end: clearFaults, reason: "NodeDeletionHeld"},
	{name: "empty list and 404s, all NotReady", begin: inject(fault.Empty(machines), fault.Fault{Path: oneMachine, Status: http.StatusNotFound}), end: clearFaults, reason: "NodeDeletionHeld", allNotReady: true},
	{name: "short list and 404s, all NotReady", begin: inject(fault.Fault{Path: machines, List: &fault.List{Keep: 100, Consistent: true}}, fault.Fault{Path: oneMachine, Status: http.StatusNotFound}), end: clearFaults, reason: "NodeDeletionHeld", allNotReady: true},
	{name: "404s to everything", begin: inject(fault.Fault{Path: anything, Status: http.StatusNotFound}), end: clearFaults, reason: "CloudUnavailable"},
	{name: "page 2 fails", begin: inject(fault.Fault{Path: machines, Page: 2, Status: http.StatusInternalServerError}), end: clearFaults, reason: "CloudUnavailable"},
	{name: "500s", begin: inject(fault.Fault{Path: anything, Status: http.StatusInternalServerError}), end: clearFaults, reason: "CloudUnavailable"},
	{name: "truncated bodies", begin: inject(truncate(anything, 40)), end: clearFaults, reason: "CloudUnavailable"},
	{name: "hung API", begin: inject(fault.Fault{Path: anything, Hang: true}), end: clearFaults, reason: "CloudUnavailable"},
}

// Whatever the cloud answers and whoever the credentials belong to: no Node is deleted
// while its machine is there, somebody is told, and all is well soon after it is repaired.
func TestTroubleDeletesNoNode(t *testing.T) {
	for _, tt := range troubles {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlant(t, tt)
			p.event("", tt.reason)
			machineOff := p.droplets[readyNodes]
			p.must(p.Cloud.PowerOff(machineOff.ID))
			fresh := p.Cloud.SeedDroplets(1)[0]
			_, err := p.JoinNode(p.within(patience), controlplane.NodeOptions{Name: fresh.Name})
			p.must(err)
			p.never(faultTime, func() error {
				if n := p.count(); n < plantSize+1 {
					return fmt.Errorf("%d of %d nodes are left", n, plantSize+1)
				}
				return nil
			})
			machineGone := p.droplets[plantSize-1]
			p.must(p.Cloud.DeleteDroplets(machineGone.ID))
			tt.end(p)
			p.setReady(true, p.droplets[0])
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
	p := &plant{site: open(t), tokenFile: filepath.Join(t.TempDir(), "token")}
	writeToken(p.site, p.tokenFile, token)
	p.Cloud.SetToken(otherToken, "other")
	p.Cloud.In("other").SeedDroplets(50, func(d *digitalocean.Droplet) { d.ID += 1_000_000; d.Name = "other-" + d.Name })
	p.droplets = p.pool(plantSize)
	start := func() {
		p.ccm = p.startWith(map[string]string{"DO_ACCESS_TOKEN_FILE": p.tokenFile})
	}
	if !tt.restart {
		start()
		p.awaitList()
	}
	tt.begin(p)
	first := readyNodes
	if tt.allNotReady {
		first = 0
	}
	p.notReady(p.droplets[first:]...)
	if tt.restart {
		start()
	}
	return p
}

// awaitList waits until the CCM has listed all machines and knows its account.
func (p *plant) awaitList() {
	p.t.Helper()
	p.must(p.Cloud.Until(p.within(patience), func() bool {
		c := p.Cloud.Counters()
		return c.Of("GET "+machines) >= 2 && c.Of("GET /v2/account") >= 1
	}))
}
