package world

import (
	"net/http"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
)

// operation is one call of the driver's half.
type operation struct {
	fault.Operation
	route string // as http.ServeMux reads it
	run   func(w server, c call) (status int, answer any, err error)
}

// call is one request of an operation.
type call struct {
	*http.Request
	effect fault.Effect // of a list, of the account or late; the rest is done around the operation
	code   string       // of a late failure
}

// late is how the operation that the answer names fails, nil when it does not.
func (c call) late() *api.Failure {
	if c.effect != fault.EffectLate {
		return nil
	}
	return &api.Failure{Status: http.StatusOK, Code: c.code, Message: "it failed afterwards"}
}

// operations is the driver's half of the API.
var operations = []operation{
	{fault.Operation{Name: "getAccount", Read: true}, "GET /v1/account", server.opGetAccount},
	{fault.Operation{Name: "listMachines", Read: true}, "GET /v1/machines", server.opListMachines},
	{fault.Operation{Name: "getMachine", Read: true}, "GET /v1/machines/{id}", server.opGetMachine},
	{fault.Operation{Name: "listNetworks", Read: true}, "GET /v1/networks", server.opListNetworks},
	{fault.Operation{Name: "listBalancers", Read: true}, "GET /v1/balancers", server.opListBalancers},
	{fault.Operation{Name: "getBalancer", Read: true}, "GET /v1/balancers/{id}", server.opGetBalancer},
	{fault.Operation{Name: "createBalancer", Read: false}, "POST /v1/balancers", server.opCreateBalancer},
	{fault.Operation{Name: "updateBalancer", Read: false}, "PUT /v1/balancers/{id}", server.opUpdateBalancer},
	{fault.Operation{Name: "deleteBalancer", Read: false}, "DELETE /v1/balancers/{id}", server.opDeleteBalancer},
	{fault.Operation{Name: "listRoutes", Read: true}, "GET /v1/routes", server.opListRoutes},
	{fault.Operation{Name: "createRoute", Read: false}, "POST /v1/routes", server.opCreateRoute},
	{fault.Operation{Name: "deleteRoute", Read: false}, "DELETE /v1/routes/{id}", server.opDeleteRoute},
	{fault.Operation{Name: "listOperations", Read: true}, "GET /v1/operations", server.opListOperations},
}

func (w server) opGetAccount(c call) (int, any, error) {
	account := w.account
	if c.effect == fault.EffectWrongAccount {
		account.ID = "another-account"
	}
	return http.StatusOK, account, nil
}

func (w server) opListMachines(c call) (int, any, error) {
	limit, after, err := w.paging(c.URL.Query())
	if err != nil {
		return 0, nil, err
	}
	list := api.MachineList{Machines: []api.Machine{}, UnavailableZones: []string{}}
	if c.effect == fault.EffectIncomplete {
		list.UnavailableZones = w.Zones()[:1]
	}
	for _, m := range visible(c, w.Machines()) {
		switch name := c.URL.Query().Get("name"); {
		case m.Number() <= after, name != "" && m.Name != name:
		case c.effect == fault.EffectIncomplete && m.Zone == w.Zones()[0]:
		case len(list.Machines) == limit:
			list.Next = list.Machines[limit-1].ID
			return http.StatusOK, list, nil
		default:
			list.Machines = append(list.Machines, m)
		}
	}
	return http.StatusOK, list, nil
}

func (w server) opGetMachine(c call) (int, any, error) {
	m, err := w.Machine(c.PathValue("id"))
	if c.effect == fault.EffectWrongAccount {
		err = api.NotFound("machine", c.PathValue("id"))
	}
	return http.StatusOK, m, err
}

func (w server) opListNetworks(c call) (int, any, error) {
	return http.StatusOK, api.NetworkList{Networks: visible(c, w.Networks())}, nil
}

// opListBalancers takes the filters name=… and label=key=value, the latter repeatedly.
func (w server) opListBalancers(c call) (int, any, error) {
	name := c.URL.Query().Get("name")
	list, err := labelled(c, w.Balancers(), func(b api.Balancer) map[string]string { return b.Labels })
	list = slices.DeleteFunc(list, func(b api.Balancer) bool { return name != "" && b.Name != name })
	return http.StatusOK, api.BalancerList{Balancers: visible(c, list)}, err
}

func (w server) opGetBalancer(c call) (int, any, error) {
	b, err := w.Balancer(c.PathValue("id"))
	if c.effect == fault.EffectWrongAccount {
		err = api.NotFound("balancer", c.PathValue("id"))
	}
	return http.StatusOK, b, err
}

func (w server) opCreateBalancer(c call) (int, any, error) {
	spec, err := decode[api.BalancerSpec](c.Request)
	if err != nil {
		return 0, nil, err
	}
	b, err := w.CreateBalancer(spec, c.late())
	return http.StatusCreated, b, err
}

func (w server) opUpdateBalancer(c call) (int, any, error) {
	spec, err := decode[api.BalancerSpec](c.Request)
	if err != nil {
		return 0, nil, err
	}
	b, err := w.UpdateBalancer(c.PathValue("id"), spec, c.late())
	return http.StatusOK, b, err
}

func (w server) opDeleteBalancer(c call) (int, any, error) {
	b, err := w.DeleteBalancer(c.PathValue("id"), c.late())
	if err != nil || b == nil {
		return http.StatusNoContent, nil, err
	}
	return http.StatusAccepted, b, nil
}

// opListRoutes takes the filter label=key=value repeatedly.
func (w server) opListRoutes(c call) (int, any, error) {
	list, err := labelled(c, w.Routes(), func(r api.Route) map[string]string { return r.Labels })
	return http.StatusOK, api.RouteList{Routes: visible(c, list)}, err
}

func (w server) opCreateRoute(c call) (int, any, error) {
	spec, err := decode[api.RouteSpec](c.Request)
	if err != nil {
		return 0, nil, err
	}
	r, err := w.CreateRoute(spec, c.late())
	return http.StatusCreated, r, err
}

func (w server) opDeleteRoute(c call) (int, any, error) {
	r, err := w.DeleteRoute(c.PathValue("id"), c.late())
	if err != nil || len(r.Operations) == 0 {
		return http.StatusNoContent, nil, err
	}
	return http.StatusAccepted, r, nil
}

// opListOperations takes the filter id=… repeatedly. What is not known is missing.
func (w server) opListOperations(c call) (int, any, error) {
	ids := c.URL.Query()["id"]
	if len(ids) > api.MaxOperations {
		return 0, nil, api.Invalid("%d operations are more than %d", len(ids), api.MaxOperations)
	}
	list := slices.DeleteFunc(w.Operations(), func(o api.Operation) bool { return !slices.Contains(ids, o.ID) })
	return http.StatusOK, api.OperationList{Operations: list}, nil
}

// visible returns the items a list shows under the effect of a fault.
func visible[T any](c call, all []T) []T {
	switch c.effect {
	case fault.EffectEmpty, fault.EffectWrongAccount:
		return all[:0]
	case fault.EffectShort:
		return all[:len(all)/2]
	}
	return all
}

// labelled returns those with all the labels that the call asks for.
func labelled[T any](c call, all []T, labels func(T) map[string]string) ([]T, error) {
	for _, filter := range c.URL.Query()["label"] {
		key, want, ok := strings.Cut(filter, "=")
		if !ok {
			return nil, api.Invalid("label %q is not of the form key=value", filter)
		}
		all = slices.DeleteFunc(all, func(one T) bool {
			got, ok := labels(one)[key]
			return !ok || got != want
		})
	}
	return all, nil
}
