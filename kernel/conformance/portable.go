package conformance

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Eight are eight portable annotations with values that every cloud takes that has them, and Shown is
// what a balancer of PortableService is like with them, on every cloud.
var (
	Eight = map[string]string{
		annotation.Internal.Name:           "true",
		annotation.HealthProtocol.Name:     "http",
		annotation.HealthPort.Name:         "443",
		annotation.HealthPath.Name:         "/ready",
		annotation.HealthInterval.Name:     "15s",
		annotation.HealthTimeout.Name:      "4s",
		annotation.HealthyThreshold.Name:   "4",
		annotation.UnhealthyThreshold.Name: "5",
	}
	Shown = map[string]string{
		annotation.Internal.Name:           "true",
		annotation.HealthProtocol.Name:     "http",
		annotation.HealthPort.Name:         strconv.Itoa(portHTTPS.NodePort),
		annotation.HealthPath.Name:         "/ready",
		annotation.HealthInterval.Name:     "15",
		annotation.HealthTimeout.Name:      "4",
		annotation.HealthyThreshold.Name:   "4",
		annotation.UnhealthyThreshold.Name: "5",
	}
)

// PortableService is the Service that has them.
func PortableService() Service {
	return Service{Name: "portable", Ports: []cloud.Port{portHTTP, portHTTPS}, Annotations: maps.Clone(Eight)}
}

// portable makes one balancer with eight portable annotations, without those that the cloud does not
// have, and compares what the cloud says of it with what it is everywhere.
func (f *fixture) portable() {
	service := PortableService()
	maps.DeleteFunc(service.Annotations, func(name, _ string) bool { return !f.suite.has(name) })
	maps.Copy(service.Annotations, f.suite.Portable)
	in := f.withMachines(f.spec(service), "node-1")
	_, observed := f.ensure(in)
	if difference := Differences(f.suite.Annotations, observed.Balancer); difference != "" {
		f.Errorf("the balancer is not what portable annotations say (-want +got):\n%s", difference)
	}
	f.remove(in)
}

// Differences says where a balancer of PortableService is not what it is everywhere. Keys that the
// provider does not have are left out.
func Differences(keys annotation.Set, b cloud.Balancer) string {
	want := maps.Clone(Shown)
	maps.DeleteFunc(want, func(name, _ string) bool { _, has := keys.Find(name); return !has })
	view := keys.View(b.Field)
	maps.DeleteFunc(view, func(name, _ string) bool { _, asked := want[name]; return !asked })
	return cmp.Diff(want, view)
}

func (s *suite) has(name string) bool {
	_, has := s.Annotations.Find(name)
	return has
}

// portably checks that what a portable key does is seen where it is on every cloud, with the value it
// has on every cloud.
func (f *fixture) portably(key annotation.Key, service Service, now cloud.Balancer) {
	f.Helper()
	portable, ok := annotation.Portable().Find(key.Name)
	if !ok {
		return
	}
	values, _ := annotation.Set{portable}.Parse(map[string]string{portable.Name: service.Annotations[key.Name]})
	want := values[key.Name]
	if key.Name == annotation.HealthPort.Name {
		at := slices.IndexFunc(service.Ports, func(p cloud.Port) bool { return strconv.Itoa(p.Port) == want })
		want = strconv.Itoa(service.Ports[at].NodePort)
	}
	got := f.suite.Annotations.View(now.Field)[key.Name]
	if key.Type == annotation.TypeList {
		got, want = sorted(got), sorted(want)
	}
	if got != want {
		f.Errorf("%s: the balancer shows %q; on every cloud it is %q", key.Name, got, want)
	}
}

// portableKeys checks that a provider's declarations of portable keys are those of the kernel.
func (s *suite) portableKeys(t *testing.T) {
	for _, key := range s.Annotations {
		common, portable := annotation.Portable().Find(key.Name)
		if portable && (key.Type != common.Type || key.Doc != common.Doc) {
			t.Errorf("%s: type %s, %q; a portable key has those of the kernel: %s, %q", key.Name, key.Type, key.Doc, common.Type, common.Doc)
		}
	}
}

// sorted returns a list with commas in one order: clouds keep others.
func sorted(list string) string {
	items := strings.Split(list, ",")
	slices.Sort(items)
	return strings.Join(items, ",")
}
