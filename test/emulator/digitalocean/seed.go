package digitalocean

import (
	"fmt"
	"slices"
)

// Seed adds n active droplets named node-0, node-1, ... with a public
// and a private IPv4 address in the default VPC of the default region, and
// returns copies of them. Each edit may change a droplet before it is added.
func (ds *Droplets) Seed(n int, edit ...func(*Droplet)) []Droplet {
	seeded := make([]Droplet, 0, n)
	ds.account.change(func() {
		region := ds.account.server.options.Region
		vpc, created := ds.account.VPCs.defaultOf(region).ID, ds.account.server.timestamp()
		for range n {
			id := ds.next
			i := id - firstDropletID
			d := Droplet{
				ID: id, Name: fmt.Sprintf("node-%d", i), Status: DropletActive, Region: region, Size: "s-2vcpu-4gb",
				VPC: vpc, PublicIPv4: hostIn(198, 18, i), PrivateIPv4: hostIn(10, 100, i), CreatedAt: created,
			}
			for _, f := range edit {
				f(&d)
			}
			ds.store(d)
			seeded = append(seeded, d)
		}
	})
	return seeded
}

// hostIn returns the i-th host address of the network a.b.0.0/16.
func hostIn(a, b, i int) string {
	host := i%65_000 + 10
	return fmt.Sprintf("%d.%d.%d.%d", a, b, host>>8, host&255)
}

// PublicIPv6For is an address for the i-th droplet, for edits of Droplets.Seed.
func PublicIPv6For(i int) string { return fmt.Sprintf("2001:db8:1::%x", i+10) }

// store stores a copy and makes its tags exist.
func (ds *Droplets) store(d Droplet) {
	d.Tags = slices.Clone(d.Tags)
	for _, tag := range d.Tags {
		ds.account.Tags.ensure(tag)
	}
	ds.put(&stored{Droplet: d})
}

// Add adds a droplet as given, or replaces the one with the same id. With
// ID 0 it gets the next id. It returns the id.
func (ds *Droplets) Add(d Droplet) int {
	ds.account.change(func() {
		if d.ID == 0 {
			d.ID = ds.next
		}
		ds.store(d)
	})
	return d.ID
}

// Edit changes a droplet behind everyone's back. A droplet that does not
// exist is an error.
func (ds *Droplets) Edit(id int, edit func(*Droplet)) error {
	return ds.edit([]int{id}, edit)
}

// PowerOff turns droplets off.
func (ds *Droplets) PowerOff(ids ...int) error {
	return ds.edit(ids, func(d *Droplet) { d.Status = DropletOff })
}

// PowerOn turns droplets on.
func (ds *Droplets) PowerOn(ids ...int) error {
	return ds.edit(ids, func(d *Droplet) { d.Status = DropletActive })
}

func (ds *Droplets) edit(ids []int, edit func(*Droplet)) (err error) {
	ds.account.change(func() {
		for _, id := range ids {
			old, ok := ds.byID[id]
			if !ok {
				err = fmt.Errorf("droplet %d does not exist", id)
				return
			}
			changed := old.Droplet
			changed.Tags = slices.Clone(changed.Tags)
			edit(&changed)
			changed.ID = id
			ds.store(changed)
		}
	})
	return err
}

// Delete deletes droplets; they leave balancers and firewalls as in the
// real cloud. A droplet that does not exist is an error.
func (ds *Droplets) Delete(ids ...int) (err error) {
	ds.account.change(func() {
		for _, id := range ids {
			if !ds.drop(id) {
				err = fmt.Errorf("droplet %d does not exist", id)
				return
			}
			for _, b := range ds.account.LoadBalancers.all {
				b.DropletIDs = without(b.DropletIDs, id)
			}
			for _, f := range ds.account.Firewalls.all {
				f.DropletIDs = without(f.DropletIDs, id)
			}
		}
	})
	return err
}

// Resurrect brings deleted droplets back with the same id and addresses. They
// don't return to balancers. A droplet that was never deleted is an error.
func (ds *Droplets) Resurrect(ids ...int) (err error) {
	ds.account.change(func() {
		for _, id := range ids {
			gone, ok := ds.deleted[id]
			if !ok {
				err = fmt.Errorf("droplet %d was not deleted", id)
				return
			}
			ds.put(gone)
		}
	})
	return err
}

// without returns a copy of list less one value.
func without[T comparable](list []T, value T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return v == value })
}
