package difference

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestDiffTable(t *testing.T) {
	base := cloud.Balancer{
		Name: "web", Scope: cloud.ScopeExternal, ProviderFields: map[string]string{"size": "1", "empty": ""},
		Listeners: []cloud.Listener{
			{Protocol: "TCP", Port: 80, TargetProtocol: "TCP", TargetPort: 30080},
			{Protocol: "TCP", Port: 443, TargetProtocol: "TCP", TargetPort: 30443},
		},
		Targets: []cloud.InstanceID{"1", "2"},
	}
	tests := []struct {
		name string
		edit func(*cloud.Balancer)
		want []cloud.Operation
	}{
		{"nothing", func(b *cloud.Balancer) {}, nil},
		{"field", func(b *cloud.Balancer) { b.Name = "api" }, []cloud.Operation{
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "name", Before: "web", After: "api"}}},
		{"extra", func(b *cloud.Balancer) { b.ProviderFields["size"] = "2" }, []cloud.Operation{
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "size", Before: "1", After: "2"}}},
		{"absent extra is an empty one", func(b *cloud.Balancer) { delete(b.ProviderFields, "empty"); b.ProviderFields["other"] = "" }, nil},
		{"health", func(b *cloud.Balancer) { b.Health = &cloud.Health{Path: "/"} }, []cloud.Operation{
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "health.healthy", After: "0"},
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "health.interval", After: "0s"},
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "health.path", After: "/"},
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "health.port", After: "0"},
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "health.timeout", After: "0s"},
			{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "health.unhealthy", After: "0"}}},
		{"listener field", func(b *cloud.Balancer) { b.Listeners[0].TargetPort = 30081 }, []cloud.Operation{
			{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/80", Field: "targetPort", Before: "30080", After: "30081"}}},
		{"listener protocol of the same transport", func(b *cloud.Balancer) { b.Listeners[1].Protocol = "HTTPS" }, []cloud.Operation{
			{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/443", Field: "protocol", Before: "TCP", After: "HTTPS"}}},
		{"listener of another transport", func(b *cloud.Balancer) { b.Listeners[1].Protocol = "HTTP3" }, []cloud.Operation{
			{Verb: cloud.Delete, Kind: cloud.KindListener, Key: "tcp/443", Before: "TCP to 30443"},
			{Verb: cloud.Create, Kind: cloud.KindListener, Key: "udp/443", After: "HTTP3 to TCP 30443"}}},
		{"listener order", func(b *cloud.Balancer) { slices.Reverse(b.Listeners) }, nil},
		{"targets", func(b *cloud.Balancer) { b.Targets = []cloud.InstanceID{"3", "2"} }, []cloud.Operation{
			{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "3"},
			{Verb: cloud.Delete, Kind: cloud.KindTarget, Key: "1"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			after := base.Clone()
			test.edit(&after)
			if diff := cmp.Diff(test.want, Of(base, after)); diff != "" {
				t.Errorf("Diff() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffProperties(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		a, b := anyBalancer(random), anyBalancer(random)
		if ops := Of(a, a.Clone()); len(ops) != 0 {
			t.Fatalf("seed %d: Diff(x, x) = %v", seed, ops)
		}
		operations := Order(Of(a, b))
		if got, want := canonical(execute(a, operations, b)), canonical(b); !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Fatalf("seed %d: executing Diff(a, b) on a (-b +got):\n%s", seed, cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
		checkOrder(t, seed, operations)
	}
}

// checkOrder: nothing that narrows comes before anything that widens.
func checkOrder(t *testing.T, seed uint64, operations []cloud.Operation) {
	t.Helper()
	narrowed := false
	for _, op := range operations {
		if op.Field == cloud.FieldOwnershipTags {
			if op != operations[0] {
				t.Fatalf("seed %d: marks are not first in %v", seed, operations)
			}
			continue
		}
		widens, narrows := effect(op)
		if widens && narrowed {
			t.Fatalf("seed %d: %v widens after something narrowed", seed, op)
		}
		narrowed = narrowed || narrows
	}
}

// effect decides independently of stepOf, by asking which clients and targets are reached.
func effect(op cloud.Operation) (widens, narrows bool) {
	if op.Verb != cloud.Update {
		return op.Verb == cloud.Create, op.Verb == cloud.Delete
	}
	if op.Kind != cloud.KindBalancer {
		return false, false
	}
	var gained, lost bool
	switch op.Field {
	case cloud.FieldScope:
		gained, lost = op.After == "external", op.After == "internal"
	case cloud.FieldDualStack:
		gained, lost = op.After == "true", op.After == "false"
	case cloud.FieldAllow, cloud.FieldDeny:
		for _, client := range clients {
			before, after := admitted(op.Field, op.Before, client), admitted(op.Field, op.After, client)
			gained, lost = gained || after && !before, lost || before && !after
		}
	}
	return gained && !lost, lost && !gained
}

var clients = []string{"10.0.0.0/8", "172.16.0.0/12", "192.0.2.7", "nobody"}

func admitted(field, value, client string) bool {
	listed := slices.Contains(strings.Split(value, ","), client)
	if field == cloud.FieldDeny {
		return !listed
	}
	return value == "" || listed
}

// anyBalancer returns a balancer of few values, so that two of them have much in common.
func anyBalancer(random *rand.Rand) cloud.Balancer {
	b := cloud.Balancer{
		Name:           pick(random, "web", "api"),
		Scope:          pick(random, cloud.ScopeExternal, cloud.ScopeInternal),
		DualStack:      random.IntN(2) == 0,
		Health:         anyHealth(random),
		Allow:          some(random, clients[:3]),
		Deny:           some(random, clients[:3]),
		OwnershipTags:  some(random, []string{"cluster=a", "uid=b"}),
		Targets:        some(random, []cloud.InstanceID{"1", "2", "3", "4"}),
		ProviderFields: map[string]string{"algorithm": pick(random, "fair", "random", "")},
	}
	for _, port := range some(random, []int{53, 80, 443}) {
		for _, protocol := range some(random, []cloud.Protocol{pick(random, cloud.ProtocolTCP, cloud.ProtocolHTTPS), cloud.ProtocolUDP}) {
			b.Listeners = append(b.Listeners, cloud.Listener{
				Protocol: protocol, Port: port, Health: anyHealth(random),
				TargetProtocol: pick(random, cloud.ProtocolTCP, cloud.ProtocolHTTP), TargetPort: 30000 + random.IntN(2),
				ProviderFields: map[string]string{"certificate": pick(random, "", "c-1")},
			})
		}
	}
	return b
}

func anyHealth(random *rand.Rand) *cloud.Health {
	if random.IntN(3) == 0 {
		return nil
	}
	return &cloud.Health{
		Protocol: pick(random, cloud.ProtocolTCP, cloud.ProtocolHTTP), Port: 10256, Path: pick(random, "/", "/healthz"),
		Interval: pick(random, time.Second, time.Minute), Healthy: random.IntN(3),
		ProviderFields: map[string]string{"proxy": pick(random, "true", "")},
	}
}

func pick[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

func some[T any](random *rand.Rand, values []T) []T {
	var chosen []T
	for _, value := range values {
		if random.IntN(2) == 0 {
			chosen = append(chosen, value)
		}
	}
	return chosen
}

// execute does what a fine-grained driver does: it walks the operations, and takes from the
// state after only the listeners that are to be created.
func execute(b cloud.Balancer, operations []cloud.Operation, after cloud.Balancer) cloud.Balancer {
	b = b.Clone()
	for _, op := range operations {
		switch key := cloud.InstanceID(op.Key); {
		case op.Kind == cloud.KindTarget && op.Verb == cloud.Create:
			b.Targets = append(b.Targets, key)
		case op.Kind == cloud.KindTarget:
			b.Targets = slices.DeleteFunc(b.Targets, func(id cloud.InstanceID) bool { return id == key })
		case op.Kind == cloud.KindListener && op.Verb == cloud.Create:
			b.Listeners = append(b.Listeners, byKey(after.Listeners)[op.Key])
		case op.Kind == cloud.KindListener && op.Verb == cloud.Delete:
			b.Listeners = slices.DeleteFunc(b.Listeners, func(l cloud.Listener) bool { return l.Key() == op.Key })
		case op.Kind == cloud.KindListener:
			for i := range b.Listeners {
				if b.Listeners[i].Key() == op.Key {
					setListener(&b.Listeners[i], op)
				}
			}
		default:
			setBalancer(&b, op)
		}
	}
	return b
}

func setBalancer(b *cloud.Balancer, op cloud.Operation) {
	items := strings.FieldsFunc(op.After, func(r rune) bool { return r == ',' })
	switch op.Field {
	case cloud.FieldName:
		b.Name = op.After
	case cloud.FieldScope:
		b.Scope = cloud.Scope(op.After)
	case cloud.FieldDualStack:
		b.DualStack = op.After == "true"
	case cloud.FieldAllow:
		b.Allow = items
	case cloud.FieldDeny:
		b.Deny = items
	case cloud.FieldOwnershipTags:
		b.OwnershipTags = items
	default:
		setOther(&b.Health, b.ProviderFields, op)
	}
}

func setListener(l *cloud.Listener, op cloud.Operation) {
	switch op.Field {
	case "protocol":
		l.Protocol = cloud.Protocol(op.After)
	case "targetProtocol":
		l.TargetProtocol = cloud.Protocol(op.After)
	case "targetPort":
		l.TargetPort, _ = strconv.Atoi(op.After)
	default:
		setOther(&l.Health, l.ProviderFields, op)
	}
}

func setOther(health **cloud.Health, fields map[string]string, op cloud.Operation) {
	field, of := strings.CutPrefix(op.Field, "health.")
	if !of {
		fields[op.Field] = op.After
		return
	}
	if op.After == "" && (*health == nil || field != "path" && field != "proxy") {
		*health = nil // the check itself goes: none of its own fields can be empty
		return
	}
	if *health == nil {
		*health = &cloud.Health{}
	}
	h := *health
	if h.ProviderFields == nil {
		h.ProviderFields = map[string]string{}
	}
	switch field {
	case "protocol":
		h.Protocol = cloud.Protocol(op.After)
	case "port":
		h.Port, _ = strconv.Atoi(op.After)
	case "path":
		h.Path = op.After
	case "interval":
		h.Interval, _ = time.ParseDuration(op.After)
	case "timeout":
		h.Timeout, _ = time.ParseDuration(op.After)
	case "healthy":
		h.Healthy, _ = strconv.Atoi(op.After)
	case "unhealthy":
		h.Unhealthy, _ = strconv.Atoi(op.After)
	default:
		h.ProviderFields[field] = op.After
	}
}

// canonical forgets what Diff does not see: order and empty provider fields.
func canonical(b cloud.Balancer) map[string]map[string]string {
	seen := map[string]map[string]string{"": b.Fields()}
	for _, l := range b.Listeners {
		seen[l.Key()] = l.Fields()
	}
	for _, id := range b.Targets {
		seen["target "+fmt.Sprint(id)] = map[string]string{}
	}
	for _, fields := range seen {
		maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
	}
	return seen
}

// Targets that a cloud keeps for each listener are compared for each.
func TestDiffOfTargetsByListener(t *testing.T) {
	listener := func(port int, targets ...cloud.InstanceID) cloud.Listener {
		return cloud.Listener{Protocol: cloud.ProtocolTCP, Port: port, Targets: targets}
	}
	before := cloud.Balancer{Targets: []cloud.InstanceID{"a", "b", "x"}, Listeners: []cloud.Listener{
		listener(80, "a", "b"), listener(443, "b", "x"), listener(8080, "x"),
	}}
	after := cloud.Balancer{Targets: []cloud.InstanceID{"a", "b"}, Listeners: []cloud.Listener{listener(80), listener(443), listener(53)}}
	want := []cloud.Operation{
		{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "a", Field: "tcp/443"},
		{Verb: cloud.Delete, Kind: cloud.KindTarget, Key: "x", Field: "tcp/443"},
	}
	var got []cloud.Operation
	for _, op := range Of(before, after) {
		if op.Kind == cloud.KindTarget {
			got = append(got, op)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}
