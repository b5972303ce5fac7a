package hcloud

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// Balancer is a load balancer as the API shows it.
type Balancer struct {
	ID              int64              `json:"id"`
	Name            string             `json:"name"`
	PublicNet       BalancerPublicNet  `json:"public_net"`
	PrivateNet      []BalancerAttached `json:"private_net"`
	Location        *location          `json:"location"`
	Type            *BalancerType      `json:"load_balancer_type"`
	Protection      protection         `json:"protection"`
	Labels          map[string]string  `json:"labels"`
	Created         time.Time          `json:"created"`
	Services        []Service          `json:"services"`
	Targets         []Target           `json:"targets"`
	Algorithm       Algorithm          `json:"algorithm"`
	IncludedTraffic int64              `json:"included_traffic"`
	OutgoingTraffic *int64             `json:"outgoing_traffic"`
	IngoingTraffic  *int64             `json:"ingoing_traffic"`
}

// BalancerPublicNet is the public interface.
type BalancerPublicNet struct {
	Enabled bool      `json:"enabled"`
	IPv4    PrimaryIP `json:"ipv4"`
	IPv6    PrimaryIP `json:"ipv6"`
}

// PrimaryIP is a public address.
type PrimaryIP struct {
	ID      int64  `json:"id"`
	IP      string `json:"ip"`
	Blocked bool   `json:"blocked"`
	DNSPtr  string `json:"dns_ptr"`
}

// BalancerAttached is a balancer in a network.
type BalancerAttached struct {
	Network int64  `json:"network"`
	IP      string `json:"ip"`
}

// Algorithm is "round_robin" or "least_connections".
type Algorithm struct {
	Type string `json:"type"`
}

func (b *Balancer) id() int64 { return b.ID }

func (b *Balancer) resource() resource { return resource{b.ID, "load_balancer"} }

func (b *Balancer) clone() Balancer {
	out := *b
	out.PrivateNet, out.Targets = append([]BalancerAttached{}, b.PrivateNet...), append([]Target{}, b.Targets...)
	out.Services = make([]Service, len(b.Services))
	for i, s := range b.Services {
		out.Services[i] = s.clone()
	}
	out.Labels = map[string]string{}
	maps.Copy(out.Labels, b.Labels)
	return out
}

// balancerView is the balancer as the API shows it, with the health of its targets.
func (p *Project) balancerView(b *Balancer) Balancer {
	out := b.clone()
	out.IncludedTraffic = 21_990_232_555_520
	for i := range out.Targets {
		p.resolve(&out, &out.Targets[i])
	}
	return out
}

var balancerList = listing[*Balancer]{
	name: "load_balancers",
	order: map[string]func(a, b *Balancer) int{
		"id": by((*Balancer).id), "name": by(func(b *Balancer) string { return b.Name }),
		"created": byTime(func(b *Balancer) time.Time { return b.Created }),
	},
	nameOf:   func(b *Balancer) string { return b.Name },
	labelsOf: func(b *Balancer) map[string]string { return b.Labels },
}

const balancerPath = "/load_balancers/{id}"

var balancerRoutes = map[string]handler{
	"GET /load_balancer_types":      listBalancerTypes,
	"GET /load_balancer_types/{id}": getBalancerType,
	"GET /load_balancers":           listBalancers,
	"POST /load_balancers":          createBalancer,
	"GET " + balancerPath:           getBalancer,
	"PUT " + balancerPath:           updateBalancer,
	"DELETE " + balancerPath:        deleteBalancer,

	"POST " + balancerPath + "/actions/add_service":              addService,
	"POST " + balancerPath + "/actions/update_service":           updateService,
	"POST " + balancerPath + "/actions/delete_service":           deleteService,
	"POST " + balancerPath + "/actions/add_target":               addTarget,
	"POST " + balancerPath + "/actions/remove_target":            removeTarget,
	"POST " + balancerPath + "/actions/attach_to_network":        attachBalancer,
	"POST " + balancerPath + "/actions/detach_from_network":      detachBalancer,
	"POST " + balancerPath + "/actions/change_algorithm":         changeAlgorithm,
	"POST " + balancerPath + "/actions/change_type":              changeType,
	"POST " + balancerPath + "/actions/change_protection":        changeProtection,
	"POST " + balancerPath + "/actions/change_dns_ptr":           changeDNSPtr,
	"POST " + balancerPath + "/actions/enable_public_interface":  enablePublic,
	"POST " + balancerPath + "/actions/disable_public_interface": disablePublic,
}

var balancerRules = []Rule{
	{ID: "balancer/name-taken", Where: "POST /load_balancers PUT /load_balancers/{id}", Text: "a load balancer's name is unique in the project", Source: fromVendor, Status: 409, Code: "uniqueness_error"},
	{ID: "balancer/limit", Where: "POST /load_balancers", Text: "the project's limit of load balancers is not reached", Source: fromVendor, Status: 403, Code: "resource_limit_exceeded"},
	{ID: "balancer/type", Where: "POST /load_balancers change_type", Text: "the type exists and can still be ordered", Source: guess, IfWrong: "another code; the driver looks types up before it uses them"},
	{ID: "balancer/place", Where: "POST /load_balancers", Text: "a location or a network zone is given, not both, and exists", Source: fromVendor},
	{ID: "balancer/primary-ip", Where: "POST /load_balancers", Text: "primary IPs that are named exist; the emulator has none", Source: fromClient},
	{ID: "balancer/atomic", Where: "POST /load_balancers", Text: "the services, targets and network of a creation keep the rules of the single actions, or nothing is made", Source: guess, IfWrong: "a half-made balancer is left after a refusal; the kernel finds it by its label", Silent: true},
	{ID: "balancer/algorithm", Where: "POST /load_balancers change_algorithm", Text: "the algorithm is round_robin or least_connections", Source: fromVendor},
	{ID: "balancer/put-locked", Where: "PUT /load_balancers/{id}", Text: "name and labels can't be changed while an action runs", Source: guess, IfWrong: "a driver waits for nothing", Silent: true},
	{ID: "balancer/protected", Where: "DELETE /load_balancers/{id}", Text: "the balancer is not protected from deletion", Source: fromVendor, Status: 423, Code: "protected"},
	{ID: "balancer/deletion", Where: "DELETE /load_balancers/{id}", Text: "the answer is 201 with an action, and the balancer is there until it ends", Source: fromClient, Silent: true},
}

func listBalancers(c *call) (reply, error) {
	return balancerList.answer(c, c.project.balancers.all, func(b *Balancer) any { return c.project.balancerView(b) })
}

// balancer returns the balancer that the path names.
func (c *call) balancer() (*Balancer, error) { return found(c, c.project.balancers, "load balancer") }

func getBalancer(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"load_balancer": c.project.balancerView(b)}}, nil
}

// renaming is the request that changes a name and labels.
type renaming struct {
	Name   *string            `json:"name"`
	Labels *map[string]string `json:"labels"`
}

// check collects what is wrong with a name and labels.
func (r *renaming) check(f *fieldErrors) {
	if r.Name != nil {
		f.name(*r.Name)
	}
	if r.Labels != nil {
		f.labels(*r.Labels)
	}
}

func (f *fieldErrors) name(name string) {
	f.check(name != "" && len(name) <= 128, "common/name", "name", "is empty or too long")
}

func updateBalancer(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	var body renaming
	if err := c.decode(&body); err != nil {
		return reply{}, err
	}
	var f fieldErrors
	body.check(&f)
	if err := f.problem(); err != nil {
		return reply{}, err
	}
	if err := c.free(b.resource()); err != nil {
		return reply{}, err
	}
	if body.Name != nil {
		if err := c.project.balancerNameFree(*body.Name, b.ID); err != nil {
			return reply{}, err
		}
		b.Name = *body.Name
	}
	if body.Labels != nil {
		b.Labels = *body.Labels
	}
	return reply{body: map[string]any{"load_balancer": c.project.balancerView(b)}}, nil
}

func (p *Project) balancerNameFree(name string, but int64) error {
	if slices.ContainsFunc(p.balancers.all, func(b *Balancer) bool { return b.Name == name && b.ID != but }) {
		return broken("balancer/name-taken", "name is already used")
	}
	return nil
}

func deleteBalancer(c *call) (reply, error) {
	b, err := c.balancer()
	if err != nil {
		return reply{}, err
	}
	return actionReply(c.act("delete_load_balancer", func() (func(), error) {
		if b.Protection.Delete {
			return nil, broken("balancer/protected", "load balancer deletion is protected")
		}
		return func() { c.project.balancers.remove(b.ID) }, nil
	}, b.resource()))
}

// change starts an action that changes the balancer of the path.
func (c *call) change(command string, b *Balancer, p plan) (reply, error) {
	return actionReply(c.act(command, p, b.resource()))
}

// accepted answers the creation of something with its action.
func accepted(name string, view any, a *action) reply {
	return reply{status: http.StatusCreated, body: map[string]any{name: view, "action": a}}
}
