package gce

var healthRules = []Rule{
	{ID: "health/times", Where: "httpHealthChecks healthChecks regionHealthChecks", Text: "checkIntervalSec and timeoutSec are 1 to 300, and the time-out is not above the interval", Source: fromDocument},
	{ID: "health/thresholds", Where: "httpHealthChecks healthChecks regionHealthChecks", Text: "thresholds are 1 to 10", Source: fromVendor},
	{ID: "health/port", Where: "httpHealthChecks healthChecks regionHealthChecks", Text: "a port is 1 to 65535", Source: fromDocument},
	{ID: "health/path", Where: "httpHealthChecks healthChecks regionHealthChecks", Text: "a requestPath begins with /", Source: fromVendor},
	{ID: "health/type", Where: "healthChecks regionHealthChecks", Text: "type is given, and the only settings are those of the type", Source: fromDocument},
}

var (
	httpHealthChecks   = &kind{name: "httpHealthChecks", schema: "HttpHealthCheck", metric: "HEALTH_CHECKS", check: checkHTTPHealth}
	healthChecks       = &kind{name: "healthChecks", schema: "HealthCheck", metric: "HEALTH_CHECKS", check: checkHealth}
	regionHealthChecks = &kind{name: "regionHealthChecks", schema: "HealthCheck", metric: "HEALTH_CHECKS", check: checkHealth}
)

func checkHTTPHealth(_ *call, wanted, _ fields) error {
	preset(wanted, "port", 80)
	preset(wanted, "requestPath", "/")
	preset(wanted, "host", "")
	if err := checkProbe(wanted); err != nil {
		return err
	}
	return checkTimes(wanted)
}

func checkTimes(wanted fields) error {
	preset(wanted, "checkIntervalSec", 5)
	preset(wanted, "timeoutSec", 5)
	preset(wanted, "healthyThreshold", 2)
	preset(wanted, "unhealthyThreshold", 2)
	interval, timeout := number(wanted, "checkIntervalSec"), number(wanted, "timeoutSec")
	if interval < 1 || interval > 300 || timeout < 1 || timeout > interval {
		return broken("health/times", "Invalid value for field 'resource.timeoutSec': '%d'. It must be between 1 and checkIntervalSec, %d.", timeout, interval)
	}
	for _, field := range []string{"healthyThreshold", "unhealthyThreshold"} {
		if n := number(wanted, field); n < 1 || n > 10 {
			return broken("health/thresholds", "Invalid value for field 'resource.%s': '%d'.", field, n)
		}
	}
	return nil
}

// checkProbe checks port and path.
func checkProbe(probe fields) error {
	if port := number(probe, "port"); probe["port"] != nil && (port < 1 || port > 65535) {
		return broken("health/port", "Invalid value for field 'resource.port': '%d'.", port)
	}
	if path := text(probe, "requestPath"); path != "" && path[0] != '/' {
		return broken("health/path", "Invalid value for field 'resource.requestPath': '%s'.", path)
	}
	return nil
}

// healthSettings are the settings of each type, with the default port.
var healthSettings = map[string]struct {
	field string
	port  int
	path  bool
}{
	"HTTP": {"httpHealthCheck", 80, true}, "HTTPS": {"httpsHealthCheck", 443, true}, "HTTP2": {"http2HealthCheck", 443, true},
	"TCP": {"tcpHealthCheck", 80, false}, "SSL": {"sslHealthCheck", 443, false}, "GRPC": {"grpcHealthCheck", 0, false},
	"GRPC_WITH_TLS": {"grpcTlsHealthCheck", 0, false},
}

func checkHealth(_ *call, wanted, _ fields) error {
	settings, ok := healthSettings[text(wanted, "type")]
	if !ok {
		return broken("health/type", "Invalid value for field 'resource.type': '%s'.", text(wanted, "type"))
	}
	for name, other := range healthSettings {
		if wanted[other.field] != nil && other.field != settings.field {
			return broken("health/type", "Invalid value for field 'resource.%s': the type is %s, not %s.", other.field, text(wanted, "type"), name)
		}
	}
	preset(wanted, settings.field, fields{})
	probe, _ := wanted[settings.field].(fields)
	if text(probe, "portSpecification") != "USE_SERVING_PORT" && settings.port != 0 {
		preset(probe, "port", settings.port)
	}
	if settings.path {
		preset(probe, "requestPath", "/")
	}
	if settings.port != 0 {
		preset(probe, "proxyHeader", "NONE")
	}
	if err := checkProbe(probe); err != nil {
		return err
	}
	return checkTimes(wanted)
}
