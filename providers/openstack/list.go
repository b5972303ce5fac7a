package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/gophercloud/gophercloud/v2"
)

// errUnreadable is an answer that is well-formed but not what the API answers: an object or
// a list is missing from it.
var errUnreadable = errors.New("the answer of the API lacks what was asked for")

// get reads one object.
func get[T any](ctx context.Context, c *gophercloud.ServiceClient, path, key string) (object T, header http.Header, err error) {
	var body map[string]json.RawMessage
	response, err := c.Get(ctx, c.ServiceURL(path), &body, nil)
	if err != nil {
		return object, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if err := decode(body, key, &object); err != nil {
		return object, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return object, response.Header, nil
}

// list reads all pages of a list.
func list[T any](ctx context.Context, c *gophercloud.ServiceClient, path, key string, query url.Values) ([]T, error) {
	var all []T
	for next := query; next != nil; {
		var body map[string]json.RawMessage
		if _, err := c.Get(ctx, c.ServiceURL(path)+"?"+next.Encode(), &body, nil); err != nil {
			return nil, fmt.Errorf("listing %s: %w", key, err)
		}
		var page []T
		if err := decode(body, key, &page); err != nil {
			return nil, fmt.Errorf("listing %s: %w", key, err)
		}
		all = append(all, page...)
		var err error
		if next, err = nextPage(body[key+"_links"], next); err != nil {
			return nil, fmt.Errorf("listing %s: %w", key, err)
		}
	}
	return all, nil
}

func decode(body map[string]json.RawMessage, key string, into any) error {
	raw, ok := body[key]
	if !ok || string(raw) == "null" {
		return errUnreadable
	}
	return json.Unmarshal(raw, into)
}

// nextPage returns the query of the next page, nil after the last. Only the query of the link
// counts: behind a proxy the rest of it may lead elsewhere.
func nextPage(links json.RawMessage, present url.Values) (url.Values, error) {
	var list []struct{ Rel, Href string }
	if len(links) > 0 {
		if err := json.Unmarshal(links, &list); err != nil {
			return nil, err
		}
	}
	for _, link := range list {
		if link.Rel != "next" {
			continue
		}
		target, err := url.Parse(link.Href)
		if err != nil {
			return nil, err
		}
		next := target.Query()
		if next.Get("marker") == present.Get("marker") {
			return nil, errUnreadable // it would go on for ever
		}
		return next, nil
	}
	return nil, nil
}
