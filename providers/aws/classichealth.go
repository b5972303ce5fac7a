package aws

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Upstream's health check of classic balancers.
const (
	classicInterval  = 10 * time.Second
	classicTimeout   = 5 * time.Second
	classicHealthy   = 2
	classicUnhealthy = 6
	// maxClassicTimeout is the longest time-out AWS takes (API reference, HealthCheck).
	maxClassicTimeout = time.Minute
)

// wantedClassicHealth is the health check of all listeners. Without annotations it is upstream's:
//
//	externalTrafficPolicy  shared probe  backend-protocol  target
//	Local                  –             –                 HTTP, healthCheckNodePort, /healthz
//	Cluster                yes           –                 HTTP, as configured
//	Cluster                no            https, ssl        SSL, first node port
//	Cluster                no            anything else     TCP, first node port
//
// An annotation takes the place of protocol, port or path. traffic-port is the first node port.
func (d *Driver) wantedClassicHealth(spec cloud.Spec) *cloud.Health {
	first := 0
	if len(spec.Ports) > 0 {
		first = spec.Ports[0].NodePort
	}
	h := cloud.Health{Protocol: cloud.ProtocolTCP, Port: first, Path: "/"}
	probe := d.config.Balancer.Probe
	switch backend := option.Backend.In(spec.Options); {
	case spec.Local:
		h = cloud.Health{Protocol: cloud.ProtocolHTTP, Port: spec.HealthPort, Path: healthPath}
	case probe != nil:
		h = cloud.Health{Protocol: cloud.ProtocolHTTP, Port: probe.Port, Path: probe.Path}
	case backend == "https" || backend == "ssl":
		h.Protocol = protocolSSL
	}
	o := spec.Options
	h.Protocol = cmp.Or(cloud.Protocol(option.HealthProtocol.In(o)), h.Protocol)
	h.Path = cmp.Or(option.HealthPath.In(o), h.Path)
	if !asksForPath(h.Protocol) {
		h.Path = ""
	}
	switch port := option.HealthPort.In(o); port {
	case "":
	case option.TrafficPort:
		h.Port = first
	default:
		h.Port = option.HealthPort.Int(o)
	}
	h.Interval = cmp.Or(time.Duration(option.Interval.Int(o))*time.Second, classicInterval)
	h.Timeout = cmp.Or(time.Duration(option.Timeout.Int(o))*time.Second, classicTimeout)
	h.Healthy = cmp.Or(option.Healthy.Int(o), classicHealthy)
	h.Unhealthy = cmp.Or(option.Unhealthy.Int(o), classicUnhealthy)
	return &h
}

// checkClassicHealth refuses what AWS would.
func checkClassicHealth(h cloud.Health) []error {
	var problems []error
	if h.Timeout >= h.Interval {
		problems = append(problems, &cloud.Invalid{
			Field: option.Timeout.Name, Value: secondsText(h.Timeout), Want: "want less than " + option.Interval.Name + ", which is " + secondsText(h.Interval),
		})
	}
	if h.Timeout > maxClassicTimeout {
		problems = append(problems, &cloud.Invalid{Field: option.Timeout.Name, Value: secondsText(h.Timeout), Want: "want at most 60 for a Classic Load Balancer"})
	}
	if h.Path != "" && !strings.HasPrefix(h.Path, "/") {
		problems = append(problems, &cloud.Invalid{Field: option.HealthPath.Name, Value: h.Path, Want: `want a path that begins with "/"`})
	}
	return problems
}

func secondsText(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// viewClassicHealth is the check AWS makes. What can't be read is taken for its protocol, which
// no wanted one has.
func viewClassicHealth(check *elbtypes.HealthCheck) *cloud.Health {
	if check == nil {
		return nil
	}
	h := &cloud.Health{
		Interval: time.Duration(awssdk.ToInt32(check.Interval)) * time.Second, Timeout: time.Duration(awssdk.ToInt32(check.Timeout)) * time.Second,
		Healthy: int(awssdk.ToInt32(check.HealthyThreshold)), Unhealthy: int(awssdk.ToInt32(check.UnhealthyThreshold)),
	}
	target := awssdk.ToString(check.Target)
	protocol, rest, _ := strings.Cut(target, ":")
	text, _, hasPath := strings.Cut(rest, "/")
	port, err := strconv.Atoi(text)
	if err != nil {
		h.Protocol = cloud.Protocol(target)
		return h
	}
	h.Protocol, h.Port = cloud.ProtocolOf(protocol), port
	if hasPath {
		h.Path = rest[len(text):]
	}
	return h
}

// classicTarget is what a check asks for, as AWS writes it: "HTTP:10256/healthz".
func classicTarget(h cloud.Health) string {
	return fmt.Sprintf("%s:%d%s", h.Protocol, h.Port, h.Path)
}

// setHealth configures the check where it differs.
func (c *classicChange) setHealth(ctx context.Context) error {
	want := c.want.Health
	if want == nil || c.have.Health != nil && sameHealth(*want, *c.have.Health) {
		return nil
	}
	_, err := c.Classic.ConfigureHealthCheck(ctx, &elb.ConfigureHealthCheckInput{
		LoadBalancerName: c.lb().LoadBalancerName,
		HealthCheck: &elbtypes.HealthCheck{
			Target: new(classicTarget(*want)), Interval: secondsOf(want.Interval), Timeout: secondsOf(want.Timeout),
			HealthyThreshold: new(int32(want.Healthy)), UnhealthyThreshold: new(int32(want.Unhealthy)), //nolint:gosec // at most 10
		},
	})
	if err != nil {
		return fmt.Errorf("setting the health check of classic balancer %s: %w", c.lb().name(), err)
	}
	return nil
}
