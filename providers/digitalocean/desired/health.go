package desired

import (
	"cmp"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/option"
)

// Health returns the check of the balancer: GET /healthz of each node's kube-proxy, which
// is never behind a PROXY header, or with override-health-check a port of the Service.
func Health(spec cloud.Spec) (*cloud.Health, error) {
	h := &cloud.Health{
		Protocol:       cloud.ProtocolHTTP,
		Port:           spec.HealthPort,
		Path:           "/healthz",
		Interval:       option.KeyHealthInterval.Duration(spec.Options),
		Timeout:        option.KeyHealthTimeout.Duration(spec.Options),
		Healthy:        option.KeyHealthHealthy.Int(spec.Options),
		Unhealthy:      option.KeyHealthUnhealthy.Int(spec.Options),
		ProviderFields: map[string]string{fieldHealthProxy: "false"},
	}
	if !option.KeyHealthOverride.Has(spec.Options) {
		return h, nil
	}
	port, err := healthPort(spec)
	if err != nil {
		return nil, err
	}
	h.Port = port
	h.Path = option.KeyHealthPath.In(spec.Options)
	h.Protocol = healthProtocol(option.KeyHealthProtocol.In(spec.Options), h.Path)
	h.Path = canonicalPath(h.Protocol, h.Path)
	h.ProviderFields = nil
	return h, nil
}

func healthProtocol(given, path string) cloud.Protocol {
	switch {
	case given != "":
		return cloud.ProtocolOf(given)
	case path != "":
		return cloud.ProtocolHTTP
	}
	return cloud.ProtocolTCP
}

// canonicalPath is the path as it is compared: a TCP check has none, and the API's default
// for the others is "/".
func canonicalPath(p cloud.Protocol, path string) string {
	if p == cloud.ProtocolTCP {
		return ""
	}
	return cmp.Or(path, "/")
}

// healthPort returns the node port of the Service port that is checked.
func healthPort(spec cloud.Spec) (int, error) {
	given := option.KeyHealthPort.In(spec.Options)
	for _, p := range spec.Ports {
		if p.Protocol != cloud.ProtocolTCP || (given != "" && p.Port != option.KeyHealthPort.Int(spec.Options)) {
			continue
		}
		if p.NodePort == 0 {
			return 0, &cloud.Invalid{Field: option.KeyHealthOverride.Name, Value: "true", Want: "the Service allocates no node port that could be checked"}
		}
		return p.NodePort, nil
	}
	if given != "" {
		return 0, &cloud.Invalid{Field: option.KeyHealthPort.Name, Value: given, Want: "want a TCP port of the Service"}
	}
	return 0, &cloud.Invalid{Field: option.KeyHealthOverride.Name, Value: "true", Want: "the Service has no TCP port that could be checked"}
}

// ObservedHealth decodes the check of an existing balancer.
func ObservedHealth(c *godo.HealthCheck, spec cloud.Spec) *cloud.Health {
	if c == nil {
		return nil
	}
	h := &cloud.Health{
		Protocol:  cloud.ProtocolOf(c.Protocol),
		Port:      c.Port,
		Interval:  time.Duration(c.CheckIntervalSeconds) * time.Second,
		Timeout:   time.Duration(c.ResponseTimeoutSeconds) * time.Second,
		Healthy:   c.HealthyThreshold,
		Unhealthy: c.UnhealthyThreshold,
	}
	h.Path = canonicalPath(h.Protocol, c.Path)
	if !option.KeyHealthOverride.Has(spec.Options) {
		h.ProviderFields = map[string]string{fieldHealthProxy: formatBool(c.ProxyProtocol != nil && *c.ProxyProtocol)}
	}
	return h
}

// HealthRequest encodes the check. An overridden one leaves it to the API whether it sends
// a PROXY header: the Service's own port may expect one.
func HealthRequest(h *cloud.Health) *godo.HealthCheck {
	if h == nil {
		return nil
	}
	c := &godo.HealthCheck{
		Protocol:               h.Protocol.Lower(),
		Port:                   h.Port,
		Path:                   h.Path,
		CheckIntervalSeconds:   int(h.Interval / time.Second),
		ResponseTimeoutSeconds: int(h.Timeout / time.Second),
		HealthyThreshold:       h.Healthy,
		UnhealthyThreshold:     h.Unhealthy,
	}
	if value, ok := h.ProviderFields[fieldHealthProxy]; ok {
		c.ProxyProtocol = godo.PtrTo(value == "true")
	}
	return c
}
