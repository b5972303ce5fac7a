package framework

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// become gives the Service another type.
func become(t *testing.T, server *fake.Clientset, name string, want corev1.ServiceType) {
	t.Helper()
	services := server.CoreV1().Services("shop")
	svc, err := services.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	svc.Spec.Type = want
	if _, err := services.Update(t.Context(), svc, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, server *fake.Clientset, names ...string) {
	t.Helper()
	for _, name := range names {
		svc := service(name)
		svc.ResourceVersion = ""
		if _, err := server.CoreV1().Services("shop").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// A Service whose user changes their mind while its balancer is being deleted gets one again when
// the deletion has ended, not at the next look for drift.
func TestServiceThatStaysAfterAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{deletions: 1}
		server := running(t, &machines{}, b)
		create(t, server, "web")
		settle()
		b.slow.Store(int64(10 * time.Second))
		b.Take()
		become(t, server, "web", corev1.ServiceTypeClusterIP)
		wait(2 * time.Second)
		b.slow.Store(0) // the ensure does not wait for the deletion
		become(t, server, "web", corev1.ServiceTypeLoadBalancer)
		wait(2 * time.Second)
		if got := strings.Join(b.Take(), ", "); got != "delete web, ensure web 0" {
			t.Fatalf("at first %q", got)
		}
		wait(10 * time.Second)
		if got := strings.Join(b.Take(), ", "); got != "ensure web 0" {
			t.Errorf("after the deletion %q, want one more ensure", got)
		}
	})
}

// The end of a deletion that a change of mind interrupted is not that of the next one.
func TestDepartureOfAnotherTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{deletions: 1}
		server := running(t, &machines{}, b)
		create(t, server, "web")
		settle()
		finalizers := func() int {
			svc, err := server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return len(svc.Finalizers)
		}
		b.slow.Store(int64(10 * time.Second))
		become(t, server, "web", corev1.ServiceTypeClusterIP)
		wait(2 * time.Second)
		b.slow.Store(0)
		become(t, server, "web", corev1.ServiceTypeLoadBalancer)
		wait(2 * time.Second)
		b.slow.Store(int64(30 * time.Second))
		become(t, server, "web", corev1.ServiceTypeClusterIP)
		wait(10 * time.Second)
		if got := finalizers(); got != 1 {
			t.Errorf("%d finalizers while the second deletion runs", got)
		}
		wait(time.Minute)
		if got := finalizers(); got != 0 {
			t.Errorf("%d finalizers in the end", got)
		}
	})
}

// Deletions are bounded as everything else about load balancers is.
func TestDeletionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{deletions: 1}
		server := running(t, &machines{}, b)
		var names []string
		for n := range 30 {
			names = append(names, fmt.Sprint("web-", n))
		}
		create(t, server, names...)
		settle()
		b.slow.Store(int64(10 * time.Second))
		b.Take()
		for _, name := range names {
			become(t, server, name, corev1.ServiceTypeClusterIP)
		}
		wait(2 * time.Minute)
		if got := len(b.Take()); got != 30 || b.most != 5 {
			t.Errorf("%d deletions, %d at once; want 30, 5 at once as --concurrent-service-syncs says", got, b.most)
		}
	})
}
