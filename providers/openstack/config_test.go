package openstack

import (
	"flag"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite golden files")

func parseFile(t *testing.T, name string) (config, []string, error) {
	t.Helper()
	content, err := os.ReadFile("testdata/conf/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return parseConfig(content)
}

func TestEveryKeyIsRead(t *testing.T) {
	got, warnings, err := parseFile(t, "full.conf")
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	want := config{
		global: globalConfig{
			credential: credential{
				authURL: "https://cloud.example.com:5000/v3", username: "kube", password: `pa;ss#"\word`,
				projectName: "prod", domainName: "Default",
			},
			tls: tlsFiles{insecure: true}, region: "RegionOne", endpointType: "internalURL",
		},
		networking: networkingConfig{
			ipv6Disabled: true, publicNetworks: []string{"ext-a", "ext-b"}, internalNetworks: []string{"int"},
			sortOrder: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")},
		},
		balancer: balancerConfig{
			enabled: true, provider: "ovn", method: "SOURCE_IP_PORT",
			placement: placement{
				network: "net", subnet: "sub", memberSubnet: "msub", floatingNetwork: "fnet", floatingSubnet: "fsub",
				floatingSubnetName: "~pub.*", floatingSubnetTags: "&a,b",
			},
			monitor: true, monitorDelay: 10 * time.Second, monitorTimeout: 7 * time.Second, monitorRetries: 2, monitorRetriesDown: 4,
			manageSecurityGroups: true, internal: true, nodeSelector: "a=b", flavor: "8a6f4b5e-0000-0000-0000-000000000001", zone: "az 1",
			ingressHostname: true, hostnameSuffix: "example.com", maxShared: 3, tlsRef: "https://barbican/v1/containers/x",
			containerStore: "external", serial: true,
		},
		classes: map[string]classConfig{
			"Fast":  {placement{subnet: "csub", floatingNetwork: "cfnet", floatingSubnetName: "best"}},
			"empty": {},
		},
		router: "router", requestTimeout: 20 * time.Second,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDefaults(t *testing.T) {
	got, warnings, err := parseConfig(nil)
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	want := config{
		balancer: balancerConfig{
			enabled: true, provider: "amphora", method: "ROUND_ROBIN", monitorDelay: 5 * time.Second, monitorTimeout: 3 * time.Second,
			monitorRetries: 1, monitorRetriesDown: 3, cascadeDelete: true, hostnameSuffix: "nip.io", maxShared: 2, containerStore: "barbican",
		},
		classes: map[string]classConfig{}, requestTimeout: time.Minute,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWhatIsWrongIsReportedAtOnce(t *testing.T) {
	_, warnings, err := parseFile(t, "wrong.conf")
	if err == nil {
		t.Fatal("no error")
	}
	got := "errors:\n" + err.Error() + "\n\nwarnings:\n" + strings.Join(warnings, "\n") + "\n"
	if strings.Contains(got, "hunter2") {
		t.Errorf("a secret is shown in\n%s", got)
	}
	const golden = "testdata/conf/wrong.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v, got\n%s", err, got)
	}
}

func TestMethodThatOVNLacks(t *testing.T) {
	_, warnings, err := parseConfig([]byte("[LoadBalancer]\nlb-provider=ovn\nlb-method=ROUND_ROBIN\n"))
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "SOURCE_IP_PORT") {
		t.Errorf("error %v, warnings %q", err, warnings)
	}
}

// Every key is documented, and no two of a section have the same name.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range configKeys() {
		name := k.Section + " " + strings.ToLower(k.Name)
		if seen[name] || k.Doc == "" || k.Type == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: seen %v, type %q, doc %q", name, seen[name], k.Type, k.Doc)
		}
		seen[name] = true
		if k.Secret != (strings.Contains(k.Name, "password") || strings.HasSuffix(k.Name, "secret") || k.Name == "token") {
			t.Errorf("%s: secret is %v", name, k.Secret)
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d keys", len(seen))
	}
}
