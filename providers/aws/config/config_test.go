package config

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

var update = flag.Bool("update", false, "rewrite golden files")

func parseFile(t *testing.T, name string) (File, []string, error) {
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
	if p := got.Config.TopologyPattern.String(); p != "^hpc" {
		t.Errorf("pattern %s", p)
	}
	got.Config.TopologyPattern = nil
	want := Config{
		Cluster: tag.Cluster{ID: "prod", Legacy: true, VPC: "vpc-1"}, FallbackSubnet: "subnet-1", RouteTables: []string{"rtb-1", "rtb-2", "rtb-3"},
		Families: []string{"ipv6", "ipv4"},
		Balancer: Balancer{LeaveNodeGroups: true, Group: "sg-1", ManagedGroups: true, Probe: &Probe{10300, "/livez"}},
	}
	if !reflect.DeepEqual(got.Config, want) {
		t.Errorf("got  %+v\nwant %+v", got.Config, want)
	}
	if got.Region != "eu-central-1" {
		t.Errorf("region %q is not that of the zone", got.Region)
	}
	if want := (Role{
		Arn: "arn:aws:iam::123456789012:role/path/ccm", Source: "arn:aws:eks:eu-central-1:123456789012:cluster/name",
		ExternalID: "a;b", Session: "ccm@prod", Duration: time.Hour,
	}); got.Role != want || got.Role.Account() != "123456789012" {
		t.Errorf("role %+v of account %s", got.Role, got.Role.Account())
	}
	if want := (Override{"ec2", "eu-central-1", "https://ec2.example.com", "signing", "ec2-signing", "v4"}); *got.Overrides["1"] != want {
		t.Errorf("override %+v", *got.Overrides["1"])
	}
}

func TestDefaults(t *testing.T) {
	got, warnings, err := Parse(nil)
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	if p := got.Config.TopologyPattern; !p.MatchString("p4d.24xlarge") || !p.MatchString("trn1n.32xlarge") || p.MatchString("m5.large") {
		t.Errorf("pattern %s", p)
	}
	got.Config.TopologyPattern = nil
	if want := (Config{Families: []string{"ipv4"}}); !reflect.DeepEqual(got.Config, want) {
		t.Errorf("got  %+v\nwant %+v", got.Config, want)
	}
	if got.Region != "" || got.Role.Duration != 15*time.Minute || got.OutsideVPC() {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsWrongIsReportedAtOnce(t *testing.T) {
	for _, name := range []string{"wrong", "role"} {
		_, warnings, err := parseFile(t, name+".conf")
		got := "errors:\n"
		if err != nil {
			got += err.Error() + "\n"
		}
		got += "\nwarnings:\n" + strings.Join(warnings, "\n") + "\n"
		golden := "testdata/conf/" + name + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got != string(want) {
			t.Errorf("%v, got\n%s", err, got)
		}
	}
}

func TestElsewhere(t *testing.T) {
	const roleARN = "RoleARN=arn:aws:iam::123456789012:role/ccm\n"
	tests := []struct {
		content string
		want    bool
	}{
		{"VPC=vpc-1\nKubernetesClusterID=a\nSubnetID=subnet-1\n", true},
		{"VPC=vpc-1\nKubernetesClusterTag=a\n" + roleARN, true},
		{"VPC=vpc-1\nKubernetesClusterID=a\n", false},
		{"VPC=vpc-1\n" + roleARN, false},
		{"KubernetesClusterID=a\n" + roleARN, false},
	}
	for _, tt := range tests {
		f, _, err := Parse([]byte("[Global]\n" + tt.content))
		if err != nil || f.OutsideVPC() != tt.want {
			t.Errorf("%q: %v, %v", tt.content, f.OutsideVPC(), err)
		}
	}
}

func TestRegionOfZone(t *testing.T) {
	for zone, want := range map[string]string{
		"us-east-1a": "us-east-1", "cn-north-1b": "cn-north-1", "us-gov-west-1a": "us-gov-west-1", "us-iso-east-1a": "us-iso-east-1",
		"us-isob-east-1a": "us-isob-east-1", "eu-isoe-west-1a": "eu-isoe-west-1", "us-west-2-lax-1a": "us-west-2", "ap-southeast-10c": "ap-southeast-10",
	} {
		f, _, err := Parse([]byte("[Global]\nZone=" + zone))
		if err != nil || f.Region != want {
			t.Errorf("%s: %s, %v", zone, f.Region, err)
		}
	}
}

func TestWhichOverrideCounts(t *testing.T) {
	all := func(services ...string) Overrides {
		found := Overrides{}
		for _, s := range services {
			found[s] = &Override{service: s, region: "r", URL: "https://" + strings.ReplaceAll(s, " ", "-")}
		}
		return found
	}
	tests := []struct {
		name     string
		all      Overrides
		service  Service
		want     string
		wantNone bool
	}{
		{"upstream's name of today", all("EC2"), Compute, "EC2", false},
		{"upstream's name of before", all("ec2"), Compute, "ec2", false},
		{"both, as files for both have", all("ec2", "EC2"), Compute, "EC2", false},
		{"in another case", all("elastic load balancing"), Classic, "elastic load balancing", false},
		{"both kinds of balancers were one service", all("elasticloadbalancing"), Network, "elasticloadbalancing", false},
		{"its own comes first", all("elasticloadbalancing", "Elastic Load Balancing v2"), Network, "Elastic Load Balancing v2", false},
		{"the other way round it does not hold", all("Elastic Load Balancing v2"), Classic, "", true},
		{"nor for the classic kind's name of today", all("Elastic Load Balancing"), Network, "", true},
		{"sts", all("sts"), Tokens, "sts", false},
		{"none", all("ec2"), Tokens, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.all.Find(tt.service, "r")
			if got == nil != tt.wantNone || got != nil && got.service != tt.want {
				t.Errorf("got %+v", got)
			}
			if tt.all.Find(tt.service, "another") != nil {
				t.Error("it is used in another region too")
			}
		})
	}
	unused := all("EC2", "kms", "ec2metadata", "s3").Unused("r")
	if len(unused) != 1 || !strings.Contains(unused[0], `"s3"`) {
		t.Errorf("warnings %q", unused)
	}
	if unused := all("EC2", "ec2imds").Unused("elsewhere"); len(unused) != 1 || !strings.Contains(unused[0], "elsewhere") {
		t.Errorf("warnings %q", unused)
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
	}
	if len(seen) != 20+6 {
		t.Errorf("%d keys", len(seen))
	}
}

func TestSettings(t *testing.T) {
	lookup := func(set map[string]string) func(string) string {
		return func(name string) string {
			i := slices.IndexFunc(Declared(), func(s cloud.Setting) bool { return s.Name == name })
			if i < 0 {
				t.Fatalf("%s is not declared", name)
			}
			if value := set[name]; value != "" {
				return value
			}
			return Declared()[i].Default
		}
	}
	s, err := Read(lookup(map[string]string{
		"AWS_DEFAULT_REGION": "r", "AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_EC2": "http://ec2", "AWS_USE_FIPS_ENDPOINT": "true",
	}))
	if err != nil || s.Region != "r" || !s.Fips || s.DualStack || s.Endpoints["EC2"] != "http://ec2" || s.Endpoints["STS"] != "http://all" {
		t.Errorf("%v, %+v", err, s)
	}
	_, err = Read(lookup(map[string]string{
		"AWS_USE_FIPS_ENDPOINT": "x", "AWS_USE_DUALSTACK_ENDPOINT": "x", "AWS_WEB_IDENTITY_TOKEN_FILE": "x", "AWS_ENDPOINT_URL_STS": "x",
	}))
	for _, wrong := range []string{"AWS_USE_FIPS_ENDPOINT: ", "AWS_USE_DUALSTACK_ENDPOINT: ", "AWS_ROLE_ARN is not set: ", "AWS_ENDPOINT_URL_STS: "} {
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q is not among the problems: %v", wrong, err)
		}
	}
}

// FuzzParseConfig looks for panics, and for values that do not hold what their keys promise.
func FuzzParseConfig(f *testing.F) {
	for _, name := range []string{"full.conf", "wrong.conf", "role.conf"} {
		content, err := os.ReadFile("testdata/conf/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Fuzz(func(t *testing.T, content string) {
		got, _, err := Parse([]byte(content))
		if err != nil {
			return
		}
		c := got.Config
		for prefix, id := range map[string]string{"vpc-": c.Cluster.VPC, "subnet-": c.FallbackSubnet, "sg-": c.Balancer.Group} {
			if id != "" && !strings.HasPrefix(id, prefix) {
				t.Errorf("%q is taken for %s", id, prefix)
			}
		}
		if len(c.Families) == 0 || c.TopologyPattern == nil || got.Role.Duration < 15*time.Minute || strings.ContainsAny(got.Region, "/. ") {
			t.Errorf("%+v", got)
		}
		for name, o := range got.Overrides {
			if _, err := cloud.ParseURL("URL", o.URL); err != nil {
				t.Errorf("override %q has the URL %q", name, o.URL)
			}
		}
	})
}
