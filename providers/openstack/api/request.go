// Package api makes requests to the APIs of OpenStack: objects, lists page by page, and what their
// errors mean. It knows no kind of object.
package api

import (
	"context"
	"net/http"
	"regexp"
	"strings"

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

// GetOne reads the object with the id that ends the path. An answer that is not about it is an error. Ids are
// hexadecimal: users may write them with letters of either case.
func GetOne[T identified](ctx context.Context, client *gophercloud.ServiceClient, name string, path ...string) (T, http.Header, error) {
	object, header, err := GetNamed[T](ctx, client, name, path...)
	if err == nil && !strings.EqualFold(object.Identifier(), path[len(path)-1]) {
		err = cloud.ErrIncomplete
	}
	return object, header, err
}

// GetNamed reads one object, which the answer has under that name.
func GetNamed[T any](ctx context.Context, client *gophercloud.ServiceClient, name string, path ...string) (object T, header http.Header, err error) {
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

// UUID is the form of all ids of Nova. An id of any other form cannot be one of its servers,
// which its answer "not found" would hide.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
