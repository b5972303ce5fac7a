package digitalocean

import "fmt"

// SetLimit changes the account's quota of balancers; 0 is none.
func (bs *LoadBalancers) SetLimit(n int) { bs.account.change(func() { bs.limit = n }) }

// Edit changes a balancer behind everyone's back, unchecked, as an
// operator does by hand. A balancer that does not exist is an error.
func (bs *LoadBalancers) Edit(id string, edit func(*Balancer)) (err error) {
	bs.account.change(func() {
		b := bs.find(id)
		if b == nil {
			err = fmt.Errorf("balancer %s does not exist", id)
			return
		}
		view := b.view()
		if b.Tag != "" {
			view.DropletIDs = nil // shown for a tag, not stored
		}
		edit(&view)
		view.ID = id
		b.Balancer = view
	})
	return err
}

// Add adds an active balancer as given, unchecked, and returns its id.
// A nil region becomes the default one.
func (bs *LoadBalancers) Add(b Balancer) string {
	var id string
	bs.account.change(func() {
		if b.Region == nil && b.Type != TypeGlobal {
			b.Region = findRegion(bs.account.server.options.Region)
		}
		added := bs.add(b, b.IP)
		added.activate()
		id = added.ID
	})
	return id
}

// Delete deletes a balancer behind everyone's back. A balancer that
// does not exist is an error.
func (bs *LoadBalancers) Delete(id string) (err error) {
	bs.account.change(func() {
		if !bs.drop(id) {
			err = fmt.Errorf("balancer %s does not exist", id)
		}
	})
	return err
}

// Activate makes all new balancers active now.
func (bs *LoadBalancers) Activate() {
	bs.account.change(func() {
		for _, b := range bs.all {
			if b.timer != nil {
				b.timer.Stop()
			}
			b.activate()
		}
	})
}
