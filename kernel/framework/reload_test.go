package framework

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// fakeFile is an inventory that answers Reload with what it is given.
type fakeFile struct {
	cloud.Inventory
	changed bool
	err     error
	reads   int
}

func (f *fakeFile) Reload(ctx context.Context) (bool, error) {
	f.reads++
	return f.changed, errors.Join(ctx.Err(), f.err)
}
func (f *fakeFile) Warnings() []string { return nil }
func (f *fakeFile) Entries() []string  { return nil }

// gauge keeps the values of the metric about the file.
type gauge struct {
	metric.Discard
	values []float64
}

func (g *gauge) Set(d *metric.Definition, value float64, _ ...string) {
	if d == metric.InventoryFileWrong {
		g.values = append(g.values, value)
	}
}

// Nodes that wait are offered once for each version of the file, and a wrong one offers none.
func TestReloadOffersWaitingNodes(t *testing.T) {
	wrong := errors.New("machines[1].zoen: no such key")
	file, values, offers := &fakeFile{}, &gauge{}, 0
	r := &reloader{cloud: "static", inventory: file, metrics: values, offer: func() { offers++ }}
	for n, tt := range []struct {
		changed bool
		err     error
		offers  int
	}{
		{false, nil, 0}, {true, nil, 1}, {false, nil, 1}, {false, wrong, 1}, {false, wrong, 1}, {false, nil, 1}, {false, wrong, 1}, {true, nil, 2},
	} {
		file.changed, file.err = tt.changed, tt.err
		if r.look(t.Context()); offers != tt.offers || (r.wrong != "") != (tt.err != nil) {
			t.Errorf("look %d: %d offers, want %d; said to be wrong: %q", n, offers, tt.offers, r.wrong)
		}
	}
	if want := []float64{0, 0, 0, 1, 1, 0, 1, 0}; !slices.Equal(values.values, want) {
		t.Errorf("the metric was %v, want %v", values.values, want)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	file.changed = true
	if r.look(ended); offers != 2 || len(values.values) != 8 {
		t.Error("a process that ends says something of its file")
	}
}

// The file is read every 10 s until the end.
func TestReloadEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &fakeFile{}
		r := &reloader{cloud: "static", inventory: file, metrics: metric.Discard{}, offer: func() {}}
		ctx, end := context.WithCancel(t.Context())
		go r.run(ctx)
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if file.reads != 6 {
			t.Errorf("read %d times in a minute", file.reads)
		}
		end()
		synctest.Wait()
		if time.Sleep(time.Minute); file.reads != 6 {
			t.Errorf("read %d times, also after the end", file.reads)
		}
	})
}
