package hcloud

import (
	"encoding/json"
	"strconv"
	"time"
)

// BalancerType is a size of load balancers.
type BalancerType struct {
	ID              int64        `json:"id"`
	Name            string       `json:"name"`
	Description     string       `json:"description"`
	MaxConnections  int          `json:"max_connections"`
	MaxServices     int          `json:"max_services"`
	MaxTargets      int          `json:"max_targets"`
	MaxCertificates int          `json:"max_assigned_certificates"`
	Prices          []price      `json:"prices"`
	Deprecation     *deprecation `json:"deprecation"`
	Deprecated      *string      `json:"deprecated"`
}

func (t *BalancerType) id() int64 { return t.ID }

func newBalancerTypes() store[*BalancerType] {
	s := newStore[*BalancerType]()
	for _, t := range []BalancerType{
		{ID: 1, Name: "lb11", Description: "LB11", MaxConnections: 10_000, MaxServices: 5, MaxTargets: 25, MaxCertificates: 10},
		{ID: 2, Name: "lb21", Description: "LB21", MaxConnections: 20_000, MaxServices: 15, MaxTargets: 75, MaxCertificates: 25},
		{ID: 3, Name: "lb31", Description: "LB31", MaxConnections: 40_000, MaxServices: 30, MaxTargets: 150, MaxCertificates: 50},
	} {
		t.Prices = prices
		s.put(&t)
	}
	return s
}

// DeprecateBalancerType announces the end of a type. After the second time it can't be ordered.
func (s *Server) DeprecateBalancerType(name string, announced, unavailableAfter time.Time) {
	s.change(func() {
		for _, t := range s.balancerTypes.all {
			if t.Name == name {
				text := unavailableAfter.Format(time.RFC3339)
				t.Deprecation, t.Deprecated = &deprecation{announced, unavailableAfter}, &text
			}
		}
	})
}

var balancerTypeList = listing[*BalancerType]{
	name:   "load_balancer_types",
	order:  map[string]func(a, b *BalancerType) int{"id": by((*BalancerType).id), "name": by(func(t *BalancerType) string { return t.Name })},
	nameOf: func(t *BalancerType) string { return t.Name },
}

func listBalancerTypes(c *call) (reply, error) {
	return balancerTypeList.answer(c, c.server.balancerTypes.all, func(t *BalancerType) any { return t })
}

func getBalancerType(c *call) (reply, error) {
	t, err := found(c, c.server.balancerTypes, "load balancer type")
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"load_balancer_type": t}}, nil
}

// reference names something by id or by name.
type reference string

// UnmarshalJSON takes a number or text.
func (r *reference) UnmarshalJSON(data []byte) error {
	var id int64
	if json.Unmarshal(data, &id) == nil {
		*r = reference(strconv.FormatInt(id, 10))
		return nil
	}
	return json.Unmarshal(data, (*string)(r))
}

// orderable finds a type that balancers can be made of.
func (c *call) orderable(named reference) (*BalancerType, error) {
	for _, t := range c.server.balancerTypes.all {
		if t.Name != string(named) && strconv.FormatInt(t.ID, 10) != string(named) {
			continue
		}
		if t.Deprecation != nil && c.server.now().After(t.Deprecation.UnavailableAfter) {
			return nil, invalid("balancer/type", "load_balancer_type", "is not available any more")
		}
		return t, nil
	}
	return nil, invalid("balancer/type", "load_balancer_type", "there is no type %q", named)
}
