package world

import (
	"net/http"
	"slices"
	"strings"
)

// operation is one call of the driver's half.
type operation struct {
	name  string
	read  bool
	route string // as http.ServeMux reads it
	run   func(w api, c call) (status int, answer any, err error)
}

// call is one request of an operation.
type call struct {
	*http.Request
	effect Effect // of a list, of the account or late; the rest is done around the operation
	code   string // of a late failure
}

// operations is the driver's half of the API.
var operations = []operation{
	{"getAccount", true, "GET /v1/account", api.opGetAccount},
	{"listMachines", true, "GET /v1/machines", api.opListMachines},
	{"getMachine", true, "GET /v1/machines/{id}", api.opGetMachine},
	{"listNetworks", true, "GET /v1/networks", api.opListNetworks},
	{"listBalancers", true, "GET /v1/balancers", api.opListBalancers},
	{"getBalancer", true, "GET /v1/balancers/{id}", api.opGetBalancer},
	{"createBalancer", false, "POST /v1/balancers", api.opCreateBalancer},
	{"updateBalancer", false, "PUT /v1/balancers/{id}", api.opUpdateBalancer},
	{"deleteBalancer", false, "DELETE /v1/balancers/{id}", api.opDeleteBalancer},
	{"listRoutes", true, "GET /v1/routes", api.opListRoutes},
	{"createRoute", false, "POST /v1/routes", api.opCreateRoute},
	{"deleteRoute", false, "DELETE /v1/routes/{id}", api.opDeleteRoute},
	{"listOperations", true, "GET /v1/operations", api.opListOperations},
}

// matches reports whether a fault's selector is about the operation.
func (o operation) matches(selector string) bool {
	switch selector {
	case "*":
		return true
	case "reads":
		return o.read
	case "writes":
		return !o.read
	}
	return o.name == selector
}

// knownSelector reports whether some fault can have that selector.
func knownSelector(selector string) bool {
	return slices.ContainsFunc(operations, func(o operation) bool { return o.matches(selector) })
}

// Answers of the driver's half.
type (
	// Account is who the credentials belong to.
	Account struct {
		ID     string `json:"id"`
		Region string `json:"region"`
	}
	// MachineList is one page of machines.
	MachineList struct {
		Machines []Machine `json:"machines"`
		// Next is the "after" of the next page, "" on the last one.
		Next string `json:"next"`
		// UnavailableZones are zones whose machines are missing here.
		UnavailableZones []string `json:"unavailable_zones"`
	}
	// NetworkList is all networks.
	NetworkList struct {
		Networks []Network `json:"networks"`
	}
	// BalancerList is all balancers asked for.
	BalancerList struct {
		Balancers []Balancer `json:"balancers"`
	}
	// RouteList is all routes asked for.
	RouteList struct {
		Routes []Route `json:"routes"`
	}
	// OperationList is the operations asked for that are known.
	OperationList struct {
		Operations []Operation `json:"operations"`
	}
)

func (w api) opGetAccount(c call) (int, any, error) {
	if c.effect == EffectWrongAccount {
		return http.StatusOK, Account{ID: "another-account", Region: w.options.Region}, nil
	}
	return http.StatusOK, Account{ID: w.options.Account, Region: w.options.Region}, nil
}

func (w api) opListMachines(c call) (int, any, error) {
	limit, after, err := w.paging(c.URL.Query())
	if err != nil {
		return 0, nil, err
	}
	defer w.lock()()
	list := MachineList{Machines: []Machine{}, UnavailableZones: []string{}}
	if c.effect == EffectIncomplete {
		list.UnavailableZones = w.Zones()[:1]
	}
	for _, m := range visible(c, w.machines) {
		switch name := c.URL.Query().Get("name"); {
		case m.number() <= after, name != "" && m.Name != name:
		case c.effect == EffectIncomplete && m.Zone == w.Zones()[0]:
		case len(list.Machines) == limit:
			list.Next = list.Machines[limit-1].ID
			return http.StatusOK, list, nil
		default:
			list.Machines = append(list.Machines, *m)
		}
	}
	return http.StatusOK, list, nil
}

func (w api) opGetMachine(c call) (int, any, error) {
	defer w.lock()()
	m, err := w.machine(c.PathValue("id"))
	if err != nil || c.effect == EffectWrongAccount {
		return 0, nil, notFound("machine", c.PathValue("id"))
	}
	return http.StatusOK, *m, nil
}

func (w api) opListNetworks(c call) (int, any, error) {
	defer w.lock()()
	list := NetworkList{Networks: []Network{}}
	for _, n := range visible(c, w.networks) {
		list.Networks = append(list.Networks, *n)
	}
	return http.StatusOK, list, nil
}

// opListBalancers takes the filters name=… and label=key=value, the latter repeatedly.
func (w api) opListBalancers(c call) (int, any, error) {
	labels, err := labelFilter(c)
	if err != nil {
		return 0, nil, err
	}
	defer w.lock()()
	list := w.listBalancers(c.URL.Query().Get("name"), labels)
	return http.StatusOK, BalancerList{Balancers: visible(c, list)}, nil
}

func (w api) opGetBalancer(c call) (int, any, error) {
	defer w.lock()()
	b, err := w.balancer(c.PathValue("id"))
	if err != nil || c.effect == EffectWrongAccount {
		return 0, nil, notFound("balancer", c.PathValue("id"))
	}
	return http.StatusOK, b.show(), nil
}

func (w api) opCreateBalancer(c call) (int, any, error) {
	spec, err := decode[BalancerSpec](c.Request)
	if err != nil {
		return 0, nil, err
	}
	defer w.lock()()
	b, err := w.createBalancer(c, spec)
	return http.StatusCreated, b, err
}

func (w api) opUpdateBalancer(c call) (int, any, error) {
	spec, err := decode[BalancerSpec](c.Request)
	if err != nil {
		return 0, nil, err
	}
	defer w.lock()()
	b, err := w.updateBalancer(c, c.PathValue("id"), spec)
	return http.StatusOK, b, err
}

func (w api) opDeleteBalancer(c call) (int, any, error) {
	defer w.lock()()
	b, err := w.deleteBalancer(c, c.PathValue("id"))
	if err != nil || b == nil {
		return http.StatusNoContent, nil, err
	}
	return http.StatusAccepted, b, nil
}

// opListRoutes takes the filter label=key=value repeatedly.
func (w api) opListRoutes(c call) (int, any, error) {
	labels, err := labelFilter(c)
	if err != nil {
		return 0, nil, err
	}
	defer w.lock()()
	list := []Route{}
	for _, r := range w.listRoutes() {
		if hasLabels(r.Labels, labels) {
			list = append(list, r)
		}
	}
	return http.StatusOK, RouteList{Routes: visible(c, list)}, nil
}

func (w api) opCreateRoute(c call) (int, any, error) {
	spec, err := decode[RouteSpec](c.Request)
	if err != nil {
		return 0, nil, err
	}
	defer w.lock()()
	r, err := w.createRoute(c, spec)
	return http.StatusCreated, r, err
}

func (w api) opDeleteRoute(c call) (int, any, error) {
	defer w.lock()()
	r, err := w.deleteRoute(c, c.PathValue("id"))
	if err != nil || len(r.Operations) == 0 {
		return http.StatusNoContent, nil, err
	}
	return http.StatusAccepted, r, nil
}

// visible returns the items a list shows under the effect of a fault.
func visible[T any](c call, all []T) []T {
	switch c.effect {
	case EffectEmpty, EffectWrongAccount:
		return all[:0]
	case EffectShort:
		return all[:len(all)/2]
	}
	return all
}

func labelFilter(c call) (map[string]string, error) {
	labels := map[string]string{}
	for _, filter := range c.URL.Query()["label"] {
		key, value, ok := strings.Cut(filter, "=")
		if !ok {
			return nil, invalid("label %q is not of the form key=value", filter)
		}
		labels[key] = value
	}
	return labels, nil
}
