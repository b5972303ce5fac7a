package balancer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
)

// answer is what the API says to a write.
type answer struct {
	LoadBalancer schema.LoadBalancer `json:"load_balancer"`
	Certificate  schema.Certificate  `json:"certificate"`
	Action       *schema.Action      `json:"action"`
}

// goes returns the error of a write that goes on.
func (a answer) goes() error {
	if a.Action == nil || a.Action.ID == 0 {
		return missing("reading the action")
	}
	return api.Goes(hcloud.ActionFromSchema(*a.Action))
}

// send makes a write. The request can be nil, and the answer empty.
func (b *Balancers) send(ctx context.Context, method, path string, body any) (a answer, err error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return a, fmt.Errorf("writing the request: %w", err)
		}
		reader = bytes.NewReader(text)
	}
	request, err := b.API.NewRequest(ctx, method, path, reader)
	if err != nil {
		return a, fmt.Errorf("making the request: %w", err)
	}
	var text bytes.Buffer
	if _, err = b.API.Do(request, &text); err != nil {
		return a, api.Failed(method+" "+path, err)
	}
	if text.Len() > 0 {
		if err = json.Unmarshal(text.Bytes(), &a); err != nil {
			return a, fmt.Errorf("%s %s: reading the answer: %w", method, path, err)
		}
	}
	return a, nil
}

// remove deletes an object. One that is gone already is as good.
func (b *Balancers) remove(ctx context.Context, path string) error {
	answer, err := b.send(ctx, http.MethodDelete, path, nil)
	switch {
	case api.IsNotFound(err):
		return nil
	case err != nil || answer.Action == nil:
		return err
	}
	return answer.goes()
}

// act makes an action of the load balancer that a resource belongs to.
func (b *Balancers) act(ctx context.Context, r cloud.Resource, action string, body any) error {
	id, known := r.Fields["load_balancer"].(string)
	if !known {
		id = r.ID // of the load balancer itself
	}
	answer, err := b.send(ctx, http.MethodPost, "/load_balancers/"+id+"/actions/"+action, body)
	if err != nil {
		return err
	}
	return answer.goes()
}

// action makes a part of a load balancer by an action with these fields.
func (b *Balancers) action(action string, fields ...string) func(context.Context, cloud.Resource, []cloud.Resource) (string, error) {
	return func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
		return wanted.Key, b.act(ctx, wanted, action, body(wanted, fields...))
	}
}

// undo takes a part of a load balancer away. What is not there is as good.
func (b *Balancers) undo(action string, fields ...string) func(context.Context, cloud.Resource) error {
	return func(ctx context.Context, present cloud.Resource) error {
		if err := b.act(ctx, present, action, body(present, fields...)); !api.IsNotFound(err) {
			return err
		}
		return nil
	}
}

// create makes a load balancer with all its parts in one request.
func (b *Balancers) create(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
	request := body(wanted, "name", "load_balancer_type", "location", "network_zone")
	request["algorithm"] = map[string]any{"type": wanted.Fields["algorithm"]}
	request["public_interface"] = false
	labels := maps.Clone(wanted.Fields["labels"].(map[string]string))
	services, targets := []any{}, []any{}
	for _, r := range with {
		switch r.Kind {
		case kindPublic:
			request["public_interface"] = true
		case kindNetwork:
			request["network"] = r.Fields["network"]
		case kindTarget:
			targets = append(targets, body(r, targetFields...))
		case kindService:
			services = append(services, body(r, serviceFields...))
		}
	}
	request["labels"], request["services"], request["targets"] = withNetwork(labels, wanted), services, targets
	answer, err := b.send(ctx, http.MethodPost, "/load_balancers", request)
	if err != nil {
		return "", err
	}
	if answer.LoadBalancer.ID == 0 {
		return "", missing("creating the load balancer")
	}
	return strconv.FormatInt(answer.LoadBalancer.ID, 10), answer.goes()
}

// withNetwork adds the label of the network, if there is one.
func withNetwork(labels map[string]string, of cloud.Resource) map[string]string {
	if id := of.Fields["network_label"]; id != "" {
		labels[labelNetwork], _ = id.(string)
	}
	return labels
}

// update changes fields of a load balancer: name and labels together, any other by itself.
func (b *Balancers) update(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	wanted.ID = present.ID
	request := map[string]any{}
	for _, field := range fields {
		switch field {
		case "load_balancer_type":
			return b.act(ctx, wanted, "change_type", body(wanted, field))
		case "algorithm":
			return b.act(ctx, wanted, "change_algorithm", map[string]any{"type": wanted.Fields[field]})
		case "name":
			request[field] = wanted.Fields[field]
		case "labels":
			request["labels"] = withNetwork(maps.Clone(wanted.Fields["labels"].(map[string]string)), present)
		case "network_label":
			request["labels"] = withNetwork(maps.Clone(wanted.Fields["labels"].(map[string]string)), wanted)
		}
	}
	answer, err := b.send(ctx, http.MethodPut, "/load_balancers/"+present.ID, request)
	if err != nil {
		return taken(err, name, wanted)
	}
	if answer.LoadBalancer.ID == 0 {
		return missing("changing the load balancer")
	}
	return nil
}

func (b *Balancers) createReverse(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	return wanted.Key, b.updateReverse(ctx, wanted, wanted, nil)
}

// updateReverse names an address. Of a load balancer that was made a moment ago it is read first.
func (b *Balancers) updateReverse(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
	ip, _ := wanted.Native.(net.IP)
	if ip == nil {
		lb, err := b.byID(ctx, fmt.Sprint(wanted.Fields["load_balancer"]))
		switch {
		case err != nil:
			return err
		case lb == nil:
			return missing("reading the load balancer")
		}
		ip = map[string]net.IP{"ipv4": lb.PublicNet.IPv4.IP, "ipv6": lb.PublicNet.IPv6.IP}[wanted.Key]
	}
	return b.act(ctx, wanted, "change_dns_ptr", map[string]any{"ip": ip.String(), "dns_ptr": wanted.Fields["dns_ptr"]})
}
