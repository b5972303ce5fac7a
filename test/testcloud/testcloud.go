// Package testcloud has a cloud for the tests of the whole program, whichever cloud it is: an emulator
// in this process, a server that is started for it, or real APIs on this machine. A test that is about
// Nodes or Services and not about one cloud's own rules is written on Cloud, and runs on all of them.
//
// Each cloud is a file cloud_<name>.go, which registers itself. What a cloud cannot do is declared in
// its Facts; a test that needs it is skipped with the reason, see Need. One that knows of its machines only
// what their Nodes say lacks API.
package testcloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

// Cloud is an account in a cloud, for one cluster at a time.
type Cloud interface {
	Traffic
	Machines
	// Title says what it is, for people. Facts are what tests have to know of it.
	Title() string
	Facts() Facts
	// Env and Args let a CCM be in the account: endpoint, credentials, file of --cloud-config.
	Env() map[string]string
	Args() []string
	// Secret is a text of the credentials, which nobody may see; "" where there are none.
	Secret() string
	// Balancers reads the account's load balancers.
	Balancers(ctx context.Context) ([]Balancer, error)
	// Clear empties the account, takes faults, halts, quota and latency away and forgets all requests.
	// Env and Args may be others afterwards.
	Clear(ctx context.Context) error
	Close() error
}

// Traffic is what goes between a CCM and a cloud: counted, slowed down, refused, broken, stopped.
// front.Front is one.
type Traffic interface {
	Counters() traffic.Counters
	Requests() []traffic.Request
	ResetTraffic()
	AddFault(f fault.Fault) string
	ClearFaults()
	HaltAt(t halt.Trigger)
	HaltedAt() *halt.Event
	Disarm()
	SetQuota(q rate.Quota)
	SetLatency(d time.Duration)
	// Until looks after every request.
	Until(ctx context.Context, holds func() bool) error
}

// Machines are the machines of the account.
type Machines interface {
	// Seed makes n machines that run and are like the one that is given; its zero value leaves all to
	// the cloud.
	Seed(ctx context.Context, n int, like Machine) ([]Machine, error)
	Stop(ctx context.Context, m Machine) error
	Start(ctx context.Context, m Machine) error
	Remove(ctx context.Context, all ...Machine) error
	// Rename needs the ability Rename.
	Rename(ctx context.Context, m Machine, name string) error
}

// Operator is a cloud whose changes can go on after their answer.
type Operator interface {
	// SetOperations says how long changes go on, 0 for not at all.
	SetOperations(takes time.Duration)
	// FailLate has the operation of the next change fail.
	FailLate() error
	// States is the route of the request for the states of operations, and Each the most in one.
	States() (route string, each int)
}

// Router is a cloud in which a test can look at the routes to pod networks.
type Router interface {
	// Routes are the ids of machines by destination.
	Routes() map[string]string
	// RoutesPath is the path of requests that create a route, as in fault.Fault.
	RoutesPath() string
}

// Machine is a machine. In Seed only Name, Internal and External say something.
type Machine struct {
	// ID is the cloud's, as in Balancer.Targets; Name is the one that leads from a Node to it.
	ID, Name   string
	ProviderID string
	// Region and Zone are as a Node's labels have them, "" where the cloud has none.
	Region, Zone string
	// Internal and External are addresses, "" where there is none or it is not known.
	Internal, External string
	// Given says that no name leads to the machine: the kubelet has to give the provider-ID.
	Given bool
	// Tells says that the machine's address is known from its kubelet alone, which tells it by --node-ip.
	Tells bool
}

// Node is the Node as the kubelet of a new machine registers it.
func (m Machine) Node() controlplane.NodeOptions {
	node := controlplane.NodeOptions{Name: m.Name, ProvidedNodeIP: m.nodeIP()}
	if m.Given {
		node.ProviderID = m.ProviderID
	}
	return node
}

// Settled is the Node of a machine that a CCM has initialised some time ago, Ready.
func (m Machine) Settled() controlplane.NodeOptions {
	return controlplane.NodeOptions{
		Name: m.Name, ProviderID: m.ProviderID, Initialized: true, Ready: true, Region: m.Region, Zone: m.Zone, ProvidedNodeIP: m.nodeIP(),
	}
}

func (m Machine) nodeIP() string {
	if !m.Tells {
		return ""
	}
	return m.Internal
}

// Leaks says whether a text has a part of the credentials of a cloud.
func Leaks(c Cloud, text string) bool { return c.Secret() != "" && strings.Contains(text, c.Secret()) }

// Balancer is what all clouds have of a load balancer.
type Balancer struct {
	ID, Name string
	// UID is that of the Service in its ownership tags, "" where it has none, or where the test cloud does not tell it: those of
	// DigitalOcean and Hetzner do.
	UID string
	// Active says that it serves.
	Active bool
	// Addresses are IP addresses or a host name.
	Addresses []string
	// Listeners are as in "tcp/80", sorted.
	Listeners []string
	// Targets are ids of machines, sorted.
	Targets []string
}

// Options change how a cloud is started. The zero value works.
type Options struct {
	// Latency is what every request takes at least.
	Latency time.Duration
	// Activation is how long a new balancer does not serve, in a cloud with the ability Activation.
	Activation time.Duration
	// Progress takes what a slow start says; nowhere when nil.
	Progress io.Writer
	// Entries is how many entries the inventory of a cloud without an API has, 0 for no inventory. One in a hundred has a selector.
	Entries int
	// Grouped says that machines have a security group of the cluster, as installers give them, where the cloud has such groups.
	// The rows of the bench were recorded without.
	Grouped bool
}

// Maker makes clouds of one kind.
type Maker struct {
	// Missing says in one line what this machine lacks to run one, nil when nothing.
	Missing func() error
	Open    func(ctx context.Context, o Options) (Cloud, error)
	// Facts are those of every cloud it makes.
	Facts func() Facts
}

var makers = map[string]Maker{}

// register is called by each cloud's file, with the provider's name.
func register(name string, m Maker) { makers[name] = m }

// nothing is the Missing of emulators.
func nothing() error { return nil }

// FactsOf are the facts of a cloud that need not run.
func FactsOf(name string) (Facts, error) {
	maker, ok := makers[name]
	if !ok {
		return Facts{}, unknown(name)
	}
	return maker.Facts(), nil
}

func unknown(name string) error {
	return fmt.Errorf("there is no test cloud %q: use CLOUD=%s", name, strings.Join(Names(), ", CLOUD="))
}

// Names are the providers that have a test cloud, sorted.
func Names() []string { return slices.Sorted(maps.Keys(makers)) }

// Missing says in one line why there can be no such cloud on this machine, nil when there can.
func Missing(name string) error {
	maker, ok := makers[name]
	if !ok {
		return unknown(name)
	}
	return maker.Missing()
}

// Open starts a cloud, which has to be closed.
func Open(ctx context.Context, name string, o Options) (Cloud, error) {
	if err := Missing(name); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	c, err := makers[name].Open(ctx, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the test cloud %s: %w", name, err), closed(c))
	}
	return c, nil
}

func closed(c Cloud) error {
	if c == nil {
		return nil
	}
	return c.Close()
}
