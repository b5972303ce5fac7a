package digitalocean

import (
	"fmt"
	"slices"
)

// SeedDroplets adds n active droplets named node-0, node-1, ... with a public
// and a private IPv4 address in the default VPC of the default region, and
// returns copies of them. Each edit may change a droplet before it is added.
func (a *Account) SeedDroplets(n int, edit ...func(*Droplet)) []Droplet {
	seeded := make([]Droplet, 0, n)
	a.change(func() {
		region := a.server.options.Region
		vpc, created := a.defaultVPC(region).ID, a.server.timestamp()
		for range n {
			id := a.droplets.next
			i := id - firstDropletID
			d := Droplet{
				ID: id, Name: fmt.Sprintf("node-%d", i), Status: DropletActive, Region: region, Size: "s-2vcpu-4gb",
				VPC: vpc, PublicIPv4: hostIn(198, 18, i), PrivateIPv4: hostIn(10, 100, i), CreatedAt: created,
			}
			for _, f := range edit {
				f(&d)
			}
			a.putDroplet(d)
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

// PublicIPv6For is an address for the i-th droplet, for edits of SeedDroplets.
func PublicIPv6For(i int) string { return fmt.Sprintf("2001:db8:1::%x", i+10) }

// putDroplet stores a copy and makes its tags exist.
func (a *Account) putDroplet(d Droplet) {
	d.Tags = slices.Clone(d.Tags)
	for _, tag := range d.Tags {
		a.ensureTag(tag)
	}
	a.droplets.put(&stored{Droplet: d})
}

// AddDroplet adds a droplet as given, or replaces the one with the same id. With
// ID 0 it gets the next id. It returns the id.
func (a *Account) AddDroplet(d Droplet) int {
	a.change(func() {
		if d.ID == 0 {
			d.ID = a.droplets.next
		}
		a.putDroplet(d)
	})
	return d.ID
}

// EditDroplet changes a droplet behind everyone's back. A droplet that does not
// exist is an error.
func (a *Account) EditDroplet(id int, edit func(*Droplet)) error {
	return a.editDroplets([]int{id}, edit)
}

// PowerOff turns droplets off.
func (a *Account) PowerOff(ids ...int) error {
	return a.editDroplets(ids, func(d *Droplet) { d.Status = DropletOff })
}

// PowerOn turns droplets on.
func (a *Account) PowerOn(ids ...int) error {
	return a.editDroplets(ids, func(d *Droplet) { d.Status = DropletActive })
}

func (a *Account) editDroplets(ids []int, edit func(*Droplet)) (err error) {
	a.change(func() {
		for _, id := range ids {
			old, ok := a.droplets.byID[id]
			if !ok {
				err = fmt.Errorf("droplet %d does not exist", id)
				return
			}
			changed := old.Droplet
			changed.Tags = slices.Clone(changed.Tags)
			edit(&changed)
			changed.ID = id
			a.putDroplet(changed)
		}
	})
	return err
}

// DeleteDroplets deletes droplets; they leave balancers and firewalls as in the
// real cloud. A droplet that does not exist is an error.
func (a *Account) DeleteDroplets(ids ...int) (err error) {
	a.change(func() {
		for _, id := range ids {
			if !a.droplets.remove(id) {
				err = fmt.Errorf("droplet %d does not exist", id)
				return
			}
			for _, b := range a.balancers {
				b.DropletIDs = without(b.DropletIDs, id)
			}
			for _, f := range a.firewalls {
				f.DropletIDs = without(f.DropletIDs, id)
			}
		}
	})
	return err
}

// Resurrect brings deleted droplets back with the same id and addresses. They
// don't return to balancers. A droplet that was never deleted is an error.
func (a *Account) Resurrect(ids ...int) (err error) {
	a.change(func() {
		for _, id := range ids {
			gone, ok := a.droplets.deleted[id]
			if !ok {
				err = fmt.Errorf("droplet %d was not deleted", id)
				return
			}
			a.droplets.put(gone)
		}
	})
	return err
}

// without returns a copy of list less one value.
func without[T comparable](list []T, value T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return v == value })
}
