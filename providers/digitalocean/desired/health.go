package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
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
	own, err := annotation.OwnCheck(spec)
	if own == nil && err == nil {
		own, err = annotation.ServiceCheck(spec, option.KeyHealthOverride.Name)
	}
	if err != nil {
		return nil, err
	}
	h.Protocol, h.Port, h.Path, h.ProviderFields = own.Protocol, own.Port, own.Path, nil
	return h, nil
}
