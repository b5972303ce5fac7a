package world

import (
	"cmp"
	"net/http"
	"net/netip"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/state"
)

// Options shape a new world. The zero value is a fast cloud without limits.
type Options struct {
	// Account is what the credentials belong to, "sim-account" by default.
	Account string
	// Region is the one region, "sim-1" by default. It has the zones a, b and c.
	Region string
	// Token is what requests of the driver's half must bear; any when "".
	Token string
	// PageSize is the longest list of machines in one answer, 100 by default.
	PageSize int
	// Forward makes balancers carry TCP: each gets a loopback address of its own and
	// probes its targets.
	Forward bool
	// Carried is the address before those of balancers, whose traffic somebody else carries then: they only
	// probe their targets.
	Carried netip.Addr
	// Settings can be changed later.
	Settings state.Settings
}

func (o Options) carrier() state.Carrier {
	switch {
	case o.Forward:
		return state.Proxies
	case o.Carried.IsValid():
		return state.Others
	}
	return state.Nothing
}

// World is the cloud. It is safe for concurrent use; Close it to end what carries traffic.
type World struct {
	*state.Cloud
	account  api.Account
	token    string
	pageSize int
	mux      *http.ServeMux
	faults   fault.Set
	counters counters
}

// New returns a world with one network and nothing in it.
func New(o Options) *World {
	account := api.Account{ID: cmp.Or(o.Account, "sim-account"), Region: cmp.Or(o.Region, "sim-1")}
	w := &World{
		Cloud:   state.New(state.Options{Region: account.Region, Carrier: o.carrier(), Addresses: o.Carried, Settings: o.Settings}),
		account: account, token: o.Token,
		pageSize: cmp.Or(o.PageSize, 100), mux: http.NewServeMux(),
	}
	for _, o := range operations {
		w.faults.Operations = append(w.faults.Operations, o.Operation)
	}
	server{w}.handle()
	steering{w}.handle()
	return w
}

// ServeHTTP implements http.Handler.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.mux.ServeHTTP(rw, r) }

// Close ends everything that runs: forwarders, probes and hung requests.
func (w *World) Close() {
	w.faults.Clear()
	w.Cloud.Close()
}

// AddFault puts a fault in force and returns it with its id. The first one that matches a
// call hits it.
func (w *World) AddFault(f fault.Fault) (fault.Fault, error) { return w.faults.Add(f) }

// ClearFaults removes all faults.
func (w *World) ClearFaults() { w.faults.Clear() }

// Counters returns a copy of the counters.
func (w *World) Counters() Counters { return w.counters.copy() }
