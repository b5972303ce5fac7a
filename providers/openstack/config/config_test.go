package config

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

func parseFile(t *testing.T, name string) (Config, []string, error) {
	t.Helper()
	content, err := os.ReadFile("testdata/conf/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(content)
}

func TestEveryKeyIsRead(t *testing.T) {
	got, warnings, err := parseFile(t, "full.conf")
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	want := Config{
		Global: Global{
			Credential: Credential{
				authURL: "https://cloud.example.com:5000/v3", username: "kube", password: `pa;ss#"\word`,
				projectName: "prod", domainName: "Default",
			},
			TLS: TLSFiles{Insecure: true}, Region: "RegionOne", endpointType: "internalURL",
		},
		Networking: Networking{
			Ipv6Disabled: true, PublicNetworks: []string{"ext-a", "ext-b"}, InternalNetworks: []string{"int"},
			SortOrder: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")},
		},
		Balancer: Balancer{
			Enabled: true, Provider: "ovn", Method: "SOURCE_IP_PORT",
			Placement: Placement{
				Network: "net", Subnet: "sub", MemberSubnet: "msub", FloatingNetwork: "fnet", FloatingSubnet: "fsub",
				FloatingSubnetName: "~pub.*", FloatingSubnetTags: "&a,b",
			},
			Monitor: true, MonitorDelay: 10 * time.Second, MonitorTimeout: 7 * time.Second, MonitorRetries: 2, MonitorRetriesDown: 4,
			ManageSecurityGroups: true, Internal: true, NodeSelector: "a=b", Flavor: "8a6f4b5e-0000-0000-0000-000000000001", Zone: "az 1",
			IngressHostname: true, HostnameSuffix: "example.com", MaxShared: 3, TLSRef: "https://barbican/v1/containers/x",
			ContainerStore: "external", Serial: true,
		},
		Classes: map[string]Class{
			"Fast":  {Placement{Subnet: "csub", FloatingNetwork: "cfnet", FloatingSubnetName: "best"}},
			"empty": {},
		},
		Router: "router", RequestTimeout: 20 * time.Second,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDefaults(t *testing.T) {
	got, warnings, err := Parse(nil)
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	want := Config{
		Balancer: Balancer{
			Enabled: true, Provider: "amphora", Method: "ROUND_ROBIN", MonitorDelay: 5 * time.Second, MonitorTimeout: 3 * time.Second,
			MonitorRetries: 1, MonitorRetriesDown: 3, CascadeDelete: true, HostnameSuffix: "nip.io", MaxShared: 2, ContainerStore: "barbican",
		},
		Classes: map[string]Class{}, RequestTimeout: time.Minute,
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
	_, warnings, err := Parse([]byte("[LoadBalancer]\nlb-provider=ovn\nlb-method=ROUND_ROBIN\n"))
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "SOURCE_IP_PORT") {
		t.Errorf("error %v, warnings %q", err, warnings)
	}
}

// Every key is documented, and no two of a section have the same name.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
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
