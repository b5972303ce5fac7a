package install

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	digitalOceanToken  = "of-the-secret"
	digitalOceanRegion = "fra1"
)

// DigitalOcean is the emulator of DigitalOcean's API. Its balancers carry no traffic.
type DigitalOcean struct {
	*digitalocean.Server
	// IDs are those of the nodes' droplets, by name.
	IDs map[string]int

	url string
}

// OpenDigitalOcean starts the emulator where nodes can reach it, and puts the token where
// upstream's users have it.
func OpenDigitalOcean(ctx context.Context, c *cluster.Cluster) (*DigitalOcean, error) {
	d := &DigitalOcean{
		Server: digitalocean.New(digitalocean.Options{Token: digitalOceanToken, Region: digitalOceanRegion}),
		IDs:    map[string]int{},
	}
	for _, n := range c.Nodes() {
		droplet := d.Droplets.Seed(1, func(d *digitalocean.Droplet) { d.Name, d.PrivateIPv4 = n.Name(), n.Address().String() })[0]
		d.IDs[n.Name()] = droplet.ID
	}
	_, err := c.Client().CoreV1().Secrets(Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "digitalocean"},
		StringData: map[string]string{"access-token": digitalOceanToken},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("making the Secret: %w", err)
	}
	url, err := d.Listen(c.Gateway().String() + ":0")
	if err != nil {
		return nil, err
	}
	d.url, err = named(url)
	return d, err
}

// Provider implements [Cloud].
func (d *DigitalOcean) Provider() string { return "digitalocean" }

// Arguments implements [Cloud].
func (d *DigitalOcean) Arguments() []string {
	return arguments("digitalocean", "digitalocean.apiURL="+d.url, "digitalocean.region="+digitalOceanRegion, "digitalocean.clusterID=real")
}

// Door implements [Cloud].
func (d *DigitalOcean) Door(string, int32) string { return "" }

// LoadBalancers implements [Cloud]: what there is carries no traffic.
func (d *DigitalOcean) LoadBalancers() []LoadBalancer { return nil }

// DeleteMachine implements [Cloud].
func (d *DigitalOcean) DeleteMachine(string) error { return errors.ErrUnsupported }

// Close implements [Cloud].
func (d *DigitalOcean) Close() { d.Server.Close() }
