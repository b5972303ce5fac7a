package upstream_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	namespace = metav1.NamespaceDefault
	// quiet is for how long a CCM asks nothing when it is through with a change: longer than ours collects changes of Nodes.
	quiet = 8 * time.Second
)

// counted are requests to the cloud.
type counted struct{ reads, writes int }

func (c counted) String() string { return fmt.Sprintf("%d (%d)", c.reads, c.writes) }

// step is a change that a CCM has to carry out.
type step struct {
	name string
	// most are the reads that ours may need, 0 for as many as AWS's own.
	most int
	act  func(*testing.T, *lab.Lab)
	// through reports whether the cluster shows that it has.
	through func(*testing.T, *lab.Lab) bool
}

var steps = []step{
	{"made", 8, nil, served},
	{"a note on the Service changed", 10, changed(func(svc *corev1.Service) { metav1.SetMetaDataAnnotation(&svc.ObjectMeta, "example.com/note", "new") }), served},
	{"port added", 10, changed(func(svc *corev1.Service) {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8080})
	}), served},
	{"Node added", 0, join, aims},
	{"deleted", 0, func(t *testing.T, l *lab.Lab) {
		must(t, l.Client().CoreV1().Services(namespace).Delete(within(t), "web", metav1.DeleteOptions{}))
	}, gone},
}

// TestCalls has each CCM carry out the same changes of a load balancer of each kind, and compares what each change asks. Ours asks
// no more than AWS's own.
func TestCalls(t *testing.T) {
	upstream, version := buildUpstream(t)
	l := start(t)
	managers := []manager{
		{name: "`k8s.io/cloud-provider-aws` " + version, binary: upstream, kubeconfig: l.AdminKubeconfig(), args: noRoutes},
		{name: "multicloud-ccm", binary: l.Binary(), kubeconfig: l.Kubeconfig()},
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| reads (writes) | %s | %s |\n|---|---:|---:|\n", managers[0].name, managers[1].name)
	for _, kind := range []struct {
		name        string
		annotations map[string]string
	}{
		{"classic load balancer", nil},
		{"network load balancer", map[string]string{"service.beta.kubernetes.io/aws-load-balancer-type": "nlb"}},
	} {
		var all [2][]counted
		for i, m := range managers {
			all[i] = carriedOut(t, l, m, kind.annotations)
		}
		for i, s := range steps {
			theirs, ours := all[0][i], all[1][i]
			fmt.Fprintf(&table, "| %s, %s | %s | %s |\n", kind.name, s.name, theirs, ours)
			if ours.reads > theirs.reads || ours.writes > theirs.writes {
				t.Errorf("%s, %s: %s, want at most %s", kind.name, s.name, ours, theirs)
			}
			if s.most > 0 && ours.reads > s.most {
				t.Errorf("%s, %s: %s, want at most %d reads", kind.name, s.name, ours, s.most)
			}
		}
	}
	check(t, comparison, table.String())
}

// carriedOut returns what each step took of a CCM.
func carriedOut(t *testing.T, l *lab.Lab, m manager, annotations map[string]string) []counted {
	t.Helper()
	empty(t, l)
	join(t, l)
	join(t, l)
	defer run(t, l, m, "counted")()
	settled(t, l)
	var all []counted
	for i, s := range steps {
		l.Cloud.ResetTraffic()
		if i == 0 {
			_, err := l.Client().CoreV1().Services(namespace).Create(within(t), service(annotations), metav1.CreateOptions{})
			must(t, err)
		} else {
			s.act(t, l)
		}
		for end := time.Now().Add(patience); !s.through(t, l); settled(t, l) {
			if time.Now().After(end) {
				t.Fatalf("%s: not %s within %s", m.name, s.name, patience)
			}
		}
		settled(t, l)
		got := l.Cloud.Counters()
		all = append(all, counted{got.Total - got.Mutating, got.Mutating})
		t.Logf("%s: %s: %v", m.name, s.name, got.Routes)
	}
	return all
}

func service(annotations map[string]string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", Annotations: annotations},
		Spec: corev1.ServiceSpec{
			Type:  corev1.ServiceTypeLoadBalancer,
			Ports: []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80}, {Name: "https", Protocol: corev1.ProtocolTCP, Port: 443}},
		},
	}
}

func served(t *testing.T, l *lab.Lab) bool {
	svc, err := l.Client().CoreV1().Services(namespace).Get(within(t), "web", metav1.GetOptions{})
	must(t, err)
	return len(svc.Status.LoadBalancer.Ingress) > 0
}

// aims reports whether the load balancer has all machines as targets.
func aims(t *testing.T, l *lab.Lab) bool {
	balancers, err := l.Cloud.Balancers(within(t))
	must(t, err)
	return len(balancers) == 1 && len(balancers[0].Targets) == count(t, l)
}

func gone(t *testing.T, l *lab.Lab) bool {
	list, err := l.Client().CoreV1().Services(namespace).List(within(t), metav1.ListOptions{FieldSelector: "metadata.name=web"})
	must(t, err)
	return len(list.Items) == 0
}

func changed(edit func(*corev1.Service)) func(*testing.T, *lab.Lab) {
	return func(t *testing.T, l *lab.Lab) {
		t.Helper()
		services := l.Client().CoreV1().Services(namespace)
		must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			svc, err := services.Get(within(t), "web", metav1.GetOptions{})
			if err != nil {
				return err
			}
			edit(svc)
			_, err = services.Update(within(t), svc, metav1.UpdateOptions{})
			return err
		}))
	}
}

// join makes a machine with a Node that is in order.
func join(t *testing.T, l *lab.Lab) {
	t.Helper()
	machines, err := l.Cloud.Seed(within(t), 1, testcloud.Machine{})
	must(t, err)
	must(t, l.JoinNodes(within(t), []controlplane.NodeOptions{machines[0].Settled()}))
}

// settled returns when nothing has been asked of the cloud for a while.
func settled(t *testing.T, l *lab.Lab) {
	t.Helper()
	last, since := -1, time.Now()
	for end := time.Now().Add(patience); time.Since(since) < quiet; <-time.After(100 * time.Millisecond) {
		if n := l.Cloud.Counters().Total; n != last {
			last, since = n, time.Now()
		}
		if time.Now().After(end) {
			t.Fatalf("the cloud is asked without end: %v", l.Cloud.Counters().Routes)
		}
	}
}
