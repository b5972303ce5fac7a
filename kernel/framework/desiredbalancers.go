package framework

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// desiredBalancers remember the balancers of Services as long as the Services stay as they are, so
// that looking after the firewall costs one read and not one for each of them.
type desiredBalancers struct {
	// ttl bounds what is remembered: a balancer may change without its Service.
	ttl   time.Duration
	known map[types.UID]desiredBalancer
}

type desiredBalancer struct {
	version  string
	at       time.Time
	balancer cloud.Balancer
	id       string
}

// of returns the Service's balancer. One without id does not exist yet and is not kept.
func (s *desiredBalancers) of(svc *corev1.Service, read func() (cloud.Balancer, string, error)) (cloud.Balancer, string, error) {
	if known, ok := s.known[svc.UID]; ok && known.version == svc.ResourceVersion && time.Since(known.at) < s.ttl {
		return known.balancer, known.id, nil
	}
	b, id, err := read()
	if err == nil && id != "" && svc.DeletionTimestamp == nil {
		s.known[svc.UID] = desiredBalancer{svc.ResourceVersion, time.Now(), b, id}
	}
	return b, id, err
}

// keep forgets all other Services.
func (s *desiredBalancers) keep(services []*corev1.Service) {
	there := make(map[types.UID]bool, len(services))
	for _, svc := range services {
		there[svc.UID] = true
	}
	maps.DeleteFunc(s.known, func(uid types.UID, _ desiredBalancer) bool { return !there[uid] })
}
