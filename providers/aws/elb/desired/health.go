package desired

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// maxTimeout is the longest time-out AWS takes (API reference, HealthCheck).
const maxTimeout = time.Minute

// Health is the health check of all listeners. Without annotations it is upstream's:
//
//	externalTrafficPolicy  shared probe  backend-protocol  target
//	Local                  –             –                 HTTP, healthCheckNodePort, /healthz
//	Cluster                yes           –                 HTTP, as configured
//	Cluster                no            https, ssl        SSL, first node port
//	Cluster                no            anything else     TCP, first node port
//
// An annotation takes the place of protocol, port or path. traffic-port is the first node port. The
// portable ones ask for a check of the Service's own.
func (s Settings) Health(spec cloud.Spec) (*cloud.Health, error) {
	own, err := annotation.OwnCheck(spec)
	if err != nil {
		return nil, err
	}
	h := cmp.Or(own, s.target(spec))
	h.Interval, h.Healthy, h.Unhealthy = 10*time.Second, 2, 6
	balancer.Repeat(h, spec.Options)
	h.Timeout = cmp.Or(option.Timeout.Duration(spec.Options), 5*time.Second)
	return h, nil
}

// target is what upstream's annotations say that is checked.
func (s Settings) target(spec cloud.Spec) *cloud.Health {
	first := 0
	if len(spec.Ports) > 0 {
		first = spec.Ports[0].NodePort
	}
	h := cloud.Health{Protocol: cloud.ProtocolTCP, Port: first}
	probe := s.Balancer.Probe
	switch backend := option.Backend.In(spec.Options); {
	case spec.Local:
		h = balancer.ProxyCheck(spec)
	case probe != nil:
		h = cloud.Health{Protocol: cloud.ProtocolHTTP, Port: probe.Port, Path: probe.Path}
	case backend == "https" || backend == "ssl":
		h.Protocol = ProtocolSSL
	}
	balancer.Adjust(&h, spec.Options, first)
	return &h
}

// checkHealth refuses what AWS would.
func checkHealth(h *cloud.Health) []error {
	if h == nil {
		return nil
	}
	var problems []error
	if h.Timeout >= h.Interval {
		problems = append(problems, &cloud.Invalid{
			Field: option.Timeout.Name, Value: secondsText(h.Timeout), Want: "want less than " + option.Interval.Name + ", which is " + secondsText(h.Interval),
		})
	}
	if h.Timeout > maxTimeout {
		problems = append(problems, &cloud.Invalid{Field: option.Timeout.Name, Value: secondsText(h.Timeout), Want: "want at most 60 for a Classic Load Balancer"})
	}
	if h.Path != "" && !strings.HasPrefix(h.Path, "/") {
		problems = append(problems, &cloud.Invalid{Field: option.HealthPath.Name, Value: h.Path, Want: `want a path that begins with "/"`})
	}
	return problems
}

func secondsText(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
