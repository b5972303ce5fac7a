package digitalocean

import (
	"fmt"
	"net/http"
	"slices"
)

// Firewall is a cloud firewall as the API shows it.
type Firewall struct {
	ID             string         `json:"id"`
	Name           string         `json:"name"`
	Status         string         `json:"status"`
	InboundRules   []InboundRule  `json:"inbound_rules"`
	OutboundRules  []OutboundRule `json:"outbound_rules"`
	CreatedAt      string         `json:"created_at"`
	DropletIDs     []int          `json:"droplet_ids"`
	Tags           []string       `json:"tags"`
	PendingChanges []struct{}     `json:"pending_changes"`
}

// InboundRule lets traffic in. Ports is "0" for all.
type InboundRule struct {
	Protocol string `json:"protocol"`
	Ports    string `json:"ports"`
	Sources  *Peers `json:"sources"`
	Action   string `json:"action,omitempty"`
}

// OutboundRule lets traffic out. Ports is "0" for all.
type OutboundRule struct {
	Protocol     string `json:"protocol"`
	Ports        string `json:"ports"`
	Destinations *Peers `json:"destinations"`
	Action       string `json:"action,omitempty"`
}

// Peers is the other side of a rule.
type Peers struct {
	Addresses        []string `json:"addresses,omitempty"`
	Tags             []string `json:"tags,omitempty"`
	DropletIDs       []int    `json:"droplet_ids,omitempty"`
	LoadBalancerUIDs []string `json:"load_balancer_uids,omitempty"`
	KubernetesIDs    []string `json:"kubernetes_ids,omitempty"`
}

// firewallRequest is the body of POST and PUT; null lists are empty lists.
type firewallRequest struct {
	Name          string         `json:"name"`
	InboundRules  []InboundRule  `json:"inbound_rules"`
	OutboundRules []OutboundRule `json:"outbound_rules"`
	DropletIDs    []int          `json:"droplet_ids"`
	Tags          []string       `json:"tags"`
}

// clone copies a firewall with lists that are never null. Rules are never
// changed in place.
func (f *Firewall) clone() Firewall {
	c := *f
	c.InboundRules = append([]InboundRule{}, f.InboundRules...)
	c.OutboundRules = append([]OutboundRule{}, f.OutboundRules...)
	c.DropletIDs = append([]int{}, f.DropletIDs...)
	c.Tags = append([]string{}, f.Tags...)
	c.PendingChanges = []struct{}{}
	return c
}

// Firewalls are the account's.
type Firewalls struct {
	account *Account
	all     []*Firewall
}

func (fs *Firewalls) find(id string) *Firewall {
	for _, f := range fs.all {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// Edit changes a firewall behind everyone's back, unchecked. A firewall
// that does not exist is an error.
func (fs *Firewalls) Edit(id string, edit func(*Firewall)) (err error) {
	fs.account.change(func() {
		f := fs.find(id)
		if f == nil {
			err = fmt.Errorf("firewall %s does not exist", id)
			return
		}
		changed := f.clone()
		edit(&changed)
		changed.ID = id
		*f = changed
	})
	return err
}

func (fs *Firewalls) list(r *http.Request) (reply, error) {
	return paged(r, "firewalls", fs.account.state().Firewalls), nil
}

func (fs *Firewalls) get(r *http.Request) (reply, error) {
	f := fs.find(r.PathValue("id"))
	if f == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"firewall": f.clone()}}, nil
}

// create answers 202 with the status "waiting"; any later answer says "succeeded".
func (fs *Firewalls) create(r *http.Request) (reply, error) {
	made, err := fs.read(r, "")
	if err != nil {
		return reply{}, err
	}
	made.ID, made.CreatedAt, made.Status = fs.account.server.newUUID(), fs.account.server.timestamp(), "waiting"
	answer := made.clone()
	made.Status = "succeeded"
	fs.all = append(fs.all, &made)
	return reply{status: http.StatusAccepted, body: map[string]any{"firewall": answer}}, nil
}

// update replaces everything.
func (fs *Firewalls) update(r *http.Request) (reply, error) {
	f := fs.find(r.PathValue("id"))
	if f == nil {
		return reply{}, notFound()
	}
	made, err := fs.read(r, f.ID)
	if err != nil {
		return reply{}, err
	}
	made.ID, made.CreatedAt, made.Status = f.ID, f.CreatedAt, "succeeded"
	*f = made
	return reply{body: map[string]any{"firewall": f.clone()}}, nil
}

func (fs *Firewalls) remove(r *http.Request) (reply, error) {
	f := fs.find(r.PathValue("id"))
	if f == nil {
		return reply{}, notFound()
	}
	fs.all = without(fs.all, f)
	return noContent(), nil
}

// read reads and checks a request; id is that of an update.
func (fs *Firewalls) read(r *http.Request, id string) (Firewall, error) {
	var q firewallRequest
	if err := decode(r, &q); err != nil {
		return Firewall{}, err
	}
	if err := fs.valid(&q); err != nil {
		return Firewall{}, err
	}
	taken := slices.ContainsFunc(fs.all, func(f *Firewall) bool { return f.Name == q.Name && f.ID != id })
	if taken { // status and text: guess
		return Firewall{}, &problem{http.StatusConflict, "duplicate name"}
	}
	return Firewall{
		Name: q.Name, InboundRules: q.InboundRules, OutboundRules: q.OutboundRules,
		DropletIDs: distinct(q.DropletIDs), Tags: distinct(q.Tags),
	}, nil
}
