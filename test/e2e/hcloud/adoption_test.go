package hcloud_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// TestPartsOfAnAdoptedBalancer: whatever ends the process, the next one knows which services and targets of a load balancer
// that was taken over by its name are the Service's. These go with what asked for them, and all others stay.
func TestPartsOfAnAdoptedBalancer(t *testing.T) {
	for name, act := range map[string]func(*site){
		"a port goes while nobody works": func(s *site) {
			s.must(s.process.Stop(s.within()))
			s.process = nil
			s.patch("web", `{"spec":{"ports":[{"port":443,"$patch":"delete"}]}}`)
			s.start(nil)
			s.has(2, 22, 80)
		},
		"a port goes that was just being made": func(s *site) {
			s.breakOff("add_service", func() { s.patch("web", `{"spec":{"ports":[{"name":"p8443","port":8443}]}}`) })
			s.patch("web", `{"spec":{"ports":[{"port":8443,"$patch":"delete"}]}}`)
			s.start(nil)
			s.has(2, 22, 80, 443)
		},
		"a Node leaves that was just becoming a target": func(s *site) {
			var joined []testcloud.Machine
			s.breakOff("add_target", func() { joined = s.join(1, testcloud.Machine.Settled) })
			exclude := []byte(fmt.Sprintf(`{"metadata":{"labels":{%q:"true"}}}`, corev1.LabelNodeExcludeBalancers))
			_, err := s.Client().CoreV1().Nodes().Patch(s.within(), joined[0].Name, types.MergePatchType, exclude, metav1.PatchOptions{})
			s.must(err)
			s.start(nil)
			s.has(2, 22, 80, 443)
		},
		"the Service goes in the midst of a change": func(s *site) {
			s.breakOff("add_service", func() { s.patch("web", `{"spec":{"ports":[{"name":"p8443","port":8443}]}}`) })
			s.must(s.Client().CoreV1().Services(namespace).Delete(s.within(), "web", metav1.DeleteOptions{}))
			s.start(nil)
			s.left("web")
			s.has(0, 22)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			s.hetzner.SetDelay(0)
			_, _, err := s.api().LoadBalancer.Create(s.within(), hcloud.LoadBalancerCreateOpts{
				Name: "by-hand", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "fsn1"},
				Services: []hcloud.LoadBalancerCreateOptsService{plain(22, 30022)},
			})
			s.must(err)
			s.join(2, testcloud.Machine.Settled)
			s.start(nil)
			s.annotated("web", map[string]string{"load-balancer.hetzner.cloud/name": "by-hand"}, 80, 443)
			s.has(2, 22, 80, 443)
			s.told("web", "EnsuredLoadBalancer", 1)
			act(s)
		})
	}
}

// breakOff kills the process when the cloud has accepted an action that a change takes. The cloud carries it out.
func (s *site) breakOff(action string, change func()) {
	s.Helper()
	s.hetzner.SetDelay(time.Hour)
	s.Cloud.ResetTraffic()
	change()
	s.must(s.Cloud.Until(s.within(), func() bool {
		return s.Cloud.Counters().Of("POST /v1/load_balancers/{id}/actions/"+action) > 0
	}))
	s.process.Kill()
	s.process = nil
	s.hetzner.SetDelay(0)
	s.hetzner.FinishActions()
}

// has waits until the load balancer has so many targets, and services on these ports.
func (s *site) has(targets int, ports ...int) {
	s.Helper()
	s.eventually(func() error {
		all := s.hetzner.State().Balancers
		if len(all) != 1 {
			return fmt.Errorf("%d load balancers", len(all))
		}
		var have []int
		for _, service := range all[0].Services {
			have = append(have, service.ListenPort)
		}
		if slices.Sort(have); !slices.Equal(have, ports) || len(all[0].Targets) != targets {
			return fmt.Errorf("services on %v and %d targets, want %v and %d", have, len(all[0].Targets), ports, targets)
		}
		return nil
	})
}

func (s *site) patch(service, patch string) {
	s.Helper()
	_, err := s.Client().CoreV1().Services(namespace).Patch(s.within(), service, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	s.must(err)
}
