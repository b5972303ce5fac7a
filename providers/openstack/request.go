package openstack

import (
	"context"
	"net/http"
	"strconv"

	"github.com/gophercloud/gophercloud/v2"
)

// get reads an object or a list into answer.
func get(ctx context.Context, client *gophercloud.ServiceClient, url string, answer any) error {
	_, err := client.Get(ctx, url, answer, nil) //nolint:bodyclose // gophercloud closes it
	return err
}

// put writes an object that nobody changed since this revision of Neutron; 0 is any.
func put(ctx context.Context, client *gophercloud.ServiceClient, url string, body any, revision int) error {
	opts := &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}}
	if revision > 0 {
		opts.MoreHeaders = map[string]string{"If-Match": "revision_number=" + strconv.Itoa(revision)}
	}
	_, err := client.Put(ctx, url, body, nil, opts) //nolint:bodyclose // gophercloud closes it
	return err
}
