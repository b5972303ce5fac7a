package openstack

import (
	"context"
	"net/http"
	"strconv"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// get reads an object or a list into answer.
func get(ctx context.Context, client *gophercloud.ServiceClient, url string, answer any) (http.Header, error) {
	response, err := client.Get(ctx, url, answer, nil)
	if err != nil {
		return nil, err
	}
	return response.Header, nil
}

// getOne reads one object, which the answer has under that name.
func getOne[T any](ctx context.Context, client *gophercloud.ServiceClient, name string, path ...string) (object T, header http.Header, err error) {
	var answer map[string]*T
	header, err = get(ctx, client, client.ServiceURL(path...), &answer)
	if err == nil && answer[name] == nil {
		err = errUnreadable
	}
	if err != nil {
		return object, nil, err
	}
	return *answer[name], header, nil
}

// put writes an object that nobody changed since this revision of Neutron; 0 is any.
func put(ctx context.Context, client *gophercloud.ServiceClient, url string, body any, revision int) error {
	opts := &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}}
	if revision > 0 {
		opts.MoreHeaders = map[string]string{"If-Match": "revision_number=" + strconv.Itoa(revision)}
	}
	_, err := client.Put(ctx, url, body, nil, opts)
	return err
}

// okPut says which statuses a change that was made has; the library expects only some of them. It
// writes body and answer into the options, so every request has its own.
func okPut() *gophercloud.RequestOpts {
	return &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}}
}

// remove deletes an object. One that is gone already is as good, if the API itself says so.
func remove(ctx context.Context, client *gophercloud.ServiceClient, path ...string) error {
	_, err := client.Delete(ctx, client.ServiceURL(path...), nil)
	if classify(err).Class == cloud.FailureNotFound {
		return nil
	}
	return err
}
