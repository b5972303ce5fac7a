package octavia

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// storeBarbican is the container store whose references can be checked.
const storeBarbican = "barbican"

// exploreTLS looks for the certificate that a Service names, unless a listener has it already.
func (d *Balancers) exploreTLS(ctx context.Context, s *object.Snapshot, facts map[string]string, spec cloud.Spec) {
	ref := option.TLS.In(spec.Options)
	inUse := slices.ContainsFunc(s.Listeners, func(l object.Listener) bool { return l.TLSRef == ref })
	if ref == "" || inUse || d.Config.ContainerStore != storeBarbican {
		return
	}
	if d.secrets == nil {
		facts[desired.LookupTLS] = "the cloud has no key manager; set container-store = external in [LoadBalancer] to use references unchecked"
		return
	}
	kind, id, ok := parseTLSRef(ref)
	if !ok {
		facts[desired.LookupTLS] = "want the reference of a container or a secret, such as https://host/v1/containers/<uuid>"
		return
	}
	_, err := api.Get(ctx, d.secrets, d.secrets.ServiceURL(kind, id), nil)
	switch {
	case api.IsNotFound(err):
		facts[desired.LookupTLS] = "the key manager has nothing of this name"
	case err != nil:
		facts[desired.LookupTLS] = "the key manager does not show it: " + string(api.Classify(err).Class)
	}
}

// parseTLSRef splits https://host/v1/containers/<uuid>.
func parseTLSRef(ref string) (kind, id string, ok bool) {
	u, err := url.Parse(ref)
	if err != nil || u.Host == "" {
		return "", "", false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) < 3 || parts[len(parts)-3] != "v1" {
		return "", "", false
	}
	kind = parts[len(parts)-2]
	id, isID := option.CheckUUID(parts[len(parts)-1])
	return kind, id, isID && (kind == "containers" || kind == "secrets")
}
