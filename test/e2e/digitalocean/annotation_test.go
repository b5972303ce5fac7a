package digitalocean_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// row says what one annotation does, on a Service with the ports 80 and 443.
//
// In values, {legacy} stands for the name upstream gives the balancer, {port80} and {port443}
// for node ports, {certificate} for the id of a certificate.
type row struct {
	// with are annotations the balancer has from the beginning.
	with map[string]string
	// beside are set and removed together with the sample.
	beside map[string]string
	// sample is a valid value other than the default; samples are those of spellings that
	// have values of their own.
	sample  string
	samples map[string]string
	// observe reads the field from the cloud, status from the Service.
	observe func(*do.Balancer) string
	status  func(*corev1.Service) string
	// want is the field with the sample, absent without it.
	want, absent string
	// stays says that the field keeps its value when the annotation is removed, because
	// without it nobody manages the field.
	stays bool
	// bad is a value that is refused, says a part of what the event says is right.
	bad, says string
}

// known are all keys a Service can have.
var known = annotation.Kernel().With(digitalocean.Annotations())

// TestAnnotations sets each annotation, removes it again and sets a bad value.
func TestAnnotations(t *testing.T) {
	parallel(t)
	for _, key := range known {
		r, ok := rows[key.Name]
		if !ok {
			continue // see TestEveryAnnotationHasATest
		}
		for _, spelling := range key.Spellings() {
			t.Run(spelling, func(t *testing.T) {
				parallel(t)
				r.run(t, key, spelling)
			})
		}
	}
}

// TestEveryAnnotationHasATest fails for a key that nobody wrote a test for.
func TestEveryAnnotationHasATest(t *testing.T) {
	names := map[string]bool{}
	for _, key := range known {
		names[key.Name] = true
		_, inTable := rows[key.Name]
		if where, elsewhere := tested[key.Name]; inTable == (elsewhere && where != "") {
			t.Errorf("%s must either be in rows or be tested elsewhere", key.Name)
		}
	}
	for name := range rows {
		if !names[name] {
			t.Errorf("%s is in rows and no annotation", name)
		}
	}
	for name := range tested {
		if !names[name] {
			t.Errorf("%s is in tested and no annotation", name)
		}
	}
}

func (r row) run(t *testing.T, key annotation.Key, spelling string) {
	s := create(t, withCertificate(r.with))
	r.see(s, r.absent)

	value := r.sample
	if other, ok := r.samples[spelling]; ok {
		value = other
	}
	set := maps.Clone(r.beside)
	if set == nil {
		set = map[string]string{}
	}
	set[spelling] = fill(s, value)
	s.annotate(set)
	r.see(s, r.want)

	s.unset(slices.Collect(maps.Keys(set))...)
	if r.stays {
		s.proof()
		r.see(s, r.want)
	} else {
		r.see(s, r.absent)
	}
	if r.bad == "" {
		return
	}
	set[spelling] = r.bad
	if key.Lenient {
		r.ignores(s, set, spelling)
		return
	}
	refuses(s, set, spelling, r.bad, r.says)
}

// see waits until the field has the value.
func (r row) see(s *service, want string) {
	s.t.Helper()
	want = fill(s, want)
	if r.status != nil {
		s.ready()
		s.await(func(svc *corev1.Service) error { return same(r.status(svc), want) })
		return
	}
	s.balancer(func(b *do.Balancer) error { return same(r.observe(b), want) })
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("it is %q and should be %q", got, want)
	}
	return nil
}

// refuses sets annotations one of which is bad, and expects an event about it and no change
// in the cloud. That the framework has been told of the failure shows that the pass is over.
func refuses(s *service, set map[string]string, key, value, says string) {
	s.t.Helper()
	before := summary(s.balancer(active))
	canary := maps.Clone(set)
	if key != upstream+"deny-rules" {
		canary[upstream+"deny-rules"] = "ip:192.0.2.99"
	}
	s.annotate(canary)
	s.event("InvalidConfiguration", key, strconv.Quote(value), says)
	s.event("SyncLoadBalancerFailed", "not possible: ", key)
	if after := summary(s.balancer(active)); after != before {
		s.t.Errorf("a bad annotation changed the balancer:\nbefore %s\nafter  %s", before, after)
	}
}

// ignores sets a bad value of an annotation where a bad value counts as none. Another change
// made with it shows that the Service is served all the same.
func (r row) ignores(s *service, set map[string]string, key string) {
	s.t.Helper()
	canary := maps.Clone(set)
	s.annotate(canary)
	s.event("ConfigurationIgnored", key, strconv.Quote(r.bad), r.says)
	s.proof()
	r.see(s, r.absent)
}

// proof makes a change that is not a test's subject and waits for it. What had been asked for
// before has been done then, or never will be.
func (s *service) proof() do.Balancer {
	s.t.Helper()
	rule := fmt.Sprintf("ip:192.0.2.%d", serial.Add(1)%200+1)
	s.annotate(map[string]string{upstream + "deny-rules": rule})
	return s.balancer(func(b *do.Balancer) error { return same(refused(b), rule) })
}

// fill replaces the names in braces.
func fill(s *service, text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	names := []string{"{legacy}", s.legacyName(), "{certificate}", certificate.ID, "{unique}", "name-" + string(s.uid)[:8]}
	for _, port := range s.get().Spec.Ports {
		names = append(names, fmt.Sprintf("{port%d}", port.Port), strconv.Itoa(int(port.NodePort)))
	}
	return strings.NewReplacer(names...).Replace(text)
}

// withCertificate fills in the id of the certificate, the only name that is known before there
// is a Service.
func withCertificate(annotations map[string]string) map[string]string {
	filled := map[string]string{}
	for key, value := range annotations {
		filled[key] = strings.ReplaceAll(value, "{certificate}", certificate.ID)
	}
	return filled
}

// summary is everything the cloud says about a balancer, except that nodes of other tests
// come and go.
func summary(b do.Balancer) string {
	b.DropletIDs = slices.DeleteFunc(slices.Clone(b.DropletIDs), func(id int) bool { return !slices.Contains(ids(pool...), id) })
	data, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}
