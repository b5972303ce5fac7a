package leader

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// leased returns a Lease of host "here" and its server, with the lease held by holder.
func leased(t *testing.T, holder string) (*Lease, *fake.Clientset) {
	t.Helper()
	server := fake.NewClientset(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(holder), LeaseDurationSeconds: ptr.To[int32](15), LeaseTransitions: ptr.To[int32](3)},
	})
	l, err := New(server.CoordinationV1().Leases("kube-system"), "ccm")
	if err != nil {
		t.Fatal(err)
	}
	l.host = "here"
	return l, server
}

func holderOf(t *testing.T, server *fake.Clientset) coordinationv1.LeaseSpec {
	t.Helper()
	lease, err := server.CoordinationV1().Leases("kube-system").Get(context.Background(), "ccm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lease.Spec
}

func TestRelease(t *testing.T) {
	l, server := leased(t, "here_1")
	if err := l.Learn(context.Background()); err != nil {
		t.Fatal(err)
	}
	// A renewal that was under way comes in between.
	conflicts := 1
	server.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		if conflicts--; conflicts >= 0 {
			return true, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), "ccm", errors.New("changed"))
		}
		return false, nil, nil
	})
	if err := l.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := holderOf(t, server)
	if *got.HolderIdentity != "" || *got.LeaseDurationSeconds != 1 || *got.LeaseTransitions != 3 {
		t.Errorf("released lease: %+v", got)
	}
}

func TestReleaseIsTheHoldersOnly(t *testing.T) {
	t.Run("standby", func(t *testing.T) {
		l, server := leased(t, "here_2")
		if err := l.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(server.Actions()) > 0 {
			t.Error("a process that never led looked at the lease")
		}
	})
	t.Run("lost", func(t *testing.T) {
		l, server := leased(t, "here_2")
		l.holder.Store(ptr.To("here_1"))
		if err := l.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := *holderOf(t, server).HolderIdentity; got != "here_2" {
			t.Errorf("holder is %q", got)
		}
	})
	t.Run("another host", func(t *testing.T) {
		l, _ := leased(t, "there_1")
		if err := l.Learn(context.Background()); err == nil || l.holder.Load() != nil {
			t.Error("learned another host's identity")
		}
	})
}

func TestGuard(t *testing.T) {
	l, _ := leased(t, "here_1")
	passed := 0
	transport := l.Guard(roundTripper(func(*http.Request) (*http.Response, error) { passed++; return nil, nil }))
	send := func(method, path string) error {
		request, _ := http.NewRequest(method, "https://kubernetes"+path, strings.NewReader("x"))
		_, err := transport.RoundTrip(request)
		return err
	}
	const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm"
	if err := send("PUT", path); err != nil {
		t.Error(err)
	}
	if err := l.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := send("PUT", path); !errors.Is(err, errReleased) {
		t.Errorf("the lease could be taken again: %v", err)
	}
	if err := errors.Join(send("GET", path), send("POST", "/api/v1/events")); err != nil {
		t.Error(err)
	}
	if passed != 3 {
		t.Errorf("%d requests passed", passed)
	}
}
