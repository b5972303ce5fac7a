package openstack

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// roles are those of a user with load balancers and secrets.
var roles = []string{"member", "reader", "load-balancer_member", "creator"}

// waitLimit bounds the cleaning up of a project.
const waitLimit = 5 * time.Minute

// ProjectOptions change what NewProject makes.
type ProjectOptions struct {
	// IPv6 adds a SLAAC subnet, fd00:1::/64.
	IPv6 bool
	// CIDR is the IPv4 subnet, 10.0.0.0/16 when empty.
	CIDR string
	// NoRouter leaves the network without a way out, so that no floating IP can be attached.
	NoRouter bool
}

// Project is a project with one user and one network.
type Project struct {
	*Lab
	// Cloud acts as the project's user.
	*Cloud

	ID, Name, UserID                         string
	NetworkID, SubnetID, Subnet6ID, RouterID string
	// ExternalID is the network of floating IPs.
	ExternalID string
	// User is the password login of the user, who has the name of the project.
	User gophercloud.AuthOptions
	// Credential is the same user's application credential.
	Credential gophercloud.AuthOptions

	clones []string
}

// NewProject makes a project with a user, an application credential, a network 10.0.0.0/16
// and a router to the external network. All in it is deleted when the test ends.
func NewProject(t testing.TB, o ProjectOptions) *Project {
	t.Helper()
	p, err := Require(t).OpenProject(t.Context(), o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("cleaning the project up: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// OpenProject is NewProject for programs that are no tests. The project has to be closed,
// also after an error.
func (l *Lab) OpenProject(ctx context.Context, o ProjectOptions) (*Project, error) {
	p := &Project{Lab: l, Name: "test-" + rand.Text()[:10]}
	if err := p.makeUser(ctx); err != nil {
		return p, fmt.Errorf("making a project: %w", err)
	}
	if err := p.makeNetwork(ctx, o); err != nil {
		return p, fmt.Errorf("making the network of a project: %w", err)
	}
	return p, nil
}

// Close deletes the project with all that is in it.
func (p *Project) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	return p.destroy(ctx)
}

func (p *Project) makeUser(ctx context.Context) error {
	identity := p.Admin.Identity
	project, err := post(ctx, identity, "projects", "project", object{"name": p.Name, "domain_id": Domain})
	if err != nil {
		return err
	}
	p.ID = text(project, "id")
	user, err := post(ctx, identity, "users", "user", object{"name": p.Name, "domain_id": Domain, "password": Password})
	if err != nil {
		return err
	}
	p.UserID = text(user, "id")
	if err := p.assignRoles(ctx); err != nil {
		return err
	}
	p.User = gophercloud.AuthOptions{Username: p.Name, Password: Password, TenantID: p.ID, DomainID: Domain}
	if p.Cloud, err = Connect(ctx, AuthURL, p.User); err != nil {
		return err
	}
	return p.makeCredential(ctx)
}

func (p *Project) assignRoles(ctx context.Context) error {
	identity := p.Admin.Identity
	for _, name := range roles {
		found, err := list(ctx, identity, "roles", "roles", url.Values{"name": {name}})
		if err != nil || len(found) != 1 {
			return fmt.Errorf("looking for the role %s: found %d: %w", name, len(found), err)
		}
		path := fmt.Sprintf("projects/%s/users/%s/roles/%s", p.ID, p.UserID, text(found[0], "id"))
		if err := put(ctx, identity, path, nil); err != nil {
			return err
		}
	}
	return nil
}

// makeCredential makes the application credential. While several projects are being made keystone
// sometimes does not see roles that it has assigned; assigning them again makes it look.
func (p *Project) makeCredential(ctx context.Context) error {
	return until(ctx, "the roles of "+p.Name, func() (bool, error) {
		credential, err := post(ctx, p.Identity, "users/"+p.UserID+"/application_credentials", "application_credential", object{"name": "ccm"})
		if gophercloud.ResponseCodeIs(err, http.StatusBadRequest) {
			return false, p.assignRoles(ctx)
		}
		p.Credential = gophercloud.AuthOptions{
			ApplicationCredentialID:     text(credential, "id"),
			ApplicationCredentialSecret: text(credential, "secret"),
		}
		return err == nil, err
	})
}

func (p *Project) makeNetwork(ctx context.Context, o ProjectOptions) error {
	external, err := list(ctx, p.Network, "networks", "networks", url.Values{"name": {External}})
	if err != nil || len(external) != 1 {
		return fmt.Errorf("looking for the network %s: found %d: %w", External, len(external), err)
	}
	p.ExternalID = text(external[0], "id")
	network, err := post(ctx, p.Network, "networks", "network", object{"name": "nodes"})
	if err != nil {
		return err
	}
	p.NetworkID = text(network, "id")
	if p.SubnetID, err = p.subnet(ctx, object{"name": "nodes", "ip_version": 4, "cidr": cmp.Or(o.CIDR, "10.0.0.0/16")}); err != nil {
		return err
	}
	if o.IPv6 {
		p.Subnet6ID, err = p.subnet(ctx, object{
			"name": "nodes6", "ip_version": 6, "cidr": "fd00:1::/64", "ipv6_address_mode": "slaac", "ipv6_ra_mode": "slaac",
		})
		if err != nil {
			return err
		}
	}
	if o.NoRouter {
		return nil
	}
	router, err := post(ctx, p.Network, "routers", "router", object{
		"name": "nodes", "external_gateway_info": object{"network_id": p.ExternalID},
	})
	if err != nil {
		return err
	}
	p.RouterID = text(router, "id")
	return put(ctx, p.Network, "routers/"+p.RouterID+"/add_router_interface", object{"subnet_id": p.SubnetID})
}

func (p *Project) subnet(ctx context.Context, body object) (string, error) {
	body["network_id"] = p.NetworkID
	subnet, err := post(ctx, p.Network, "subnets", "subnet", body)
	return text(subnet, "id"), err
}

// CloudConf is a cloud.conf for the project's user, who logs in at authURL with a password.
func (p *Project) CloudConf(authURL string) string {
	return fmt.Sprintf(`[Global]
auth-url = %q
region = %q
username = %q
password = %q
user-domain-id = %q
tenant-id = %q
`, authURL, Region, p.User.Username, p.User.Password, p.User.DomainID, p.User.TenantID)
}
