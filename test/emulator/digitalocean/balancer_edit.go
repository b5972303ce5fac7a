package digitalocean

import "fmt"

// EditBalancer changes a balancer behind everyone's back, unchecked, as an
// operator does by hand. A balancer that does not exist is an error.
func (a *Account) EditBalancer(id string, edit func(*Balancer)) (err error) {
	a.change(func() {
		b := a.findBalancer(id)
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

// AddBalancer adds an active balancer as given, unchecked, and returns its id.
// A nil region becomes the default one.
func (a *Account) AddBalancer(b Balancer) string {
	var id string
	a.change(func() {
		if b.Region == nil && b.Type != TypeGlobal {
			b.Region = findRegion(a.server.options.Region)
		}
		added := a.addBalancer(b, b.IP)
		added.activate()
		id = added.ID
	})
	return id
}

// DeleteBalancer deletes a balancer behind everyone's back. A balancer that
// does not exist is an error.
func (a *Account) DeleteBalancer(id string) (err error) {
	a.change(func() {
		if !a.dropBalancer(id) {
			err = fmt.Errorf("balancer %s does not exist", id)
		}
	})
	return err
}

// ActivateBalancers makes all new balancers active now.
func (a *Account) ActivateBalancers() {
	a.change(func() {
		for _, b := range a.balancers {
			if b.timer != nil {
				b.timer.Stop()
			}
			b.activate()
		}
	})
}
