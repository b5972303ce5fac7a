package openstack_test

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// object is an object of any API.
type object = map[string]any

func text(o object, field string) string {
	value, _ := o[field].(string)
	return value
}

// call makes a request that has to succeed; deleting what is gone does. It also does when the
// test is over.
func (c *control) call(client *gophercloud.ServiceClient, method, path string, body any) object {
	c.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), patience)
	defer cancel()
	var answer object
	options := &gophercloud.RequestOpts{JSONBody: body, OkCodes: []int{200, 201, 202, 204}}
	if method == http.MethodGet || method == http.MethodPost { // others need not have one
		options.JSONResponse = &answer
	}
	_, err := client.Request(ctx, method, client.ServiceURL(path), options)
	if err != nil && (method != http.MethodDelete || !gophercloud.ResponseCodeIs(err, http.StatusNotFound)) {
		c.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// make makes an object and returns its id.
func (c *control) make(client *gophercloud.ServiceClient, path, one string, body object) string {
	c.Helper()
	made, _ := c.call(client, http.MethodPost, path, object{one: body})[one].(object)
	return text(made, "id")
}

// all lists objects.
func (c *control) all(client *gophercloud.ServiceClient, path, field string, query url.Values) (list []object) {
	c.Helper()
	found, _ := c.call(client, http.MethodGet, path+"?"+query.Encode(), nil)[field].([]any)
	for _, one := range found {
		list = append(list, one.(object))
	}
	return list
}

// patience bounds what a real cloud takes on a machine that has other things to do too.
const patience = 5 * time.Minute

func (c *control) wait(what string, done func() bool) {
	c.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(250 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Fatalf("waited in vain until %s", what)
		}
	}
}
