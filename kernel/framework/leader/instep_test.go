package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
)

func service(name, version string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version}}
}

// apiServer answers lists of metadata, two objects a page, after it has failed as often as it is told to.
type apiServer struct {
	metadata.Getter
	version  string
	objects  []*corev1.Service
	failures int
}

func (a *apiServer) Resource(schema.GroupVersionResource) metadata.Getter { return a }

func (a *apiServer) List(_ context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	if a.failures--; a.failures >= 0 {
		return nil, errors.New("too many requests")
	}
	var from int
	fmt.Sscan(o.Continue, &from)
	page := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: a.version}}
	for _, svc := range a.objects[from:min(from+2, len(a.objects))] {
		page.Items = append(page.Items, metav1.PartialObjectMetadata{ObjectMeta: svc.ObjectMeta})
	}
	if from += 2; from < len(a.objects) {
		page.Continue = fmt.Sprint(from)
	}
	return page, nil
}

func TestBehind(t *testing.T) {
	now := []*corev1.Service{service("a", "5"), service("b", "12"), service("c", "9")}
	for name, test := range map[string]struct {
		store []*corev1.Service
		// seen is a bookmark.
		seen string
		want []string
	}{
		"the same":              {now, "", nil},
		"one is older":          {[]*corev1.Service{now[0], service("b", "11"), now[2]}, "", []string{"shop/b"}},
		"older, with fewer":     {[]*corev1.Service{now[0], service("b", "9"), now[2]}, "", []string{"shop/b"}},
		"one is missing":        {now[:2], "", []string{"shop/c"}},
		"one is gone since":     {append(slices.Clone(now), service("d", "3")), "", []string{"shop/d"}},
		"one is newer":          {[]*corev1.Service{now[0], service("b", "14"), now[2]}, "", nil},
		"one came after it":     {append(slices.Clone(now), service("d", "21")), "", nil},
		"one went after it":     {now[:2], "21", nil},
		"nothing was heard yet": {nil, "", []string{"shop/a", "shop/b", "shop/c"}},
		"bookmark from before":  {now[:2], "19", []string{"shop/c"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			for _, svc := range test.store {
				if err := store.Add(svc); err != nil {
					t.Fatal(err)
				}
			}
			if test.seen != "" {
				store.(interface{ Bookmark(string) }).Bookmark(test.seen)
			}
			state, err := read(t.Context(), &apiServer{version: "20", objects: now})
			if err != nil {
				t.Fatal(err)
			}
			got := state.behind(store)
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("behind: %v, want %v", got, test.want)
			}
		})
	}
}

// A standby whose watch hangs does not know that a Service has changed. It waits for that, and for no longer
// than patience.
func TestInStep(t *testing.T) {
	for name, test := range map[string]struct {
		// heard is when the watch tells of the change, never when 0.
		heard    time.Duration
		failures int
	}{
		"the watch hangs":            {},
		"the watch is late":          {heard: 3 * time.Second},
		"the API server is too busy": {heard: 3 * time.Second, failures: 40},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, events := fake.NewClientset(service("web", "7")), watch.NewFake()
				server.PrependWatchReactor("services", func(clienttesting.Action) (bool, watch.Interface, error) { return true, events, nil })
				factory := informers.NewSharedInformerFactory(server, 0)
				informer := factory.Core().V1().Services().Informer()
				factory.Start(t.Context().Done())
				time.Sleep(time.Minute) // it stands by
				if test.heard > 0 {
					time.AfterFunc(test.heard, func() { events.Modify(service("web", "8")) })
				}
				began := time.Now()
				err := InStep(t.Context(), &apiServer{version: "8", objects: []*corev1.Service{service("web", "8")}, failures: test.failures},
					map[schema.GroupVersionResource]cache.SharedIndexInformer{corev1.SchemeGroupVersion.WithResource("services"): informer})
				stale, _ := errors.AsType[*StaleError](err)
				took, least := time.Since(began), max(test.heard, time.Duration(test.failures)*time.Second)
				switch {
				case test.heard == 0 && (stale == nil || len(stale.Behind) != 1 || took < patience):
					t.Errorf("after %v: %v, want a *StaleError after %v", took, err, patience)
				case test.heard > 0 && (err != nil || took < least || took > least+time.Second):
					t.Errorf("after %v: %v, want none after %v", took, err, least)
				}
			})
		})
	}
}

// A process that is told to stop does not wait, and one that cannot know ends.
func TestInStepEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
		informer := factory.Core().V1().Services().Informer() // which is not started
		for _, patience := range []time.Duration{time.Second, time.Hour} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			began := time.Now()
			err := InStep(ctx, &apiServer{version: "8", objects: []*corev1.Service{service("web", "8")}},
				map[schema.GroupVersionResource]cache.SharedIndexInformer{corev1.SchemeGroupVersion.WithResource("services"): informer})
			if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > min(patience, limit) {
				t.Errorf("after %v: %v", took, err)
			}
		}
	})
}
