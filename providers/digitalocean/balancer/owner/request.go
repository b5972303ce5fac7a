package owner

import (
	"context"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
)

// Client makes the requests about ownership tags.
type Client struct{ API godo.TagsService }

// Put puts a tag on a balancer. The API refuses a tag that nothing ever had, so one that only
// this Service can have is made first, and one of the whole cluster only where it has to be.
func (c Client) Put(ctx context.Context, tag, id string) error {
	request := &godo.TagResourcesRequest{Resources: resources(id)}
	if !strings.HasPrefix(tag, prefixService) {
		if _, err := c.API.TagResources(ctx, tag, request); !api.IsNotFound(err) {
			return err
		}
	}
	if _, _, err := c.API.Create(ctx, &godo.TagCreateRequest{Name: tag}); err != nil {
		return err
	}
	_, err := c.API.TagResources(ctx, tag, request)
	return err
}

// Remove takes a tag from a balancer.
func (c Client) Remove(ctx context.Context, tag, id string) error {
	_, err := c.API.UntagResources(ctx, tag, &godo.UntagResourcesRequest{Resources: resources(id)})
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

func resources(id string) []godo.Resource {
	return []godo.Resource{{ID: id, Type: godo.LoadBalancerResourceType}}
}

// Carriers returns how many things of the account have the Service's tag; -1 is not known, or no such tag.
func (c Client) Carriers(ctx context.Context, owner cloud.Owner) int {
	found, _, err := c.API.Get(ctx, Service(owner))
	if err != nil || found == nil || found.Resources == nil {
		return -1
	}
	return found.Resources.Count
}

// Drop deletes the Service's tag. One that nothing carries costs nothing, so that may fail.
func (c Client) Drop(ctx context.Context, owner cloud.Owner) {
	_, _ = c.API.Delete(ctx, Service(owner))
}
