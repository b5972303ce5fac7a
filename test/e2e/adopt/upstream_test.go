// Package adopt_test tries a switch from DigitalOcean's own controller manager: what `adopt` says before
// is compared with what the cloud sees afterwards. The same is done on AWS's APIs in the package of their
// own tests.
package adopt_test

import (
	"fmt"
	"maps"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
)

func TestMain(m *testing.M) {
	code := m.Run()
	switchover.Close()
	os.Exit(code)
}

const (
	token = "test-token-that-must-stay-secret"
	idKey = "kubernetes.digitalocean.com/load-balancer-id"
	// own is the prefix of upstream's annotations.
	own = "service.beta.kubernetes.io/do-loadbalancer-"
	// ownership tag is upstream's tag of the cluster.
	ownershipTag = "k8s:lab"
)

// site is a cluster, as upstream leaves it, and its cloud.
type site struct {
	*switchover.Cluster
	t        *testing.T
	cloud    *digitalocean.Server
	droplets []digitalocean.Droplet
}

func open(t *testing.T, env ...string) *site {
	t.Helper()
	cloud := digitalocean.New(digitalocean.Options{Token: token})
	t.Cleanup(cloud.Close)
	url, err := cloud.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, cloud: cloud, droplets: cloud.Droplets.Seed(3)}
	s.Cluster = switchover.Open(t, switchover.Options{
		Provider: "digitalocean", Secret: token,
		Env: append([]string{"DO_ACCESS_TOKEN=" + token, "DO_OVERRIDE_URL=" + url, "REGION=nyc3", "DO_CLUSTER_ID=lab"}, env...),
	})
	for _, d := range s.droplets {
		s.join(d)
	}
	return s
}

// join joins the Node of a droplet as upstream initialises it.
func (s *site) join(d digitalocean.Droplet) *corev1.Node {
	s.t.Helper()
	return s.Node(
		controlplane.NodeOptions{Name: d.Name, ProviderID: fmt.Sprintf("digitalocean://%d", d.ID), Region: d.Region, InstanceType: d.Size},
		corev1.NodeAddress{Type: corev1.NodeHostName, Address: d.Name},
		corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: d.PrivateIPv4},
		corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: d.PublicIPv4},
	)
}

// service is what a Service looks like under upstream, and its load balancer.
type service struct {
	name        string
	annotations map[string]string
	// called is the name of the load balancer, upstream's default when empty.
	called string
	// forgets leaves out the id that upstream records.
	forgets bool
	edit    func(*digitalocean.Balancer)
}

// settled makes a Service and its load balancer as upstream does.
func (s *site) settled(o service) digitalocean.Balancer {
	s.t.Helper()
	annotations := map[string]string{own + "type": digitalocean.TypeRegionalNetwork}
	maps.Copy(annotations, o.annotations)
	if o.called != "" {
		annotations[own+"name"] = o.called
	}
	port := func(name string, number int32) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromInt32(number), Protocol: corev1.ProtocolTCP}
	}
	svc := s.Apply(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: o.name, Annotations: annotations},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{port("http", 80), port("https", 443)}},
	})
	b := s.balancer(svc, o)
	written := map[string]string{}
	if !o.forgets {
		written[idKey] = b.ID
	}
	s.Publish(svc, written, corev1.LoadBalancerIngress{IP: b.IP})
	return b
}

// balancer makes the load balancer of a Service with the ports 80 and 443 as upstream does.
func (s *site) balancer(svc *corev1.Service, o service) digitalocean.Balancer {
	s.t.Helper()
	off, name := false, o.called
	if name == "" {
		name = "a" + fmt.Sprintf("%.31s", withoutDashes(string(svc.UID)))
	}
	b := digitalocean.Balancer{
		Name: name, Type: digitalocean.TypeRegionalNetwork, Network: digitalocean.NetworkExternal, NetworkStack: digitalocean.StackIPv4,
		SizeUnit: 1, Algorithm: "round_robin", TLSCipherPolicy: "DEFAULT", VPCUUID: s.droplets[0].VPC,
		ForwardingRules: []digitalocean.ForwardingRule{
			{EntryProtocol: "tcp", EntryPort: 80, TargetProtocol: "tcp", TargetPort: 80},
			{EntryProtocol: "tcp", EntryPort: 443, TargetProtocol: "tcp", TargetPort: 443},
		},
		HealthCheck: digitalocean.HealthCheck{
			Protocol: "http", Port: 10256, Path: "/healthz", CheckIntervalSeconds: 3, ResponseTimeoutSeconds: 5,
			HealthyThreshold: 5, UnhealthyThreshold: 3, ProxyProtocol: &off,
		},
		StickySessions: digitalocean.StickySessions{Type: "none"}, Tags: []string{ownershipTag},
	}
	for _, d := range s.droplets {
		b.DropletIDs = append(b.DropletIDs, d.ID)
	}
	if o.edit != nil {
		o.edit(&b)
	}
	id := s.cloud.LoadBalancers.Add(b)
	for _, made := range s.cloud.State().Balancers {
		if made.ID == id {
			return made
		}
	}
	s.t.Fatalf("load balancer %s is not there", id)
	return b
}
