package api

import (
	"context"
	"net/http"
	"reflect"
	"strconv"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Post makes an object, which the request has under that name, and reads the answer unless that is nil.
func Post(ctx context.Context, client *gophercloud.ServiceClient, name string, body, answer any, path ...string) error {
	_, err := client.Post(ctx, client.ServiceURL(path...), map[string]any{name: body}, answer, changed())
	return err
}

// Create makes an object likewise, and returns its id. An answer that is none of the API says that nothing was made.
func Create(ctx context.Context, client *gophercloud.ServiceClient, name string, body any, path ...string) (string, error) {
	var answer map[string]struct {
		ID string `json:"id"`
	}
	err := Post(ctx, client, name, body, &answer, path...)
	return answer[name].ID, err
}

// Update changes an object, which the request has under that name.
func Update(ctx context.Context, client *gophercloud.ServiceClient, name string, body any, path ...string) error {
	return UpdateAt(ctx, client, 0, name, body, path...)
}

// UpdateAt changes an object that nobody has changed since this revision of Neutron; 0 is any.
func UpdateAt(ctx context.Context, client *gophercloud.ServiceClient, revision int, name string, body any, path ...string) error {
	options := changed()
	if revision > 0 {
		options.MoreHeaders = map[string]string{"If-Match": "revision_number=" + strconv.Itoa(revision)}
	}
	_, err := client.Put(ctx, client.ServiceURL(path...), map[string]any{name: body}, nil, options)
	return err
}

// changed says which statuses a change that was made has; the library expects only some of them. It
// writes body and answer into the options, so every request has its own.
func changed() *gophercloud.RequestOpts {
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

// ForCreation leaves out what has its default: a field of no value is only sent to take one away.
func ForCreation(fields cloud.Fields) map[string]any {
	body := map[string]any{}
	for _, field := range fields.All() {
		if value := field.Any(); !isNone(value) {
			body[field.Name()] = value
		}
	}
	return body
}

// isNone reports whether a value is none. 0 and false are values.
func isNone(value any) bool {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer:
		return v.IsNil()
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() == 0
	}
	return value == cloud.Reference{}
}
