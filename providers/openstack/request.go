package openstack

import (
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
)

// okPut are the statuses of a change that was made; the SDK expects only some of them.
var okPut = &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}}

// remove deletes an object. One that is gone already is as good.
func remove(ctx context.Context, c *gophercloud.ServiceClient, path ...string) error {
	_, err := c.Delete(ctx, c.ServiceURL(path...), nil)
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// get reads one object, which the answer has under that name.
func get[T any](ctx context.Context, c *gophercloud.ServiceClient, name string, path ...string) (object T, header http.Header, err error) {
	var answer map[string]*T
	response, err := c.Get(ctx, c.ServiceURL(path...), &answer, nil)
	if err != nil {
		return object, nil, err
	}
	if answer[name] == nil {
		return object, nil, errUnreadable
	}
	return *answer[name], response.Header, nil
}
