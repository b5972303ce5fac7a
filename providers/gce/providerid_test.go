package gce

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func FuzzProviderID(f *testing.F) {
	for _, seed := range []string{"gce://shop/us-central1-a/web-1", "gce://example.com:shop/z-a/n", "gce://", "gce:///a/b", "gce://other/z/n", "gce://shop/../n", "aws:///z/i-1"} {
		f.Add(seed)
	}
	d := &Driver{projects: []string{"shop", "example.com:shop"}}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := d.ParseProviderID(text)
		if err != nil {
			return
		}
		project, zone, name, err := d.where(id)
		if err != nil || scheme+"://"+project+"/"+zone+"/"+name != text || !d.Concerns(text) {
			t.Errorf("%q is %q, which is %s/%s/%s: %v", text, id, project, zone, name, err)
		}
	})
}

// An id that no provider-ID of ours leads to is an error and not a request.
func TestBadIDs(t *testing.T) {
	d := &Driver{projects: []string{"shop"}}
	for _, id := range []cloud.InstanceID{"", "web-1", "a/b/c/d", "other/z/n", "z/../n", "z/n?x=y", "z/"} {
		if found, err := d.Get(t.Context(), id); err == nil {
			t.Errorf("%q: %v", id, found)
		}
	}
}

// A whole provider-ID of another project is somebody else's. One without its project is ours, and malformed.
func TestConcerns(t *testing.T) {
	d := &Driver{projects: []string{"shop"}}
	for id, want := range map[string]bool{
		"gce://shop/us-central1-a/web-1": true, "gce://other/us-central1-a/web-1": false, "gce://other/z/n/x": false,
		"gce://europe-west1-b/vm-1": true, "gce://other//n": true, "gce://web-1": true, "gce://": true, "aws:///z/i-1": false,
	} {
		if got := d.Concerns(id); got != want {
			t.Errorf("Concerns(%q) = %t", id, got)
		}
	}
}
