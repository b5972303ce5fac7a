package openstack

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gophercloud/gophercloud/v2"
	sdk "github.com/gophercloud/gophercloud/v2/openstack"
)

// Cloud are the clients of one user in one project.
type Cloud struct {
	Provider   *gophercloud.ProviderClient
	Identity   *gophercloud.ServiceClient
	Compute    *gophercloud.ServiceClient
	Network    *gophercloud.ServiceClient
	Image      *gophercloud.ServiceClient
	Balancer   *gophercloud.ServiceClient
	KeyManager *gophercloud.ServiceClient
}

// Connect authenticates at authURL, which may be that of a relay.
func Connect(ctx context.Context, authURL string, auth gophercloud.AuthOptions) (*Cloud, error) {
	auth.IdentityEndpoint, auth.AllowReauth = authURL, true
	provider, err := sdk.AuthenticatedClient(ctx, auth)
	if err != nil {
		return nil, fmt.Errorf("authenticating at %s: %w", authURL, err)
	}
	c := &Cloud{Provider: provider}
	for _, service := range []struct {
		client **gophercloud.ServiceClient
		make   func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)
	}{
		{&c.Identity, sdk.NewIdentityV3},
		{&c.Compute, sdk.NewComputeV2},
		{&c.Network, sdk.NewNetworkV2},
		{&c.Image, sdk.NewImageV2},
		{&c.Balancer, sdk.NewLoadBalancerV2},
		{&c.KeyManager, sdk.NewKeyManagerV1},
	} {
		if *service.client, err = service.make(provider, gophercloud.EndpointOpts{Region: Region}); err != nil {
			return nil, fmt.Errorf("making a client: %w", err)
		}
	}
	return c, nil
}

// object is any JSON object of an API.
type object = map[string]any

// list reads a list that the lab never pages.
func list(ctx context.Context, client *gophercloud.ServiceClient, path, field string, query url.Values) ([]object, error) {
	target := client.ServiceURL(path)
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var body map[string]any
	if _, err := client.Get(ctx, target, &body, nil); err != nil {
		return nil, fmt.Errorf("listing %s: %w", path, err)
	}
	items, ok := body[field].([]any)
	if !ok {
		return nil, fmt.Errorf("listing %s: the answer has no list %q", path, field)
	}
	objects := make([]object, len(items))
	for i, item := range items {
		if objects[i], ok = item.(object); !ok {
			return nil, fmt.Errorf("listing %s: %v is no object", path, item)
		}
	}
	return objects, nil
}

// post creates an object: body is wrapped in, and the answer taken out of, the field one.
func post(ctx context.Context, client *gophercloud.ServiceClient, path, one string, body object) (object, error) {
	var answer map[string]object
	_, err := client.Post(ctx, client.ServiceURL(path), object{one: body}, &answer,
		&gophercloud.RequestOpts{OkCodes: []int{200, 201, 202}})
	if err != nil {
		return nil, fmt.Errorf("creating a %s: %w", one, err)
	}
	return answer[one], nil
}

// put changes an object; body may be nil.
func put(ctx context.Context, client *gophercloud.ServiceClient, path string, body any) error {
	_, err := client.Put(ctx, client.ServiceURL(path), body, nil,
		&gophercloud.RequestOpts{OkCodes: []int{200, 201, 202, 204}})
	if err != nil {
		return fmt.Errorf("changing %s: %w", path, err)
	}
	return nil
}

// remove deletes an object; one that is gone is fine.
func remove(ctx context.Context, client *gophercloud.ServiceClient, path string) error {
	_, err := client.Delete(ctx, client.ServiceURL(path), nil)
	if err != nil && !gophercloud.ResponseCodeIs(err, 404) {
		return fmt.Errorf("deleting %s: %w", path, err)
	}
	return nil
}

// text is a field that is text.
func text(o object, field string) string {
	s, _ := o[field].(string)
	return s
}
