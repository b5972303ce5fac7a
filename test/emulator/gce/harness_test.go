package gce_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/api/compute/v1"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

const (
	project = "test-project"
	zone    = "us-central1-a"
	region  = "us-central1"
)

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// vendor is the vendor's library, pointed at an emulator.
type vendor struct {
	*compute.Service
	t   *testing.T
	url string
}

// start serves an emulator for one test.
func start(t *testing.T, options gce.Options) (*gce.Server, *vendor) {
	t.Helper()
	server := gce.New(options)
	t.Cleanup(server.Close)
	url, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return server, client(t, url, "test-token")
}

func client(t *testing.T, url, token string) *vendor {
	t.Helper()
	service, err := compute.NewService(t.Context(), option.WithEndpoint(url+"/compute/v1/"), option.WithHTTPClient(&http.Client{Transport: bearer(token)}))
	if err != nil {
		t.Fatal(err)
	}
	return &vendor{service, t, url}
}

// call is a method of the library that writes.
type call interface {
	Do(...googleapi.CallOption) (*compute.Operation, error)
}

// done sends a write and waits for its operation.
func (v *vendor) done(c call) *compute.Operation {
	v.t.Helper()
	op, err := c.Do()
	if err != nil {
		v.t.Fatal(err)
	}
	op = v.wait(v.t.Context(), op)
	if op.Error != nil {
		v.t.Fatalf("%s %s: %+v", op.OperationType, op.TargetLink, op.Error.Errors[0])
	}
	return op
}

func (v *vendor) wait(ctx context.Context, op *compute.Operation) *compute.Operation {
	v.t.Helper()
	var err error
	switch {
	case op.Zone != "":
		op, err = v.ZoneOperations.Wait(project, last(op.Zone), op.Name).Context(ctx).Do()
	case op.Region != "":
		op, err = v.RegionOperations.Wait(project, last(op.Region), op.Name).Context(ctx).Do()
	default:
		op, err = v.GlobalOperations.Wait(project, op.Name).Context(ctx).Do()
	}
	if err != nil {
		v.t.Fatal(err)
	}
	if op.Status != "DONE" {
		v.t.Fatalf("operation %s is %s", op.Name, op.Status)
	}
	return op
}

// refused sends a write that must be refused and returns the reason.
func (v *vendor) refused(c call) *googleapi.Error {
	v.t.Helper()
	_, err := c.Do()
	return refusal(v.t, err)
}

func refusal(t *testing.T, err error) *googleapi.Error {
	t.Helper()
	var refused *googleapi.Error
	if !errors.As(err, &refused) {
		t.Fatalf("not refused: %v", err)
	}
	return refused
}

func last(link string) string { return link[strings.LastIndexByte(link, '/')+1:] }

func is(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// must returns a result of the library.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
