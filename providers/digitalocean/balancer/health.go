package balancer

import (
	"strconv"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Health returns the check of the balancer: GET /healthz of each node's kube-proxy, which
// is never behind a PROXY header, or with override-health-check a port of the Service.
func Health(spec cloud.Spec) (*cloud.Health, error) {
	h := &cloud.Health{
		Protocol:       cloud.ProtocolHTTP,
		Port:           spec.HealthPort,
		Path:           "/healthz",
		Interval:       KeyHealthInterval.Duration(spec.Options),
		Timeout:        KeyHealthTimeout.Duration(spec.Options),
		Healthy:        KeyHealthHealthy.Int(spec.Options),
		Unhealthy:      KeyHealthUnhealthy.Int(spec.Options),
		ProviderFields: map[string]string{fieldHealthProxy: "false"},
	}
	if !KeyHealthOverride.Has(spec.Options) {
		return h, nil
	}
	own, err := annotation.OwnCheck(spec)
	if own == nil && err == nil {
		own, err = annotation.ServiceCheck(spec, KeyHealthOverride.Name)
	}
	if err != nil {
		return nil, err
	}
	h.Protocol, h.Port, h.Path, h.ProviderFields = own.Protocol, own.Port, own.Path, nil
	return h, nil
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
	h.Path = annotation.CheckPath(h.Protocol, c.Path)
	if !KeyHealthOverride.Has(spec.Options) {
		h.ProviderFields = map[string]string{fieldHealthProxy: strconv.FormatBool(c.ProxyProtocol != nil && *c.ProxyProtocol)}
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
