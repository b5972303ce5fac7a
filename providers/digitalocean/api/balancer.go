package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/digitalocean/godo"
)

// LoadBalancers are the requests about load balancers.
type LoadBalancers struct {
	godo.LoadBalancersService
	client *godo.Client
}

// NewLoadBalancers returns those of a client.
func NewLoadBalancers(client *godo.Client) LoadBalancers {
	return LoadBalancers{client.LoadBalancers, client}
}

// List reads a page of all balancers, one at a time. Each names all of its droplets, thousands of them, and the SDK
// holds the text of the whole page while it decodes it.
func (l LoadBalancers) List(ctx context.Context, o *godo.ListOptions) ([]godo.LoadBalancer, *godo.Response, error) {
	request, err := l.client.NewRequest(ctx, http.MethodGet, fmt.Sprintf("/v2/load_balancers?page=%d&per_page=%d", o.Page, o.PerPage), nil)
	if err != nil {
		return nil, nil, err
	}
	response, err := l.client.DoStream(ctx, request)
	if err != nil {
		return nil, response, err
	}
	defer func() {
		_, _ = io.CopyN(io.Discard, response.Body, 1<<10) // to its end, so that the connection serves again
		response.Body.Close()
	}()
	all, err := decodePage(json.NewDecoder(response.Body), response)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return all, response, err
}

// decodePage reads the object of a page, nil when it has no list. Links and the count are for the response.
func decodePage(d *json.Decoder, response *godo.Response) (all []godo.LoadBalancer, err error) {
	if err := expect(d, json.Delim('{')); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch key {
		case "load_balancers":
			all, err = elements(d)
		case "links":
			err = d.Decode(&response.Links)
		case "meta":
			err = d.Decode(&response.Meta)
		default:
			err = d.Decode(new(json.RawMessage))
		}
		if err != nil {
			return nil, err
		}
	}
	return all, expect(d, json.Delim('}'))
}

// elements reads a list of balancers, nil for null.
func elements(d *json.Decoder) ([]godo.LoadBalancer, error) {
	switch begin, err := d.Token(); {
	case err != nil:
		return nil, err
	case begin == nil:
		return nil, nil
	case begin != json.Delim('['):
		return nil, fmt.Errorf("decoding balancers: %v instead of a list", begin)
	}
	all := []godo.LoadBalancer{}
	droplets := 0 // of the one before: most have as many, and a list that grows takes three times its memory
	for d.More() {
		all = append(all, godo.LoadBalancer{DropletIDs: make([]int, 0, droplets)})
		next := &all[len(all)-1]
		if err := d.Decode(next); err != nil {
			return nil, err
		}
		droplets = len(next.DropletIDs)
	}
	return all, expect(d, json.Delim(']'))
}

func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("decoding balancers: %v instead of %v", got, want)
	}
	return err
}
