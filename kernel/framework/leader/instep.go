package leader

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const (
	// patience is how long an informer that has its list may stay behind the API server.
	patience = 20 * time.Second
	// limit is how long the metadata may not be read, or an informer be without its first list: another replica may do
	// better.
	limit = 5 * time.Minute
	// look is how often an informer that is behind is looked at.
	look = 50 * time.Millisecond
	// pageSize is how many objects are asked for at once; of each the metadata come.
	pageSize = 500
)

// StaleError says that an informer holds an older state than the API server.
type StaleError struct {
	Resource string
	// Behind are the objects of which it has another state, by namespace and name, sorted.
	Behind []string
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("after %v the informer of %s still has an old state of %d, such as %s: its watch hangs",
		patience, e.Resource, len(e.Behind), strings.Join(e.Behind[:min(len(e.Behind), 3)], ", "))
}

// InStep returns when the informers hold what the API server had when it was called, or something newer. The
// informers of a standby run before it leads. One whose watch hangs shows a cluster in which nothing
// happens: what a Service asked for then would be made again, and the Nodes of then would be the targets.
// That an informer stays behind is a *StaleError. A list that fails is read again, and a first list waited for, for
// five minutes.
func InStep(ctx context.Context, client metadata.Interface, informers map[schema.GroupVersionResource]cache.SharedIndexInformer) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for resource, informer := range informers {
		group.Go(func() error { return follow(ctx, client, resource, informer) })
	}
	return group.Wait()
}

// follow waits for one informer.
func follow(ctx context.Context, client metadata.Interface, resource schema.GroupVersionResource, informer cache.SharedIndexInformer) error {
	now, err := read(ctx, client.Resource(resource))
	for wait := time.Second; err != nil && ctx.Err() == nil; now, err = read(ctx, client.Resource(resource)) {
		klog.ErrorS(err, "A new leader cannot compare its informer with the API server, trying again", "resource", resource.Resource, "retryAfter", wait)
		sleep(ctx, wait)
	}
	var synced time.Time
	for ctx.Err() == nil {
		behind := now.behind(informer.GetStore())
		switch {
		case len(behind) == 0:
			return nil
		case !informer.HasSynced():
		case synced.IsZero():
			synced = time.Now()
		case time.Since(synced) > patience:
			slices.Sort(behind)
			return &StaleError{Resource: resource.Resource, Behind: behind}
		}
		sleep(ctx, look)
	}
	return fmt.Errorf("waiting for the informer of %s: %w", resource.Resource, ctx.Err())
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// state is what the API server has of one resource.
type state struct {
	version string
	// objects are the versions by namespace and name.
	objects map[string]string
}

// read asks for the metadata of all objects, as they are now.
func read(ctx context.Context, client metadata.Getter) (state, error) {
	now, options := state{objects: map[string]string{}}, metav1.ListOptions{Limit: pageSize}
	for {
		page, err := client.List(ctx, options)
		if err != nil {
			return state{}, fmt.Errorf("listing metadata: %w", err)
		}
		now.version = page.ResourceVersion
		for n := range page.Items {
			now.objects[cache.MetaObjectToName(&page.Items[n]).String()] = page.Items[n].ResourceVersion
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return now, nil
		}
	}
}

// behind names the objects of which the store has an older state, none when it has seen something newer.
func (s state) behind(store cache.Store) []string {
	if !older(store.LastStoreSyncResourceVersion(), s.version) {
		return nil
	}
	var behind []string
	known := make(map[string]bool, len(s.objects))
	for _, obj := range store.List() {
		object, err := meta.Accessor(obj)
		if err != nil {
			continue
		}
		name := cache.MetaObjectToName(object).String()
		known[name] = true
		// What is not listed is gone, unless it was made later.
		version, listed := s.objects[name]
		if !listed {
			version = s.version
		}
		if older(object.GetResourceVersion(), version) {
			behind = append(behind, name)
		}
	}
	for name := range s.objects {
		if !known[name] {
			behind = append(behind, name)
		}
	}
	return behind
}

// older reports whether the version a comes before b. One that is none comes before all.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err != nil || order < 0
}
