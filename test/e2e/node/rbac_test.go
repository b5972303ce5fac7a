package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// unused are granted and not used in an ordinary life, and why they are granted.
var unused = map[string]string{
	"get services":  "comes with list and watch wherever upstream documents it",
	"update events": "of the interface that event recorders write through",
}

// uses are what each client does in its life, by a part of its user agent, so that the
// manifest can be cut down where a controller is switched off.
var uses = map[string][]string{
	"node-controller":    {"create events", "delete nodes", "get nodes", "patch events", "patch nodes", "patch nodes/status", "update nodes"},
	"service-controller": {"create events", "patch events", "patch services", "patch services/status"},
	"shared-informers":   {"list nodes", "list services", "watch nodes", "watch services"},
}

// The permissions that are shipped are those that are used: none is missing (nothing is
// refused, which is checked after all tests), and none is there that nobody needs.
func TestPermissions(t *testing.T) {
	s := open(t, testcloud.Balancers)
	s.wholeLife()
	used, clients := map[string]bool{}, map[string]bool{}
	for _, e := range s.audit(controlplane.AuditFilter{}) {
		if e.Object.Resource == "" {
			continue // health and discovery, which everybody may
		}
		used[use(e)] = true
		for client, known := range uses {
			if !strings.Contains(e.UserAgent, client) {
				continue
			}
			clients[client] = true
			if !slices.Contains(known, use(e)) {
				t.Errorf("%s uses %q", client, use(e))
			}
		}
	}
	for client := range uses {
		if !clients[client] {
			t.Errorf("%s used nothing: the user agent is another one", client)
		}
	}
	if s.Cloud.Facts().Unrecorded {
		used["patch services"] = true // only the record of a replacement is written there
	}
	compare(t, used)
}

// compare holds what was used against what is granted.
func compare(t *testing.T, used map[string]bool) {
	t.Helper()
	for _, grant := range grants(t) {
		why, excused := unused[grant]
		switch {
		case !used[grant] && !excused:
			t.Errorf("%q is granted and never used", grant)
		case used[grant] && excused:
			t.Errorf("%q is used; take it off the list of the unused (%s)", grant, why)
		}
		delete(used, grant)
	}
	for rest := range used {
		if !strings.HasSuffix(rest, " configmaps") { // of the role that Kubernetes ships for it
			t.Errorf("%q is used and not granted by the manifest", rest)
		}
	}
}

// use writes a request as "verb resource".
func use(e controlplane.AuditEvent) string {
	return e.Verb + " " + resource(e.Object.Resource, e.Object.Subresource, e.Object.APIGroup)
}

func resource(name, subresource, group string) string {
	if subresource != "" {
		name += "/" + subresource
	}
	if group != "" {
		name += "." + group
	}
	return name
}

// grants reads the manifest that is shipped. It is made from the table in the code, which
// make verify checks.
func grants(t *testing.T) []string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(root, "config", "rbac", "cloud-controller-manager.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		var role rbacv1.ClusterRole
		err := decoder.Decode(&role)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				name, subresource, _ := strings.Cut(rule.Resources[0], "/")
				all = append(all, verb+" "+resource(name, subresource, rule.APIGroups[0]))
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("the manifest has no rules")
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// wholeLife makes a CCM do everything it ever does.
func (s *site) wholeLife() {
	s.t.Helper()
	_ = s.Client().CoordinationV1().Leases(lab.Namespace).Delete(s.within(patience), leaseName, metav1.DeleteOptions{})
	machines := s.pool(6)
	fresh := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: fresh.Name, Ready: true})
	s.must(err)
	p := s.start("--leader-elect=true")
	s.node(fresh.Name, initialised)
	s.machines.stop(machines[0])
	s.machines.remove(machines[1])
	s.notReady(machines[:2]...)
	s.node(machines[0].Name, shutDown(true))
	s.node(machines[1].Name, gone)
	s.machines.power(machines[0])
	s.setReady(true, machines[0])
	s.node(machines[0].Name, shutDown(false))
	s.services.add("web")
	_, err = s.WaitService(s.within(patience), "default", "web", func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return fmt.Errorf("no address yet")
		}
		return nil
	})
	s.must(err)
	s.metrics(p)
	s.warned()
	s.must(s.Client().CoreV1().Services("default").Delete(s.within(patience), "web", metav1.DeleteOptions{}))
	_, err = s.WaitService(s.within(patience), "default", "web", func(svc *corev1.Service) error {
		if svc != nil {
			return fmt.Errorf("the Service is still there")
		}
		return nil
	})
	s.must(err)
	s.must(p.Stop(s.within(patience)))
}

// warned has the cloud refuse the credentials until a Service was warned of it twice.
func (s *site) warned() {
	s.t.Helper()
	s.refuse()
	s.services.add("later")
	events, services := s.Client().CoreV1().Events("default"), s.Client().CoreV1().Services("default")
	s.eventually(func() error {
		list, err := events.List(s.within(patience), metav1.ListOptions{FieldSelector: "involvedObject.name=later"})
		s.must(err)
		for _, e := range list.Items {
			if e.Type == corev1.EventTypeWarning && e.Count > 1 {
				return nil
			}
		}
		return errors.New("it was not warned twice")
	})
	s.Cloud.ClearFaults()
	s.must(services.Delete(s.within(patience), "later", metav1.DeleteOptions{}))
	_, err := s.WaitService(s.within(patience), "default", "later", func(svc *corev1.Service) error {
		if svc != nil {
			return errors.New("it is still there")
		}
		return nil
	})
	s.must(err)
}
