package framework

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"
)

// clientBuilder gives the controllers decorated clients.
type clientBuilder struct {
	next cloudprovider.ControllerClientBuilder
	// core is the decoration; its clients are filled in.
	core core
	// readOnly turns every write into a dry run.
	readOnly bool
}

var _ cloudprovider.ControllerClientBuilder = (*clientBuilder)(nil)

func (b *clientBuilder) Config(name string) (*rest.Config, error) {
	config, err := b.next.Config(name)
	if err == nil && b.readOnly {
		config.Wrap(dryRun)
	}
	return config, err
}

func (b *clientBuilder) ConfigOrDie(name string) *rest.Config {
	config, err := b.Config(name)
	if err != nil {
		//nolint:forbidigo // the interface has no other way to say it
		klog.Fatalf("Building the client configuration of %s: %v", name, err)
	}
	return config
}

func (b *clientBuilder) Client(name string) (kubernetes.Interface, error) {
	config, err := b.Config(name)
	if err != nil {
		return nil, fmt.Errorf("building the client configuration of %s: %w", name, err)
	}
	inner, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("building the client of %s: %w", name, err)
	}
	// Its own client has its own rate limit.
	events, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("building the events client of %s: %w", name, err)
	}
	return b.decorate(inner, events), nil
}

func (b *clientBuilder) decorate(inner, events kubernetes.Interface) kubernetes.Interface {
	decorated := b.core
	decorated.CoreV1Interface, decorated.events = inner.CoreV1(), events.CoreV1()
	return &client{Interface: inner, core: decorated}
}

func (b *clientBuilder) ClientOrDie(name string) kubernetes.Interface {
	c, err := b.Client(name)
	if err != nil {
		klog.Fatal(err) //nolint:forbidigo // the interface has no other way to say it
	}
	return c
}

// dryRun makes the API server check and answer every write without keeping anything, so
// that the controllers go on as if it had happened. The server takes the options of a DELETE
// from its body if there is one, and then ignores the query, so the body is left out.
func dryRun(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			r = r.Clone(r.Context())
			query := r.URL.Query()
			query.Set("dryRun", "All")
			r.URL.RawQuery = query.Encode()
			if r.Method == http.MethodDelete {
				dropBody(r)
			}
		}
		return next.RoundTrip(r)
	})
}

func dropBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
	r.Body, r.GetBody, r.ContentLength = nil, nil, 0
	r.Header.Del("Content-Type")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
