package client

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/dryrun"
)

// Builder gives the controllers decorated clients.
type Builder struct {
	Next cloudprovider.ControllerClientBuilder
	// Decisions are which Nodes may be deleted; Mine are those that we touch at all.
	Decisions *Decisions
	Mine      func(*corev1.Node) bool
	// Quiet says which events of the controllers are dropped.
	Quiet func(*corev1.Event) bool
	// Mute says which events come from a recorder that sends no others, none when nil. It is left waiting until
	// Stopping, and drops what does not fit into its queue. Dropping each of its events would not do: it remembers
	// every one three times before it comes here, which are 5 MB with 5,000 Nodes.
	Mute     func(*corev1.Event) bool
	Stopping <-chan struct{}
	// ReadOnly turns every write into a dry run.
	ReadOnly bool
}

var _ cloudprovider.ControllerClientBuilder = (*Builder)(nil)

// Config implements [cloudprovider.ControllerClientBuilder].
func (b *Builder) Config(name string) (*rest.Config, error) {
	config, err := b.Next.Config(name)
	if err == nil && b.ReadOnly {
		config.Wrap(dryrun.Transport)
	}
	return config, err
}

// ConfigOrDie implements [cloudprovider.ControllerClientBuilder].
func (b *Builder) ConfigOrDie(name string) *rest.Config {
	config, err := b.Config(name)
	if err != nil {
		//nolint:forbidigo // the interface has no other way to say it
		klog.Fatalf("Building the client configuration of %s: %v", name, err)
	}
	return config
}

// Client implements [cloudprovider.ControllerClientBuilder].
func (b *Builder) Client(name string) (kubernetes.Interface, error) {
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
	return b.Decorate(inner, events), nil
}

// Decorate returns a client that writes through inner, and events through the other.
func (b *Builder) Decorate(inner, events kubernetes.Interface) kubernetes.Interface {
	return &client{Interface: inner, core: core{CoreV1Interface: inner.CoreV1(), events: events.CoreV1(), builder: b}}
}

// ClientOrDie implements [cloudprovider.ControllerClientBuilder].
func (b *Builder) ClientOrDie(name string) kubernetes.Interface {
	c, err := b.Client(name)
	if err != nil {
		klog.Fatal(err) //nolint:forbidigo // the interface has no other way to say it
	}
	return c
}
