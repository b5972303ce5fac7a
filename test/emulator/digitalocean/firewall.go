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

func (a *Account) findFirewall(id string) *Firewall {
	for _, f := range a.firewalls {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// EditFirewall changes a firewall behind everyone's back, unchecked. A firewall
// that does not exist is an error.
func (a *Account) EditFirewall(id string, edit func(*Firewall)) (err error) {
	a.change(func() {
		f := a.findFirewall(id)
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

func (a *Account) listFirewalls(r *http.Request) (reply, error) {
	return paged(r, "firewalls", a.state().Firewalls), nil
}

func (a *Account) getFirewall(r *http.Request) (reply, error) {
	f := a.findFirewall(r.PathValue("id"))
	if f == nil {
		return reply{}, notFound()
	}
	return reply{body: map[string]any{"firewall": f.clone()}}, nil
}

// createFirewall answers 202 with the status "waiting"; any later answer says "succeeded".
func (a *Account) createFirewall(r *http.Request) (reply, error) {
	made, err := a.readFirewall(r, "")
	if err != nil {
		return reply{}, err
	}
	made.ID, made.CreatedAt, made.Status = a.server.newUUID(), a.server.timestamp(), "waiting"
	answer := made.clone()
	made.Status = "succeeded"
	a.firewalls = append(a.firewalls, &made)
	return reply{status: http.StatusAccepted, body: map[string]any{"firewall": answer}}, nil
}

// updateFirewall replaces everything.
func (a *Account) updateFirewall(r *http.Request) (reply, error) {
	f := a.findFirewall(r.PathValue("id"))
	if f == nil {
		return reply{}, notFound()
	}
	made, err := a.readFirewall(r, f.ID)
	if err != nil {
		return reply{}, err
	}
	made.ID, made.CreatedAt, made.Status = f.ID, f.CreatedAt, "succeeded"
	*f = made
	return reply{body: map[string]any{"firewall": f.clone()}}, nil
}

func (a *Account) deleteFirewall(r *http.Request) (reply, error) {
	f := a.findFirewall(r.PathValue("id"))
	if f == nil {
		return reply{}, notFound()
	}
	a.firewalls = without(a.firewalls, f)
	return noContent(), nil
}

// readFirewall reads and checks a request; id is that of an update.
func (a *Account) readFirewall(r *http.Request, id string) (Firewall, error) {
	var q firewallRequest
	if err := decode(r, &q); err != nil {
		return Firewall{}, err
	}
	if err := a.validFirewall(&q); err != nil {
		return Firewall{}, err
	}
	taken := slices.ContainsFunc(a.firewalls, func(f *Firewall) bool { return f.Name == q.Name && f.ID != id })
	if taken { // status and text: guess
		return Firewall{}, &problem{http.StatusConflict, "duplicate name"}
	}
	return Firewall{
		Name: q.Name, InboundRules: q.InboundRules, OutboundRules: q.OutboundRules,
		DropletIDs: distinct(q.DropletIDs), Tags: distinct(q.Tags),
	}, nil
}
