package aws_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	provider "github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// row is one annotation that can be set, and where AWS shows it. T is a balancer as a plain
// client reads it.
type row[T any] struct {
	key, value string
	// with are annotations without which the key has no effect.
	with map[string]string
	read func(T) any
	// changed is what AWS shows with the key, standard what it shows without.
	changed, standard any
	// fresh says that the key is about new balancers: each gets its own.
	fresh bool
}

// set returns a map of annotations in which keys have upstream's prefix.
func set(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[own+pairs[i]] = pairs[i+1]
	}
	return m
}

// different stands for any value that is not the changed one.
const different = "different"

// matrix sets each annotation, reads what AWS shows, removes it and reads the default again. Every
// change is followed by one that must not write.
type matrix[T any] struct {
	*site
	svc  *corev1.Service
	look func(*site, *corev1.Service) T
}

func (m matrix[T]) run(rows []row[T]) {
	m.ensure(m.svc)
	for _, r := range rows {
		m.Run(strings.TrimPrefix(r.key, own), func(t *testing.T) {
			one := *m.site
			one.T = t
			m := matrix[T]{&one, m.svc, m.look}
			if r.fresh {
				m.fresh(r)
			} else {
				m.live(r)
			}
		})
	}
	m.remove(m.svc)
}

// live changes one balancer and changes it back.
func (m matrix[T]) live(r row[T]) {
	m.Helper()
	host := m.svc.Status.LoadBalancer.Ingress[0].Hostname
	maps.Copy(m.svc.Annotations, r.with)
	defer maps.DeleteFunc(m.svc.Annotations, func(key, _ string) bool { _, added := r.with[key]; return added || key == r.key })
	m.svc.Annotations[r.key] = r.value
	m.ensure(m.svc)
	m.shows(r, m.svc, r.changed)
	m.idle(m.svc)
	delete(m.svc.Annotations, r.key)
	m.ensure(m.svc)
	m.shows(r, m.svc, r.standard)
	m.idle(m.svc)
	if now := m.svc.Status.LoadBalancer.Ingress[0].Hostname; now != host {
		m.Errorf("the balancer's name was %s and is %s", host, now)
	}
}

// fresh makes a balancer with the annotation; the matrix has one without.
func (m matrix[T]) fresh(r row[T]) {
	m.Helper()
	svc := m.service("fresh", func(svc *corev1.Service) {
		maps.Copy(svc.Annotations, m.svc.Annotations)
		maps.Copy(svc.Annotations, r.with)
		svc.Annotations[r.key] = r.value
	})
	m.ensure(svc)
	m.shows(r, svc, r.changed)
	m.shows(r, m.svc, r.standard)
	m.idle(svc)
	m.remove(svc)
}

func (m matrix[T]) shows(r row[T], svc *corev1.Service, want any) {
	m.Helper()
	if reflect.DeepEqual(r.changed, r.standard) {
		m.Fatalf("%s: its row can't fail", r.key)
	}
	got := r.read(m.look(m.site, svc))
	if want == any(different) {
		if reflect.DeepEqual(got, r.changed) {
			m.Errorf("%s: AWS shows %v with and without", r.key, got)
		}
		return
	}
	if !reflect.DeepEqual(got, want) {
		m.Errorf("%s=%q: AWS shows %v (%T), want %v (%T)", r.key, svc.Annotations[r.key], got, got, want, want)
	}
}

// keys returns the test of every annotation that is a row.
func keys[T any](test string, rows []row[T]) map[string][]string {
	tests := map[string][]string{}
	for _, r := range rows {
		tests[r.key] = append(tests[r.key], test+"/"+strings.TrimPrefix(r.key, own))
	}
	return tests
}

// tests says which tests are about which annotation.
func tests() map[string][]string {
	all := maps.Clone(elsewhere)
	w := &aws.World{Public: make([]string, 3), Private: make([]string, 3)}
	for key, names := range keys("TestClassicAnnotations", classicRows(w, classicObjects{})) {
		all[key] = append(all[key], names...)
	}
	for key, names := range keys("TestNetworkAnnotations", networkRows(w, networkObjects{})) {
		all[key] = append(all[key], names...)
	}
	return all
}

// elsewhere says which test is about an annotation that is no row.
var elsewhere = map[string][]string{
	own + "type":                      {"TestChangeOfKind", "TestAnotherController"},
	own + "access-log-s3-bucket-name": {"TestLogBucket"},
}

// TestEveryKeyHasATest fails when a new annotation has no row.
func TestEveryKeyHasATest(t *testing.T) {
	covered := tests()
	for _, key := range provider.Annotations() {
		if !slices.ContainsFunc(key.Spellings(), func(spelling string) bool { return len(covered[spelling]) > 0 }) {
			t.Errorf("annotation %s is in no test", key.Name)
		}
	}
}
