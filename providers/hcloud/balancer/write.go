package balancer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
)

// ResourceKinds implements cloud.Composite.
func (b *Balancers) ResourceKinds() []cloud.ResourceKind {
	w := writer{b.API}
	brought := []string{kindPublic, kindNetwork, kindTarget, kindService}
	return []cloud.ResourceKind{
		{
			Name: kindCertificate, OfService: true, Unique: fieldName, Separate: []cloud.AnyField{fieldIssuance}, Last: []cloud.AnyField{fieldIssuance},
			Create: w.createCertificate, Update: w.updateCertificate, Delete: w.delete("/certificates/"),
		},
		{
			Name: kindBalancer, Anchor: true, Brings: brought, Takes: append(brought, kindReverse, kindLabel),
			Separate: []cloud.AnyField{fieldType, fieldAlgorithm},
			Create:   w.create, Update: w.update, Delete: w.delete("/load_balancers/"),
		},
		{Name: kindPublic, Create: w.action("enable_public_interface"), Delete: w.undo("disable_public_interface")},
		{
			Name: kindNetwork, Immutable: []cloud.AnyField{fieldNetwork, fieldNetworkIP}, Disturbs: []string{kindTarget}, Fits: b.fits,
			Create: w.attach, Delete: w.undo("detach_from_network", fieldNetwork),
		},
		{Name: kindTarget, Target: true, Immutable: []cloud.AnyField{fieldUsePrivateIP}, Create: w.addTarget, Delete: w.removeTarget},
		{Name: kindService, Create: w.action("add_service", serviceFields...), Update: w.updateService, Delete: w.undo("delete_service", fieldListenPort)},
		{Name: kindReverse, Create: w.action("change_dns_ptr", reverseFields...), Update: w.updateReverse, Delete: stays},
		{Name: kindLabel, Update: w.updateLabel, Delete: stays},
	}
}

// stays deletes what goes with the load balancer.
func stays(context.Context, cloud.Resource) error { return nil }

// writer makes the requests that change a load balancer and what belongs to it.
type writer struct{ API *hcloud.Client }

func (w writer) createCertificate(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	request := body(wanted, fieldName, fieldDomains, fieldLabels)
	request["type"] = hcloud.CertificateTypeManaged
	answer, err := w.send(ctx, http.MethodPost, "/certificates", request)
	if answer.Certificate.ID == 0 {
		return "", cmp.Or(taken(err, desired.ManagedName, wanted), missing("creating the certificate"))
	}
	return strconv.FormatInt(answer.Certificate.ID, 10), err
}

// answer is what the API says to a write.
type answer struct {
	LoadBalancer schema.LoadBalancer `json:"load_balancer"`
	Certificate  schema.Certificate  `json:"certificate"`
	Action       *schema.Action      `json:"action"`
}

// send makes a write, without a body for nil. One that goes on is an error beside the answer. What is gone needs no
// deletion.
func (w writer) send(ctx context.Context, method, path string, body map[string]any) (a answer, err error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return a, fmt.Errorf("writing the request: %w", err)
		}
		reader = bytes.NewReader(text)
	}
	request, err := w.API.NewRequest(ctx, method, path, reader)
	if err != nil {
		return a, fmt.Errorf("making the request: %w", err)
	}
	var text bytes.Buffer
	if _, err = w.API.Do(request, &text); method == http.MethodDelete && api.IsNotFound(err) {
		return a, nil
	} else if err != nil {
		return a, api.Failed(method+" "+path, err)
	}
	if text.Len() > 0 {
		if err = json.Unmarshal(text.Bytes(), &a); err != nil {
			return answer{}, fmt.Errorf("%s %s: reading the answer: %w", method, path, err)
		}
	}
	switch {
	case a.Action == nil && method != http.MethodPost:
		return a, nil
	case a.Action == nil:
		return a, missing("reading the action")
	}
	return a, api.Goes(hcloud.ActionFromSchema(*a.Action))
}

func missing(what string) error { return fmt.Errorf("%s: %w", what, cloud.ErrIncomplete) }

// body returns these fields of a resource as the API takes them: certificates as a part of "http", without one that could not be made.
func body(r cloud.Resource, fields ...cloud.AnyField) map[string]any {
	b := map[string]any{}
	for _, field := range fields {
		if value, _ := r.Fields.Named(field.Name()); value.Any() != nil && field.Name() != fieldCertificates.Name() {
			b[field.Name()] = value.Any()
		}
	}
	certificates := fieldCertificates.Of(r)
	areKnown := !slices.ContainsFunc(certificates, func(c cloud.Reference) bool { return !c.IsKnown() })
	if certificates != nil && areKnown && b[fieldHTTP.Name()] != nil {
		http, ids := *fieldHTTP.Of(r), []int64{}
		for _, certificate := range certificates {
			n, _ := strconv.ParseInt(certificate.ID, 10, 64)
			ids = append(ids, n)
		}
		http.Certificates = &ids
		b[fieldHTTP.Name()] = http
	}
	return b
}

// named are the fields of a resource that have these names.
func named(r cloud.Resource, names []string) (fields []cloud.AnyField) {
	for _, name := range names {
		if field, ok := r.Fields.Named(name); ok {
			fields = append(fields, field)
		}
	}
	return fields
}

// taken returns the error of a name, which something else has.
func taken(err error, key annotation.Key, wanted cloud.Resource) error {
	if hcloud.IsError(err, hcloud.ErrorCodeUniquenessError) {
		return &cloud.Invalid{Field: key.Name, Value: fieldName.Of(wanted), Want: "another one has this name: choose another name, or delete the other one"}
	}
	return err
}

// updateCertificate renames or labels a certificate, or has one issued again.
func (w writer) updateCertificate(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	path := "/certificates/" + present.ID
	if fields[0] != fieldIssuance.Name() {
		_, err := w.send(ctx, http.MethodPut, path, body(wanted, named(wanted, fields)...))
		return taken(err, desired.ManagedName, wanted)
	}
	if _, err := w.send(ctx, http.MethodPost, path+"/actions/retry", nil); err != nil {
		return fmt.Errorf("having the certificate issued again: %w", err)
	}
	return nil
}

// delete deletes an object.
func (w writer) delete(path string) func(context.Context, cloud.Resource) error {
	return func(ctx context.Context, present cloud.Resource) error {
		_, err := w.send(ctx, http.MethodDelete, path+present.ID, nil)
		return err
	}
}

// create makes a load balancer with all its parts in one request.
func (w writer) create(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
	request := body(wanted, fieldName, fieldType, fieldLocation, fieldNetworkZone)
	request["algorithm"] = map[string]any{"type": fieldAlgorithm.Of(wanted)}
	request["public_interface"] = false
	services, targets := []any{}, []any{}
	for _, r := range with {
		switch r.Kind {
		case kindPublic:
			request["public_interface"] = true
		case kindNetwork:
			request["network"] = fieldNetwork.Of(r)
		case kindTarget:
			targets = append(targets, body(r, targetFields...))
		case kindService:
			services = append(services, body(r, serviceFields...))
		}
	}
	labels := fieldLabels.Of(wanted)
	request["labels"], request["services"], request["targets"] = labels, services, targets
	answer, err := w.send(ctx, http.MethodPost, "/load_balancers", request)
	made := answer.LoadBalancer
	if made.ID == 0 {
		return "", cmp.Or(refusedTargets(err, with), missing("creating the load balancer"))
	}
	asked := cloud.NameAndTags{Name: fieldName.Of(wanted), Tags: cloud.LabelTexts(labels)}
	if another := cloud.AnswersCreation(strconv.FormatInt(made.ID, 10), asked, cloud.NameAndTags{Name: made.Name, Tags: cloud.LabelTexts(made.Labels)}); another != nil {
		return "", another
	}
	return strconv.FormatInt(made.ID, 10), err
}

// update changes fields of a load balancer: name and labels together, any other by itself.
func (w writer) update(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	wanted.ID = present.ID
	request := map[string]any{}
	for _, field := range fields {
		switch field {
		case fieldType.Name():
			return w.act(ctx, wanted, "change_type", body(wanted, fieldType))
		case fieldAlgorithm.Name():
			return w.act(ctx, wanted, "change_algorithm", map[string]any{"type": fieldAlgorithm.Of(wanted)})
		case fieldName.Name():
			request[field] = fieldName.Of(wanted)
		case fieldLabels.Name():
			request[field] = fieldLabels.Of(wanted)
		}
	}
	answer, err := w.send(ctx, http.MethodPut, "/load_balancers/"+present.ID, request)
	if err == nil && answer.LoadBalancer.ID == 0 {
		return missing("changing the load balancer")
	}
	return taken(err, desired.Name, wanted)
}

// act makes an action of the load balancer that a resource belongs to.
func (w writer) act(ctx context.Context, r cloud.Resource, action string, body map[string]any) error {
	id := cmp.Or(fieldBalancer.Of(r).ID, r.ID) // the latter of the load balancer itself
	_, err := w.send(ctx, http.MethodPost, "/load_balancers/"+id+"/actions/"+action, body)
	return err
}

// action makes a part of a load balancer by an action with these fields.
func (w writer) action(action string, fields ...cloud.AnyField) func(context.Context, cloud.Resource, []cloud.Resource) (string, error) {
	return func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
		return wanted.Key, w.act(ctx, wanted, action, body(wanted, fields...))
	}
}

// undo takes a part of a load balancer away. What is not there is as good.
func (w writer) undo(action string, fields ...cloud.AnyField) func(context.Context, cloud.Resource) error {
	return func(ctx context.Context, present cloud.Resource) error {
		if err := w.act(ctx, present, action, body(present, fields...)); !api.IsNotFound(err) {
			return err
		}
		return nil
	}
}

// updateService changes fields of a service in one request.
func (w writer) updateService(ctx context.Context, _, wanted cloud.Resource, fields []string) error {
	request := append(named(wanted, fields), fieldListenPort)
	if slices.Contains(fields, fieldCertificates.Name()) {
		request = append(request, fieldHTTP)
	}
	return w.act(ctx, wanted, "update_service", body(wanted, request...))
}

// updateReverse names an address.
func (w writer) updateReverse(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
	return w.act(ctx, wanted, "change_dns_ptr", body(wanted, reverseFields...))
}
