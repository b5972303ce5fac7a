package aws

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

const samples = "../../config/samples/aws/"

// commented is a line that is switched off.
var commented = regexp.MustCompile(`(?m)^# (\[.*\]|[A-Za-z]+ = .*)$`)

// What people copy has no mistake, also where it is switched off by a comment.
func TestSamplesAreRight(t *testing.T) {
	content, err := os.ReadFile(samples + "cloud.conf")
	if err != nil {
		t.Fatal(err)
	}
	f, warnings, err := config.Parse(commented.ReplaceAll(content, []byte("$1")))
	if err != nil || warnings != nil {
		t.Fatalf("cloud.conf: error %v, warnings %q", err, warnings)
	}
	if f.Role.ExternalID == "" || len(f.Config.Families) != 2 || len(f.Config.RouteTables) != 2 || f.Overrides.Find(config.Compute, "eu-central-1") == nil {
		t.Errorf("cloud.conf is read as %+v", f)
	}
	if f, _, err = config.Parse(content); err != nil || !f.OutsideVPC() {
		t.Errorf("cloud.conf as it is: %v, %+v", err, f)
	}
	values, err := os.ReadFile(samples + "values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		AWS struct {
			Credentials struct{ Inline struct{ CloudConf string } }
		}
	}
	if err := yaml.Unmarshal(values, &chart); err != nil {
		t.Fatal(err)
	}
	if f, warnings, err = config.Parse([]byte(chart.AWS.Credentials.Inline.CloudConf)); err != nil || warnings != nil || !f.OutsideVPC() {
		t.Errorf("values.yaml: error %v, warnings %q, %+v", err, warnings, f)
	}
}

// The Service of the sample gets what its comments say.
func TestSampleServiceIsRight(t *testing.T) {
	content, err := os.ReadFile(samples + "service-nlb.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var svc corev1.Service
	if err := yaml.UnmarshalStrict(content, &svc); err != nil {
		t.Fatal(err)
	}
	values, problems := option.All().Parse(svc.Annotations)
	if len(problems) > 0 {
		t.Fatalf("annotations: %v", problems)
	}
	in := cloud.Input{
		Spec: cloud.Spec{
			Owner:   cloud.Owner{Cluster: "test", Namespace: "shop", Name: "web", UID: "11111111-2222-3333-4444-555555555555"},
			Ports:   make([]cloud.Port, len(svc.Spec.Ports)),
			Options: values,
		},
		Environment: cloud.Environment{
			Findings: balancer.Found.Seal(balancer.Findings{Subnets: option.Subnets.List(values)}),
		},
	}
	for i, port := range svc.Spec.Ports {
		in.Ports[i] = cloud.Port{Name: port.Name, Protocol: cloud.ProtocolTCP, Port: int(port.Port), NodePort: 30000 + i}
	}
	b, notes, err := wire(session.Clients{}, config.Config{ClusterName: "kubernetes", Cluster: tag.Cluster{ID: "test", VPC: "vpc-1"}}).Normalize(in)
	if err != nil || len(notes) > 0 {
		t.Fatalf("error %v, notes %v", err, notes)
	}
	places := "subnet-0a1b2c3d4e5f60718=eipalloc-0a1b2c3d4e5f60718,subnet-1a1b2c3d4e5f60718=eipalloc-1a1b2c3d4e5f60718"
	if b.ProviderFields[balancer.FieldType] != balancer.KindNetwork || b.ProviderFields[balancer.FieldGroups] != secgroup.OwnGroup || b.ProviderFields[balancer.FieldSubnets] != places {
		t.Errorf("it is read as %v", b.ProviderFields)
	}
	for _, l := range b.Listeners {
		if tls := l.Port == 443; tls != (l.Protocol == cloud.ProtocolTLS) {
			t.Errorf("port %d is %s", l.Port, l.Protocol)
		}
	}
}

func TestSampleTrustPoliciesAreJSON(t *testing.T) {
	for _, name := range []string{"trust-instance.json", "trust-service-account.json"} {
		content, err := os.ReadFile(samples + name)
		if err != nil || !json.Valid(content) {
			t.Errorf("%s: %v, %s", name, err, content)
		}
	}
}
