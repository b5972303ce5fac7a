package digitalocean_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	poolLabel    = "example.com/pool"
	poolSelector = poolLabel + "=shared"
	poolTag      = "pool"
	firewallName = "e2e-firewall"

	portable     = "multicloud-ccm.io/"
	upstream     = "service.beta.kubernetes.io/do-loadbalancer-"
	nodeSelector = portable + "node-selector"
	idKey        = "kubernetes.digitalocean.com/load-balancer-id"
)

// serial makes names and values that differ.
var serial atomic.Int64

// What exists from the beginning to the end: the droplets of the pool and a certificate.
var (
	pool        []do.Droplet
	certificate do.Certificate
)

// furnish makes three nodes that are ready and initialised, and the certificate.
func furnish(ctx context.Context) error {
	certificate = env.Cloud.Certificates.Add("web", do.CertificateCustom, "www.example.com")
	seedSpares()
	pool = env.Cloud.Droplets.Seed(3, func(d *do.Droplet) { d.Tags = []string{poolTag} })
	return env.JoinNodes(ctx, nodesOf(pool, "shared"))
}

// nodesOf returns the nodes of droplets, initialised as members of a pool.
func nodesOf(droplets []do.Droplet, label string) []controlplane.NodeOptions {
	var nodes []controlplane.NodeOptions
	for _, d := range droplets {
		nodes = append(nodes, controlplane.NodeOptions{
			Name: d.Name, ProviderID: fmt.Sprintf("digitalocean://%d", d.ID), Ready: true, Initialized: true,
			Labels: map[string]string{poolLabel: label}, Region: d.Region, InstanceType: d.Size,
		})
	}
	return nodes
}

// link says which addresses a droplet has.
type link string

const (
	single  link = "single"  // public and private IPv4
	dual    link = "dual"    // public IPv6 too
	private link = "private" // no public address
	only6   link = "only6"   // private IPv4 and public IPv6
)

// spares are droplets for nodes to join later. They are there from the beginning, so that the
// CCM knows them from its first list: to read machines one by one it has a small budget only.
var spares struct {
	sync.Mutex
	byLink map[link][]do.Droplet
}

func seedSpares() {
	spares.byLink = map[link][]do.Droplet{}
	for kind, edit := range map[link]func(*do.Droplet){
		single:  func(*do.Droplet) {},
		dual:    func(d *do.Droplet) { d.PublicIPv6 = do.PublicIPv6For(d.ID % 1000) },
		private: func(d *do.Droplet) { d.PublicIPv4 = "" },
		only6:   func(d *do.Droplet) { d.PublicIPv4, d.PublicIPv6 = "", do.PublicIPv6For(d.ID%1000) },
	} {
		spares.byLink[kind] = env.Cloud.Droplets.Seed(40, edit)
	}
}

// join adds a node for each link with a pool label of their own, and waits until the CCM has
// initialised them. They and their machines go with the test.
func join(t *testing.T, label string, links ...link) []do.Droplet {
	t.Helper()
	droplets := take(t, links)
	for i, node := range nodesOf(droplets, label) {
		t.Cleanup(func() { leave(t, droplets[i]) })
		node.Initialized = false
		if _, err := env.JoinNode(within(t), node); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range droplets {
		if _, err := env.WaitNode(within(t), d.Name, initialized); err != nil {
			t.Fatal(err)
		}
	}
	return droplets
}

// take takes droplets off the spares.
func take(t *testing.T, links []link) []do.Droplet {
	t.Helper()
	spares.Lock()
	defer spares.Unlock()
	var droplets []do.Droplet
	for _, kind := range links {
		if len(spares.byLink[kind]) == 0 {
			t.Fatalf("no %s droplet is left", kind)
		}
		droplets = append(droplets, spares.byLink[kind][0])
		spares.byLink[kind] = spares.byLink[kind][1:]
	}
	return droplets
}

func initialized(node *corev1.Node) error {
	if node == nil {
		return errors.New("there is no such node")
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == controlplane.UninitializedTaint {
			return errors.New("it is not initialised")
		}
	}
	return nil
}

// leave removes a node and its machine, if they are there.
func leave(t *testing.T, d do.Droplet) {
	t.Helper()
	err := env.Client().CoreV1().Nodes().Delete(within(t), d.Name, metav1.DeleteOptions{})
	if err != nil && !strings.Contains(err.Error(), "not found") {
		t.Error(err)
	}
	_ = env.Cloud.Droplets.Delete(d.ID) // gone already is fine
}

// ids are the ids of droplets as targets of a balancer.
func ids(droplets ...do.Droplet) []int {
	var list []int
	for _, d := range droplets {
		list = append(list, d.ID)
	}
	return list
}

// fileName turns the name of a test into one of a file.
func fileName(name string) string { return strings.NewReplacer("/", "-", " ", "-").Replace(name) }
