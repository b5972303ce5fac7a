package openstack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// TestAloneThousandNodes join at once, by name: what they cost is counted in requests. Their rows
// are written past the APIs, with ids that nobody else may take.
func TestAloneThousandNodes(t *testing.T) {
	const count, pages = 1000, 2 // a full page is followed by an empty one
	project := openstack.NewProject(t, openstack.ProjectOptions{})
	s := on(t, project, nil, siteOptions{})
	fleet := project.Fleet(t, count, "n")
	inventory := instance.New(instance.Options{
		Cloud: s.cloud, Nodes: func() []*corev1.Node { return nil },
		Policy: instance.Policy{Patience: cloud.CallTimeout}, // the lab takes its time over a thousand
	})
	s.traffic.take()
	var all sync.WaitGroup
	for _, server := range fleet {
		all.Go(func() {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: server.Name}}
			node.Spec.Taints = []corev1.Taint{{Key: cloudproviderapi.TaintExternalCloudProvider, Effect: corev1.TaintEffectNoSchedule}}
			machine, err := inventory.Metadata(t.Context(), node)
			if err != nil || machine.ProviderID != "openstack:///"+server.ID || machine.Type == "" || machine.Zone == "" || len(machine.Addresses) == 0 {
				t.Errorf("%s: %+v, %v", server.Name, machine, err)
			}
		})
	}
	all.Wait()
	requests := s.traffic.take()
	if most := 2*pages + 20; len(requests) > most || len(requests) == 0 {
		t.Errorf("%d requests for %d nodes, want at most %d: %q", len(requests), count, most, requests[:min(len(requests), most)])
	}
	t.Logf("%d nodes with %d requests: %q", count, len(requests), requests)
}

// TestNetworking sets each key of [Networking] and reads the addresses of a machine.
func TestNetworking(t *testing.T) {
	t.Parallel()
	project := openstack.NewProject(t, openstack.ProjectOptions{IPv6: true})
	plain := on(t, project, nil, siteOptions{})
	id, network := plain.machineOnTwoNetworks()
	read := func(t *testing.T, config string) []string {
		s := on(t, project, nil, siteOptions{config: config})
		found, err := s.cloud.Instances.Get(t.Context(), id)
		s.must(err, "reading the machine")
		var list []string
		for _, a := range found[id].Addresses {
			ip := a.Address
			if strings.HasPrefix(ip, "fd00:1:") {
				ip = "six"
			}
			list = append(list, fmt.Sprintf("%s %s", a.Type, ip))
		}
		return list
	}
	for key, test := range map[string]struct {
		value string
		want  []string
	}{
		"public-network-name":   {network, []string{"InternalIP 10.0.0.50", "InternalIP six", "ExternalIP 10.88.0.50"}},
		"internal-network-name": {"nodes", []string{"InternalIP 10.0.0.50", "InternalIP six"}},
		"ipv6-support-disabled": {"true", []string{"InternalIP 10.0.0.50", "InternalIP 10.88.0.50"}},
		"address-sort-order":    {"10.88.0.0/16, 10.0.0.0/16", []string{"InternalIP 10.88.0.50", "InternalIP 10.0.0.50", "InternalIP six"}},
	} {
		t.Run(key, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(t, "[Networking]\n"+key+"="+test.value+"\n")); diff != "" {
				t.Errorf("with the key (-want +got):\n%s", diff)
			}
			standard := []string{"InternalIP 10.0.0.50", "InternalIP six", "InternalIP 10.88.0.50"}
			if diff := cmp.Diff(standard, read(t, "")); diff != "" {
				t.Errorf("without it (-want +got):\n%s", diff)
			}
		})
	}
}

// machineOnTwoNetworks returns a server with an address of each family in the project's network,
// and a port in another network, whose name it returns too. Addresses come in the order of the
// ids of their ports: the first port is made anew until its id is the lower one.
func (s *site) machineOnTwoNetworks() (cloud.InstanceID, string) {
	s.Helper()
	const second = "10.88.0.0/24"
	other, subnet := s.network(second)
	port := func(network string, fixed ...object) string {
		return text(s.change(s.project.Network, http.MethodPost, "ports", object{"port": object{"network_id": network, "fixed_ips": fixed}}), "id")
	}
	firstPort := func() string {
		return port(s.project.NetworkID, object{"subnet_id": s.project.SubnetID, "ip_address": "10.0.0.50"}, object{"subnet_id": s.project.Subnet6ID})
	}
	first, later := firstPort(), port(other, object{"subnet_id": subnet, "ip_address": "10.88.0.50"})
	for first > later {
		s.change(s.project.Network, http.MethodDelete, "ports/"+first, nil)
		first = firstPort()
	}
	networks := []object{{"port": first}, {"port": later}}
	image := s.all(s.project.Image, "images", "images", url.Values{"name": {"tiny"}})
	made := s.change(s.project.Compute, http.MethodPost, "servers", object{"server": object{
		"name": "two", "imageRef": text(image[0], "id"), "flavorRef": "1", "networks": networks,
	}})
	id := text(made, "id")
	s.must(until(s.Context(), func(context.Context) bool {
		return text(s.one(s.project.Compute, "server", "servers/"+id), "status") == "ACTIVE"
	}), "booting")
	return cloud.InstanceID(id), second
}
