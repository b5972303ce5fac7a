package desired

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestRefused checks what is refused before anything is written, and which field is named.
func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		annotations map[string]string
		network     int64
		edit        func(*cloud.Input)
		field       string
	}{
		"no place":                      {annotations: map[string]string{location.Name: ""}, field: location.Name},
		"a type that is not there":      {annotations: map[string]string{size.Name: "lb99"}, edit: finding(func(f *Findings) { f.Types, f.Limits = []string{"lb11", "lb21"}, nil }), field: size.Name},
		"a type that is gone":           {edit: finding(func(f *Findings) { f.Deprecated, f.Gone = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), true }), field: size.Name},
		"more ports than the type has":  {edit: finding(func(f *Findings) { f.Limits.Services = 1 }), field: "spec.ports"},
		"https without a certificate":   {annotations: map[string]string{keyProtocol: "443=https"}, field: certificate.Name},
		"a certificate that is unknown": {annotations: map[string]string{keyProtocol: "443=https", certificate.Name: "shop"}, field: certificate.Name},
		"too many certificates":         {annotations: map[string]string{keyProtocol: "443=https", certificate.Name: "1,2"}, edit: finding(func(f *Findings) { f.Limits.Certificates = 1 }), field: certificate.Name},
		"managed without domains":       {annotations: map[string]string{keyProtocol: "443=https", certificateType.Name: "managed"}, field: Domains.Name},
		"private targets, no network":   {annotations: map[string]string{usePrivateIP.Name: "true"}, field: usePrivateIP.Name},
		"internal, no network":          {annotations: map[string]string{internal.Name: "true"}, field: internal.Name},
		"an address, no network":        {annotations: map[string]string{Address.Name: "10.0.0.9"}, field: Address.Name},
		"internal, but public targets":  {annotations: map[string]string{internal.Name: "true", usePrivateIP.Name: "false"}, network: 4, field: usePrivateIP.Name},
	} {
		t.Run(name, func(t *testing.T) {
			annotations := map[string]string{location.Name: "fsn1"}
			maps.Copy(annotations, tt.annotations)
			in := asked(t, annotations)
			if tt.edit != nil {
				tt.edit(&in)
			}
			_, _, err := (Configuration{Network: tt.network}).Normalize(in)
			if invalid, ok := errors.AsType[*cloud.Invalid](err); !ok || invalid.Field != tt.field {
				t.Errorf("error %v, want one about %s", err, tt.field)
			}
		})
	}
}

// asked returns the spec of a Service with two ports and these annotations.
func asked(t *testing.T, annotations map[string]string) cloud.Input {
	t.Helper()
	values, problems := Annotations().Parse(annotations)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cloud.Input{
		Spec: cloud.Spec{
			Owner:      cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "8b5a3c1e-0000-4000-8000-123456789abc", Cloud: "hcloud"},
			Ports:      []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}, {Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}},
			HealthPort: 10256,
			Options:    values,
		},
		Environment: cloud.Environment{
			Findings: Found.Seal(Findings{Limits: &Limits{Targets: 25, Services: 5, Certificates: 10}}),
			Candidates: []cloud.Target{
				{InstanceID: "11", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.11"}}},
				{InstanceID: "robot-5", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.1.0.5"}, {Type: cloud.AddressExternalIP, Address: "192.0.2.5"}}},
			},
		},
	}
}

// finding changes what was found out.
func finding(change func(*Findings)) func(*cloud.Input) {
	return func(in *cloud.Input) {
		found := Found.Open(in.Findings)
		limits := *found.Limits
		found.Limits = &limits
		change(&found)
		in.Findings = Found.Seal(found)
	}
}

// TestWarnings checks what is said and has no effect.
func TestWarnings(t *testing.T) {
	in := asked(t, map[string]string{
		location.Name: "fsn1", prefix + "http-cookie-name": "x", keyProtocol: "8443=tcp",
	})
	_, warnings, err := (Configuration{}).Normalize(in)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, w := range warnings {
		fields = append(fields, w.Field)
	}
	slices.Sort(fields)
	want := []string{keyProtocol, cookie.Name}
	slices.Sort(want)
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// A certificate that no port uses is said to have no effect, and one that a port of tls-ports uses is not.
func TestCertificateThatNoPortUses(t *testing.T) {
	for ports, want := range map[string]bool{"": false, "80": false, "80,443": false, "8443": true} {
		annotations := map[string]string{location.Name: "fsn1", certificate.Name: "12"}
		if ports != "" {
			annotations[tlsPorts.Name] = ports
		}
		_, warnings, err := (Configuration{}).Normalize(asked(t, annotations))
		if err != nil {
			t.Fatal(err)
		}
		if told := slices.ContainsFunc(warnings, func(w cloud.Warning) bool { return w.Field == certificate.Name }); told != want {
			t.Errorf("tls-ports %q: warnings %v, want one about the certificate: %t", ports, warnings, want)
		}
	}
}

// TestChecks says which check a port has.
func TestChecks(t *testing.T) {
	for name, tt := range map[string]struct {
		annotations map[string]string
		local       bool
		want        string // protocol, port and path of port 80
	}{
		"none":                            {want: "TCP 30080 "},
		"Local":                           {local: true, want: "HTTP 32000 /healthz"},
		"Local, with an interval":         {local: true, annotations: map[string]string{healthInterval.Name: "20"}, want: "HTTP 32000 /healthz"},
		"Local, with a protocol":          {local: true, annotations: map[string]string{keyHealthProtocol: "tcp"}, want: "TCP 30080 "},
		"a path alone":                    {annotations: map[string]string{keyHealthPath: "/ready"}, want: "HTTP 30080 /ready"},
		"statuses alone":                  {annotations: map[string]string{prefix + "http-status-codes": "200"}, want: "HTTP 30080 /"},
		"a port alone":                    {annotations: map[string]string{keyHealthPort: "30000"}, want: "TCP 30000 "},
		"an interval, of an http port":    {annotations: map[string]string{keyProtocol: "http", healthInterval.Name: "20"}, want: "HTTP 30080 /"},
		"none, of an http port":           {annotations: map[string]string{keyProtocol: "http"}, want: "TCP 30080 "},
		"upstream's protocol in capitals": {annotations: map[string]string{keyHealthProtocol: "HTTPS"}, want: "HTTPS 30080 /"},
		"the portable port":               {annotations: map[string]string{healthPort.Name: "443"}, want: "TCP 30443 "},
		"the portable path":               {annotations: map[string]string{healthPath.Name: "/ready"}, want: "HTTP 30080 /ready"},
	} {
		t.Run(name, func(t *testing.T) {
			annotations := map[string]string{location.Name: "fsn1"}
			maps.Copy(annotations, tt.annotations)
			in := asked(t, annotations)
			if in.Local = tt.local; tt.local {
				in.HealthPort = 32000
			}
			v, _, err := (Configuration{}).Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			f := v.Listeners[0].Fields()
			if got := strings.Join([]string{f["health.protocol"], f["health.port"], f["health.path"]}, " "); got != tt.want {
				t.Errorf("check %q, want %q", got, tt.want)
			}
		})
	}
}

// Upstream's spellings of portable keys mean the same.
func TestUpstreamSpellings(t *testing.T) {
	for key, value := range map[string]string{
		"algorithm-type": "Least_Connections", "disable-public-network": "T", "type": "lb21", "private-ipv4": "10.0.0.9", "private-subnet-ip-range": "10.0.0.0/24",
		"uses-proxyprotocol": "1", "http-cookie-lifetime": "5m", "http-timeout-idle": "30s", "health-check-interval": "1m", "health-check-retries": "2",
		"hostname": "WWW.example.com", "node-selector": "pool=edge", "http-certificates": "a, b", "name": "shop",
	} {
		if values, problems := Annotations().Parse(map[string]string{prefix + key: value}); len(problems) > 0 || len(values) != 1 {
			t.Errorf("%s: %v, %v", key, values, problems)
		}
	}
}
