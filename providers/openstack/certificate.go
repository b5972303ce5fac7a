package openstack

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// storeBarbican is the container store whose references can be checked.
const storeBarbican = "barbican"

// exploreTLS looks for the certificate that a Service names, unless a listener has it already. A
// certificate that is not there is the Service's problem; that we can't look is the cloud's.
func (d *Driver) exploreTLS(ctx context.Context, s *snapshot, facts map[string]string, spec cloud.Spec) error {
	ref := keyTLS.In(spec.Options)
	inUse := slices.ContainsFunc(s.listeners, func(l listener) bool { return l.TLSRef == ref })
	if ref == "" || inUse || d.config.balancer.containerStore != storeBarbican {
		return nil
	}
	if d.secrets == nil {
		facts[factTLS] = "the cloud has no key manager; set container-store = external in [LoadBalancer] to use references unchecked"
		return nil
	}
	kind, id, ok := parseTLSRef(ref)
	if !ok {
		facts[factTLS] = "want the reference of a container or a secret, such as https://host/v1/containers/<uuid>"
		return nil
	}
	_, err := d.secrets.Get(ctx, d.secrets.ServiceURL(kind, id), nil, nil)
	switch {
	case d.isNotFound(err):
		facts[factTLS] = "the key manager has nothing of this name"
	case err != nil:
		return fmt.Errorf("reading the certificate %s: %w", ref, err)
	}
	return nil
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
	kind, id = parts[len(parts)-2], parts[len(parts)-1]
	_, isID := checkUUID(id)
	return kind, id, isID && (kind == "containers" || kind == "secrets")
}
