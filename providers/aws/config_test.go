package aws

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var update = flag.Bool("update", false, "rewrite golden files")

func parseFile(t *testing.T, name string) (fileConfig, []string, error) {
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
	if p := got.config.topologyPattern.String(); p != "^hpc" {
		t.Errorf("pattern %s", p)
	}
	got.config.topologyPattern = nil
	want := config{
		vpc: "vpc-1", fallbackSubnet: "subnet-1", routeTables: []string{"rtb-1", "rtb-2", "rtb-3"}, clusterID: "prod", legacyTag: true,
		families: []string{"ipv6", "ipv4"},
		balancer: balancerConfig{leaveNodeGroups: true, group: "sg-1", managedGroups: true, probe: &sharedProbe{10300, "/livez"}},
	}
	if !reflect.DeepEqual(got.config, want) {
		t.Errorf("got  %+v\nwant %+v", got.config, want)
	}
	if got.region != "eu-central-1" {
		t.Errorf("region %q is not that of the zone", got.region)
	}
	if want := (role{
		arn: "arn:aws:iam::123456789012:role/path/ccm", source: "arn:aws:eks:eu-central-1:123456789012:cluster/name",
		externalID: "a;b", session: "ccm@prod", duration: time.Hour,
	}); got.role != want || got.role.account() != "123456789012" {
		t.Errorf("role %+v of account %s", got.role, got.role.account())
	}
	if want := (override{"ec2", "eu-central-1", "https://ec2.example.com", "signing", "ec2-signing", "v4"}); *got.overrides["1"] != want {
		t.Errorf("override %+v", *got.overrides["1"])
	}
}

func TestDefaults(t *testing.T) {
	got, warnings, err := parseConfig(nil)
	if err != nil || warnings != nil {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	if p := got.config.topologyPattern; !p.MatchString("p4d.24xlarge") || !p.MatchString("trn1n.32xlarge") || p.MatchString("m5.large") {
		t.Errorf("pattern %s", p)
	}
	got.config.topologyPattern = nil
	if want := (config{families: []string{"ipv4"}}); !reflect.DeepEqual(got.config, want) {
		t.Errorf("got  %+v\nwant %+v", got.config, want)
	}
	if got.region != "" || got.role.duration != 15*time.Minute || got.elsewhere() {
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
		f, _, err := parseConfig([]byte("[Global]\n" + tt.content))
		if err != nil || f.elsewhere() != tt.want {
			t.Errorf("%q: %v, %v", tt.content, f.elsewhere(), err)
		}
	}
}

func TestRegionOfZone(t *testing.T) {
	for zone, want := range map[string]string{
		"us-east-1a": "us-east-1", "cn-north-1b": "cn-north-1", "us-gov-west-1a": "us-gov-west-1", "us-iso-east-1a": "us-iso-east-1",
		"us-isob-east-1a": "us-isob-east-1", "eu-isoe-west-1a": "eu-isoe-west-1", "us-west-2-lax-1a": "us-west-2", "ap-southeast-10c": "ap-southeast-10",
	} {
		f, _, err := parseConfig([]byte("[Global]\nZone=" + zone))
		if err != nil || f.region != want {
			t.Errorf("%s: %s, %v", zone, f.region, err)
		}
	}
}

func TestWhichOverrideCounts(t *testing.T) {
	all := func(services ...string) overrides {
		found := overrides{}
		for _, s := range services {
			found[s] = &override{service: s, region: "r", url: "https://" + strings.ReplaceAll(s, " ", "-")}
		}
		return found
	}
	tests := []struct {
		name     string
		all      overrides
		service  service
		want     string
		wantNone bool
	}{
		{"upstream's name of today", all("EC2"), serviceCompute, "EC2", false},
		{"upstream's name of before", all("ec2"), serviceCompute, "ec2", false},
		{"both, as files for both have", all("ec2", "EC2"), serviceCompute, "EC2", false},
		{"in another case", all("elastic load balancing"), serviceClassic, "elastic load balancing", false},
		{"both kinds of balancers were one service", all("elasticloadbalancing"), serviceNetwork, "elasticloadbalancing", false},
		{"its own comes first", all("elasticloadbalancing", "Elastic Load Balancing v2"), serviceNetwork, "Elastic Load Balancing v2", false},
		{"the other way round it does not hold", all("Elastic Load Balancing v2"), serviceClassic, "", true},
		{"nor for the classic kind's name of today", all("Elastic Load Balancing"), serviceNetwork, "", true},
		{"sts", all("sts"), serviceTokens, "sts", false},
		{"none", all("ec2"), serviceTokens, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.all.find(tt.service, "r")
			if got == nil != tt.wantNone || got != nil && got.service != tt.want {
				t.Errorf("got %+v", got)
			}
			if tt.all.find(tt.service, "another") != nil {
				t.Error("it is used in another region too")
			}
		})
	}
	unused := all("EC2", "kms", "ec2metadata", "s3").unused("r")
	if len(unused) != 1 || !strings.Contains(unused[0], `"s3"`) {
		t.Errorf("warnings %q", unused)
	}
	if unused := all("EC2", "ec2imds").unused("elsewhere"); len(unused) != 1 || !strings.Contains(unused[0], "elsewhere") {
		t.Errorf("warnings %q", unused)
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
	}
	if len(seen) != 20+6 {
		t.Errorf("%d keys", len(seen))
	}
}

func TestSettings(t *testing.T) {
	lookup := func(set map[string]string) func(string) string {
		return func(name string) string {
			i := slices.IndexFunc(declaredSettings(), func(s cloud.Setting) bool { return s.Name == name })
			if i < 0 {
				t.Fatalf("%s is not declared", name)
			}
			if value := set[name]; value != "" {
				return value
			}
			return declaredSettings()[i].Default
		}
	}
	s, err := readSettings(lookup(map[string]string{
		"AWS_DEFAULT_REGION": "r", "AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_EC2": "http://ec2", "AWS_USE_FIPS_ENDPOINT": "true",
	}))
	if err != nil || s.region != "r" || !s.fips || s.dualStack || s.endpoints["EC2"] != "http://ec2" || s.endpoints["STS"] != "http://all" {
		t.Errorf("%v, %+v", err, s)
	}
	_, err = readSettings(lookup(map[string]string{
		"AWS_USE_FIPS_ENDPOINT": "x", "AWS_USE_DUALSTACK_ENDPOINT": "x", "AWS_WEB_IDENTITY_TOKEN_FILE": "x", "AWS_ENDPOINT_URL_STS": "x",
	}))
	for _, name := range []string{"AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT", "AWS_ROLE_ARN", "AWS_ENDPOINT_URL_STS"} {
		if err == nil || !strings.Contains(err.Error(), name+": ") {
			t.Errorf("%s is not among the problems: %v", name, err)
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
		got, _, err := parseConfig([]byte(content))
		if err != nil {
			return
		}
		c := got.config
		for prefix, id := range map[string]string{"vpc-": c.vpc, "subnet-": c.fallbackSubnet, "sg-": c.balancer.group} {
			if id != "" && !strings.HasPrefix(id, prefix) {
				t.Errorf("%q is taken for %s", id, prefix)
			}
		}
		if len(c.families) == 0 || c.topologyPattern == nil || got.role.duration < 15*time.Minute || strings.ContainsAny(got.region, "/. ") {
			t.Errorf("%+v", got)
		}
		for name, o := range got.overrides {
			if !isURL(o.url) {
				t.Errorf("override %q has the URL %q", name, o.url)
			}
		}
	})
}
