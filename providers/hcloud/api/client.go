// Package api makes requests to the cloud API: it authorizes them, joins pages, follows actions and
// says what errors mean.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// New returns a client of the cloud API on the kernel's transport, which limits, measures and bounds
// every request. Nothing is retried here, and nothing waits.
func New(c cloud.Config, s config.Settings) *hcloud.Client {
	name, version, _ := strings.Cut(c.UserAgent, "/")
	return hcloud.NewClient(
		hcloud.WithHTTPClient(cloud.NewClient(cloud.WithToken(whole{Answers{c.Transport}}, config.EnvToken, c.Secret))),
		hcloud.WithEndpoint(s.Endpoint.String()),
		hcloud.WithApplication(name, version),
		hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}),
	)
}

// Answers makes errors of answers that are not the API's, nor Robot's, such as those of a proxy: these begin with the same
// object, and the client would keep of others nothing but a text.
type Answers struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper. The body of an error is read whole, and there from its start.
func (a Answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.Next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusMultipleChoices {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	var said struct{ Error struct{ Code string } }
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") || json.Unmarshal(body, &said) != nil || said.Error.Code == "" {
		return nil, &cloud.Error{
			Failure: cloud.Refusal(cloud.ClassOfStranger(response.StatusCode), response.Header), Op: "something else than the API answered",
			Err: fmt.Errorf("%d %s", response.StatusCode, http.StatusText(response.StatusCode)),
		}
	}
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response, nil
}

// whole makes errors of answers that lack what was asked for: the client makes an empty list, or nothing, of any object.
type whole struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper. The body of what is read is read whole, and there from its start.
func (w whole) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(request)
	if err != nil || request.Method != http.MethodGet || response.StatusCode != http.StatusOK {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	var said map[string]json.RawMessage
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, err
	}
	if value, there := said[asked(request.URL.Path)]; !there || string(value) == "null" {
		return nil, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: "GET " + request.URL.Path, Err: cloud.ErrIncomplete}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// asked is the key of what a path asks for: that of a list is its last part, and that of one object the singular of what stands
// before its id.
func asked(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if _, one := ID(last); one {
		return strings.TrimSuffix(parts[len(parts)-2], "s")
	}
	return last
}

// MaxPage is the largest page the API serves.
const MaxPage = 50

// ID reads the id of an object as Hetzner writes it: without sign and leading zeros.
func ID(text string) (id int64, ok bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0 && text == strconv.FormatInt(id, 10)
}

// Pages reads all pages. An error of any page is an error of the whole.
func Pages[T any](read func(hcloud.ListOpts) ([]T, *hcloud.Response, error)) (cloud.Listing[T], error) {
	return cloud.NumberedPages(func(page int) (p cloud.NumberedPage[T], err error) {
		items, response, err := read(hcloud.ListOpts{Page: page, PerPage: MaxPage})
		if err != nil {
			return p, err
		}
		said := response.Meta.Pagination
		if said == nil {
			// The client makes an empty list of any answer; the API always says how many pages there are.
			return p, cloud.ErrIncomplete
		}
		return cloud.NumberedPage[T]{Items: items, Total: said.TotalEntries, Last: said.NextPage == 0}, nil
	})
}
