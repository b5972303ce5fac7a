package api

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Get reads an object or a list into answer.
func Get(ctx context.Context, client *gophercloud.ServiceClient, url string, answer any) (http.Header, error) {
	response, err := client.Get(ctx, url, answer, nil)
	if err != nil {
		return nil, err
	}
	return response.Header, nil
}

// GetOne reads one object, which the answer has under that name.
func GetOne[T any](ctx context.Context, client *gophercloud.ServiceClient, name string, path ...string) (object T, header http.Header, err error) {
	var answer map[string]*T
	header, err = Get(ctx, client, client.ServiceURL(path...), &answer)
	if err == nil && answer[name] == nil {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return object, nil, err
	}
	return *answer[name], header, nil
}

// Put writes an object that nobody changed since this revision of Neutron; 0 is any.
func Put(ctx context.Context, client *gophercloud.ServiceClient, url string, body any, revision int) error {
	opts := &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}}
	if revision > 0 {
		opts.MoreHeaders = map[string]string{"If-Match": "revision_number=" + strconv.Itoa(revision)}
	}
	_, err := client.Put(ctx, url, body, nil, opts)
	return err
}

// Changed says which statuses a change that was made has; the library expects only some of them. It
// writes body and answer into the options, so every request has its own.
func Changed() *gophercloud.RequestOpts {
	return &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}}
}

// Remove deletes an object. One that is gone already is as good, if the API itself says so.
func Remove(ctx context.Context, client *gophercloud.ServiceClient, path ...string) error {
	_, err := client.Delete(ctx, client.ServiceURL(path...), nil)
	if Classify(err).Class == cloud.FailureNotFound {
		return nil
	}
	return err
}

// Clock returns the time of an answer by the API's clock, zero when it does not tell.
func Clock(header http.Header) time.Time {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at
}

// UUID is the form of all ids of Nova. An id of any other form cannot be one of its servers,
// which its answer "not found" would hide.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
