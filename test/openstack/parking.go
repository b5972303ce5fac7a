package openstack

import (
	"context"
	"slices"
	"testing"
)

// Parking keeps servers for the next test, where none of the project's is to be seen: a server
// that is there already takes a thirtieth of a second, and a new one up to four on a busy machine.
type Parking struct {
	project *Project
	free    []string
}

// NewParking returns a parking that is empty and that is cleared when the test ends.
func (p *Project) NewParking(t testing.TB) *Parking {
	t.Helper()
	k := &Parking{project: p}
	t.Cleanup(func() {
		// The project deletes what is in it.
		if err := k.handOver(context.WithoutCancel(t.Context()), p.ID, k.free...); err != nil {
			t.Errorf("clearing the parking: %v", err)
		}
	})
	return k
}

// Take returns the id of a running server with that name in the project.
func (k *Parking) Take(t testing.TB, name string) string {
	t.Helper()
	if len(k.free) == 0 {
		return k.project.Boot(t, ServerOptions{Name: name}).ID
	}
	id := k.free[0]
	k.free = k.free[1:]
	if _, err := k.project.script(t.Context(), "hand_over.sh", k.project.ID, name, id); err != nil {
		t.Fatal(err)
	}
	return id
}

// Park takes servers out of the project. They have to be as Take returned them.
func (k *Parking) Park(ctx context.Context, ids ...string) error {
	k.free = append(k.free, ids...)
	return k.handOver(ctx, "parked-"+k.project.ID, ids...)
}

func (k *Parking) handOver(ctx context.Context, project string, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := k.project.script(ctx, "hand_over.sh", slices.Concat([]string{project, "parked"}, ids)...)
	return err
}
