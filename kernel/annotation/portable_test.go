package annotation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestPortableKeys(t *testing.T) {
	if err := annotation.Kernel().With(annotation.Portable()).Validate(); err != nil {
		t.Fatal(err)
	}
	for _, key := range annotation.Portable() {
		if !strings.HasPrefix(key.Name, annotation.Prefix) || key.Field == "" {
			t.Errorf("%s has to begin with %s, and to be seen in a field: %q", key.Name, annotation.Prefix, key.Field)
		}
	}
}

// What a cloud cannot do is said, whatever the value.
func TestPortableKeyOfAnotherCloud(t *testing.T) {
	_, problems := annotation.Set{annotation.Name}.Parse(map[string]string{annotation.Size.Name: "3", annotation.Name.Name: "web"})
	if len(problems) != 1 || !problems[0].Warning {
		t.Fatalf("problems %v, want one warning", problems)
	}
	if got, want := problems[0].Error(), "annotation multicloud-ccm.io/size: it has no effect: not possible on this cloud"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a configured cloud cannot do is said of the portable spelling. Upstream's is for the cloud to judge.
func TestPortableKeyOfAnotherConfiguration(t *testing.T) {
	const upstream = "example.org/algorithm"
	set := annotation.Set{annotation.Algorithm.WithAliases(upstream)}.Without(map[string]string{annotation.Algorithm.Name: "this kind has one only"})
	for name, test := range map[string]struct {
		given    map[string]string
		value    string
		problems []string
	}{
		"portable": {
			given:    map[string]string{annotation.Algorithm.Name: "source_ip"},
			problems: []string{"annotation multicloud-ccm.io/algorithm: it has no effect: this kind has one only"},
		},
		"upstream's":     {given: map[string]string{upstream: "source_ip"}, value: "source_ip"},
		"both, the same": {given: map[string]string{upstream: "source_ip", annotation.Algorithm.Name: "source_ip"}, value: "source_ip"},
	} {
		values, problems := set.Parse(test.given)
		var texts []string
		for _, p := range problems {
			texts = append(texts, p.Error())
			if !p.Warning {
				t.Errorf("%s: it is refused: %v", name, p)
			}
		}
		if values[annotation.Algorithm.Name] != test.value || !slices.Equal(texts, test.problems) {
			t.Errorf("%s: values %v, problems %q", name, values, texts)
		}
	}
}

func TestBoundsAreNamed(t *testing.T) {
	set := annotation.Set{annotation.HealthInterval.Within(5, 300), annotation.Algorithm.OneOf("round_robin")}
	_, problems := set.Parse(map[string]string{annotation.HealthInterval.Name: "2s", annotation.Algorithm.Name: "source_ip"})
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.Error())
	}
	want := []string{
		`annotation multicloud-ccm.io/algorithm: "source_ip" is not valid: want one of round_robin`,
		`annotation multicloud-ccm.io/health-check-interval: "2s" is not valid: want whole seconds between 5 and 300, such as "5" or "5s"`,
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// The portable spelling switches on what upstream's needs a key of its own for.
func TestEnables(t *testing.T) {
	monitor := annotation.Key{Name: "cloud.io/monitor", Type: annotation.TypeBool, Default: "false", Doc: "Checks."}
	interval := annotation.HealthInterval.WithAliases("cloud.io/delay").SwitchingOn(monitor.Name, "true")
	for _, test := range []struct {
		name  string
		given map[string]string
		on    bool
		idle  string
	}{
		{"portable", map[string]string{interval.Name: "5s"}, true, ""},
		{"upstream's", map[string]string{"cloud.io/delay": "5s"}, false, ""},
		{"both, of one value", map[string]string{interval.Name: "5s", "cloud.io/delay": "5"}, true, ""},
		{"both, of two values", map[string]string{interval.Name: "5s", "cloud.io/delay": "6"}, true, ""},
		{"both, the portable one blank", map[string]string{interval.Name: " ", "cloud.io/delay": "5"}, false, ""},
		{"portable and on", map[string]string{interval.Name: "5s", monitor.Name: "true"}, true, ""},
		{"portable and off", map[string]string{interval.Name: "5s", monitor.Name: "false"}, false, interval.Name},
		{"not valid", map[string]string{interval.Name: "soon"}, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			values, problems := annotation.Set{interval, monitor}.Parse(test.given)
			idle := ""
			for _, p := range problems {
				if p.Idle != "" && p.Warning {
					idle = p.Key
				}
			}
			if monitor.Bool(values) != test.on || idle != test.idle {
				t.Errorf("on %t, without effect %q; want %t, %q (%v)", monitor.Bool(values), idle, test.on, test.idle, problems)
			}
		})
	}
}

// A key that gives another one its default has an effect whatever the other one is.
func TestDefaulting(t *testing.T) {
	ports := annotation.Key{Name: "cloud.io/ports", Type: annotation.TypeString, Doc: "Ports."}
	certificate := annotation.Certificate.Defaulting(ports.Name, "443")
	for given, want := range map[string]string{"": "443", "81": "81"} {
		all := map[string]string{certificate.Name: "shop"}
		if given != "" {
			all[ports.Name] = given
		}
		values, problems := annotation.Set{certificate, ports}.Parse(all)
		if ports.In(values) != want || len(problems) > 0 {
			t.Errorf("given %q: ports %q, %v; want %q and nothing to say", given, ports.In(values), problems, want)
		}
	}
}

func TestYields(t *testing.T) {
	upstream := annotation.Key{Name: "cloud.io/port", Type: annotation.TypeString, Doc: "Port of the node."}
	portable := annotation.HealthPort.Under(upstream.Name)
	values, problems := annotation.Set{portable, upstream}.Parse(map[string]string{portable.Name: "80", upstream.Name: "30080"})
	if portable.Has(values) || upstream.In(values) != "30080" {
		t.Errorf("values %v, want upstream's only", values)
	}
	if len(problems) != 1 || !problems[0].Warning || problems[0].Why() != "cloud.io/port is there, which wins" {
		t.Errorf("problems %v", problems)
	}
}

// Upstream's form of a value is for upstream's spelling only.
func TestAliased(t *testing.T) {
	key := annotation.Internal.WithAliases("cloud.io/network")
	key.Aliased = func(value string) (string, bool) {
		return map[string]string{"INTERNAL": "true", "EXTERNAL": "false"}[value], value == "INTERNAL" || value == "EXTERNAL"
	}
	for _, test := range []struct {
		given    map[string]string
		want     bool
		problems int
	}{
		{map[string]string{"cloud.io/network": "INTERNAL"}, true, 0},
		{map[string]string{"cloud.io/network": ""}, false, 0},
		{map[string]string{"cloud.io/network": "true"}, false, 1},
		{map[string]string{key.Name: "INTERNAL"}, false, 1},
		{map[string]string{key.Name: "true", "cloud.io/network": "INTERNAL"}, true, 0},
		{map[string]string{key.Name: "true", "cloud.io/network": "EXTERNAL"}, false, 1},
	} {
		values, problems := annotation.Set{key}.Parse(test.given)
		if key.Bool(values) != test.want || len(problems) != test.problems {
			t.Errorf("%v: %t, %v; want %t and %d problems", test.given, key.Bool(values), problems, test.want, test.problems)
		}
	}
}

func TestOwnCheck(t *testing.T) {
	ports := []cloud.Port{
		{Protocol: cloud.ProtocolUDP, Port: 53, NodePort: 30053}, {Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080},
		{Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}, {Protocol: cloud.ProtocolTCP, Port: 22},
	}
	const protocol, port, path = annotation.Prefix + "health-check-protocol", annotation.Prefix + "health-check-port", annotation.Prefix + "health-check-path"
	for _, test := range []struct {
		name    string
		given   map[string]string
		want    *cloud.Health
		refused string
	}{
		{name: "none"},
		{name: "path", given: map[string]string{path: "/ok"}, want: &cloud.Health{Protocol: "HTTP", Port: 30080, Path: "/ok"}},
		{name: "port", given: map[string]string{port: "443"}, want: &cloud.Health{Protocol: "TCP", Port: 30443}},
		{name: "protocol", given: map[string]string{protocol: "https"}, want: &cloud.Health{Protocol: "HTTPS", Port: 30080, Path: "/"}},
		{name: "tcp has no path", given: map[string]string{protocol: "tcp", path: "/ok"}, want: &cloud.Health{Protocol: "TCP", Port: 30080}},
		{name: "no such port", given: map[string]string{port: "8080"}, refused: port},
		{name: "a UDP port", given: map[string]string{port: "53"}, refused: port},
		{name: "no node port", given: map[string]string{port: "22"}, refused: port},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := annotation.OwnCheck(cloud.Spec{Ports: ports, Options: test.given})
			if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) {
				t.Fatalf("error %v, want one about %q", err, test.refused)
			}
			if diff := cmp.Diff(test.want, got); err == nil && diff != "" {
				t.Errorf("check (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := annotation.OwnCheck(cloud.Spec{Ports: ports[:1], Options: map[string]string{path: "/ok"}}); err == nil {
		t.Error("a Service without a TCP port is not refused")
	}
}

func TestView(t *testing.T) {
	b := cloud.Balancer{
		Scope: cloud.ScopeInternal, ProviderFields: map[string]string{"method": "LEAST_CONNECTIONS"},
		Listeners: []cloud.Listener{
			{Protocol: cloud.ProtocolHTTPS, Port: 443, ProviderFields: map[string]string{cloud.FieldProxyProtocol: "true"}},
			{Protocol: cloud.ProtocolTCP, Port: 80, ProviderFields: map[string]string{cloud.FieldProxyProtocol: "true"}},
		},
	}
	set := annotation.Set{
		annotation.Internal, annotation.TLSPorts, annotation.ProxyProtocol, annotation.IdleTimeout,
		annotation.Algorithm.ShownIn("method", strings.ToLower), {Name: "cloud.io/x", Field: "name"},
	}
	want := map[string]string{
		annotation.Internal.Name: "true", annotation.TLSPorts.Name: "443", annotation.ProxyProtocol.Name: "true",
		annotation.Algorithm.Name: "least_connections",
	}
	if diff := cmp.Diff(want, set.View(b.Field)); diff != "" {
		t.Errorf("view (-want +got):\n%s", diff)
	}
}

func TestSourceRangesOf(t *testing.T) {
	const kubernetes = "service.beta.kubernetes.io/load-balancer-source-ranges"
	for _, test := range []struct {
		name     string
		field    []string
		given    map[string]string
		where    string
		networks string
		idle     bool
	}{
		{"none", nil, nil, "spec.loadBalancerSourceRanges", "", false},
		{"portable", nil, map[string]string{annotation.SourceRanges.Name: "10.0.0.0/8,x"}, annotation.SourceRanges.Name, "10.0.0.0/8 x", false},
		{"only a comma", nil, map[string]string{annotation.SourceRanges.Name: ","}, annotation.SourceRanges.Name, " ", false},
		{"white space", nil, map[string]string{kubernetes: " 10.0.0.0/8\t192.0.2.0/24, 198.51.100.0/24\n"}, kubernetes, "10.0.0.0/8 192.0.2.0/24 198.51.100.0/24", false},
		{"an empty item", nil, map[string]string{kubernetes: "10.0.0.0/8, ,192.0.2.0/24"}, kubernetes, "10.0.0.0/8  192.0.2.0/24", false},
		{"blank", nil, map[string]string{annotation.SourceRanges.Name: " "}, "spec.loadBalancerSourceRanges", "", false},
		{"Kubernetes' wins", nil, map[string]string{annotation.SourceRanges.Name: "10.0.0.0/8", kubernetes: "192.0.2.0/24"}, kubernetes, "192.0.2.0/24", true},
		{"the field wins", []string{"192.0.2.0/24"}, map[string]string{annotation.SourceRanges.Name: "10.0.0.0/8"}, "spec.loadBalancerSourceRanges", "192.0.2.0/24", true},
		{"the same", []string{"192.0.2.0/24", "10.0.0.0/8"}, map[string]string{annotation.SourceRanges.Name: "10.0.0.0/8, 192.0.2.0/24"}, "spec.loadBalancerSourceRanges", "192.0.2.0/24 10.0.0.0/8", false},
	} {
		where, networks, idle := annotation.SourceRangesOf(test.field, test.given)
		if where != test.where || strings.Join(networks, " ") != test.networks || idle != test.idle {
			t.Errorf("%s: %s says %q, idle %t; want %s, %q, %t", test.name, where, networks, idle, test.where, test.networks, test.idle)
		}
	}
}

// TestBadCounts: a value of retain that is not valid keeps the balancer, and is told.
func TestBadCounts(t *testing.T) {
	values, problems := annotation.Set{annotation.Retain}.Parse(map[string]string{annotation.Retain.Name: "yes"})
	if !annotation.Retain.Bool(values) || len(problems) != 1 || !problems[0].Warning || !strings.Contains(problems[0].Error(), `"yes" is not valid: want "true" or "false"; until then it counts as true`) {
		t.Errorf("%v, %v", values, problems)
	}
}
