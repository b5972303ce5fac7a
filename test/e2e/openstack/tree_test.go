package openstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	corev1 "k8s.io/api/core/v1"
)

// object is one of the API's objects, as a plain client reads it.
type object = map[string]any

// tree is a balancer as the API shows it, read without the driver. Its parts are found by the
// port of their listener.
type tree struct {
	lb        object
	floating  object
	groups    []object
	listeners map[int]object
	pools     map[int]object
	members   map[int][]object
	monitors  map[int]object
}

// look reads the Service's balancer.
func (s *site) look(svc *corev1.Service) tree {
	s.Helper()
	id := svc.Annotations["loadbalancer.openstack.org/load-balancer-id"]
	t := tree{lb: s.one(s.project.Balancer, "loadbalancer", "lbaas/loadbalancers/"+id)}
	t.listeners, t.pools, t.members, t.monitors = map[int]object{}, map[int]object{}, map[int][]object{}, map[int]object{}
	for _, listener := range s.all(s.project.Balancer, "listeners", "lbaas/listeners", url.Values{"loadbalancer_id": {id}}) {
		port := int(listener["protocol_port"].(float64))
		t.listeners[port] = listener
		pool, _ := listener["default_pool_id"].(string)
		if pool == "" {
			continue
		}
		t.pools[port] = s.one(s.project.Balancer, "pool", "lbaas/pools/"+pool)
		t.members[port] = s.all(s.project.Balancer, "members", "lbaas/pools/"+pool+"/members", nil)
		if monitor, _ := t.pools[port]["healthmonitor_id"].(string); monitor != "" {
			t.monitors[port] = s.one(s.project.Balancer, "healthmonitor", "lbaas/healthmonitors/"+monitor)
		}
	}
	if ips := s.all(s.project.Network, "floatingips", "floatingips", url.Values{"port_id": {fmt.Sprint(t.lb["vip_port_id"])}}); len(ips) > 0 {
		t.floating = ips[0]
	}
	t.groups = s.all(s.project.Network, "security_groups", "security-groups", url.Values{"name": {"lb-sg-" + string(svc.UID) + "-shop-" + svc.Name}})
	return t
}

func (s *site) one(c *gophercloud.ServiceClient, name, path string) (o object) {
	s.Helper()
	s.read(c, path, name, &o)
	return o
}

func (s *site) all(c *gophercloud.ServiceClient, name, path string, query url.Values) (list []object) {
	s.Helper()
	s.read(c, path+"?"+query.Encode(), name, &list)
	return list
}

func (s *site) read(c *gophercloud.ServiceClient, path, name string, into any) {
	s.Helper()
	var answer map[string]json.RawMessage
	_, err := c.Get(s.Context(), c.ServiceURL(path), &answer, nil)
	s.must(err, "reading "+path)
	s.must(json.Unmarshal(answer[name], into), "reading "+name+" of "+path)
}

// change writes something behind the driver's back and waits until the balancer is ready again.
func (s *site) change(c *gophercloud.ServiceClient, method, path string, body any) object {
	s.Helper()
	var answer map[string]any
	opts := &gophercloud.RequestOpts{JSONBody: body, OkCodes: []int{200, 201, 202, 204}}
	if method == http.MethodPost || method == http.MethodPut {
		opts.JSONResponse = &answer
	}
	response, err := c.Request(s.Context(), method, c.ServiceURL(path), opts)
	if response != nil && response.StatusCode == http.StatusAccepted {
		err = nil // its body is empty
	}
	s.must(err, method+" "+path)
	for _, value := range answer {
		if o, ok := value.(object); ok {
			return o
		}
	}
	return nil
}

// settled are the statuses of balancers at which Octavia does not work.
var settled = []any{"ACTIVE", "ERROR"}

// settle waits until a balancer takes changes, or is gone.
func (s *site) settle(id string) {
	s.Helper()
	s.must(until(s.Context(), func(ctx context.Context) bool {
		var answer map[string]object
		_, err := s.project.Balancer.Get(ctx, s.project.Balancer.ServiceURL("lbaas/loadbalancers/"+id), &answer, nil)
		if err != nil {
			return gophercloud.ResponseCodeIs(err, http.StatusNotFound)
		}
		return slices.Contains(settled, answer["loadbalancer"]["provisioning_status"])
	}), "waiting for balancer "+id)
}
