package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// requests is how many are sent in a row: more than there are machines, so that each one
// has its turn.
const requests = 4

// client opens a connection per request, as new clients of the balancer would.
var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// exchange is what came back through the balancer.
type exchange struct {
	nodes string // who answered
	text  string // the last request and its answer
}

// ask sends requests through the balancer. All must be answered.
func ask(ctx context.Context, door string) (exchange, error) {
	var nodes []string
	url := "http://" + door + "/"
	var last string
	for range requests {
		status, body, err := get(ctx, url)
		if err != nil {
			return exchange{}, err
		}
		last = fmt.Sprintf("GET %s → %s %q", url, status, body)
		node, _, _ := strings.Cut(body, " ")
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	return exchange{nodes: strings.Join(slices.Compact(nodes), ", "), text: last}, nil
}

func get(ctx context.Context, url string) (status, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", url, response.Status)
	}
	return response.Status, strings.TrimSpace(string(text)), err
}
