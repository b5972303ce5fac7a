package aws

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// site is AWS as far as starting needs it: STS, EC2 and the metadata of a machine, which is
// i-self in vpc-self.
type site struct {
	*httptest.Server
	// tags are those of the machine.
	tags map[string]string
	// silent services do not answer, refused ones answer with a code.
	silent  string
	refused map[string]string
	// trusted is what the driver wants other than the usual certificates.
	trusted *tls.Config

	mu       sync.Mutex
	requests []request
}

// request is one that was made. What was asked of the metadata has the path as its action.
type request struct {
	action, host, userAgent, authorization string
	header                                 http.Header
	form                                   url.Values
	read                                   bool
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{tags: map[string]string{"kubernetes.io/cluster/prod": "owned"}, refused: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	for _, name := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE"} {
		t.Setenv(name, "")
	}
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("AWS_CONFIG_FILE", none)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", none)
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", s.URL)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action := r.URL.Path
	if !strings.HasPrefix(action, "/latest/") {
		r.ParseForm()
		action = r.Form.Get("Action")
	}
	s.mu.Lock()
	s.requests = append(s.requests, request{action, r.Host, r.UserAgent(), r.Header.Get("Authorization"), r.Header, r.Form, false})
	s.mu.Unlock()
	if code := s.refused[action]; code != "" {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `<ErrorResponse><Error><Code>%s</Code><Message>no</Message></Error></ErrorResponse>`, code)
		return
	}
	credentials := func(name string) string {
		return fmt.Sprintf(`<%[1]sResponse><%[1]sResult><Credentials><AccessKeyId>FROM%[1]s</AccessKeyId><SecretAccessKey>x</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%[2]s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`,
			name, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	}
	var tags strings.Builder
	for k, v := range s.tags {
		fmt.Fprintf(&tags, `<item><key>%s</key><value>%s</value></item>`, k, v)
	}
	fmt.Fprint(w, map[string]string{
		"/latest/api/token":                                        "token",
		"/latest/meta-data/instance-id":                            "i-self\n",
		"/latest/dynamic/instance-identity/document":               `{"region": "machine-region-1"}`,
		"/latest/meta-data/iam/security-credentials/":              "role",
		"/latest/meta-data/iam/security-credentials/role":          `{"Code": "Success", "AccessKeyId": "FROMMACHINE", "SecretAccessKey": "x", "Token": "t", "Expiration": "2100-01-01T00:00:00Z"}`,
		"/latest/meta-data/iam/security-credentials-extended/":     "role",
		"/latest/meta-data/iam/security-credentials-extended/role": `{"Code": "Success", "AccessKeyId": "FROMMACHINE", "SecretAccessKey": "x", "Token": "t", "Expiration": "2100-01-01T00:00:00Z"}`,
		"GetCallerIdentity":                                        `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
		"AssumeRole":                                               credentials("AssumeRole"),
		"AssumeRoleWithWebIdentity":                                credentials("AssumeRoleWithWebIdentity"),
		"DescribeInstances":                                        `<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-self</instanceId><vpcId>vpc-self</vpcId><subnetId>subnet-self</subnetId><tagSet>` + tags.String() + `</tagSet></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`,
		"DescribeSecurityGroups":                                   `<DescribeSecurityGroupsResponse><securityGroupInfo><item><ownerId>210987654321</ownerId></item></securityGroupInfo></DescribeSecurityGroupsResponse>`,
	}[action])
}

// made returns the requests with these actions.
func (s *site) made(actions ...string) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []request
	for _, r := range s.requests {
		if slices.Contains(actions, r.action) {
			found = append(found, r)
		}
	}
	return found
}

// transport is the kernel's in these tests. It refuses what the silent service is asked, as a
// network does, and records what ReadOnly says.
type transport struct{ site *site }

func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if silent := tr.site.silent; silent != "" && strings.HasPrefix(r.URL.Host, silent+".") {
		return nil, &net.OpError{Op: "dial", Err: errors.New("no route to host")}
	}
	read := ReadOnly(r)
	// Every name leads to the site.
	u, err := url.Parse(tr.site.URL)
	if err != nil {
		return nil, err
	}
	host := r.URL.Host
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = u.Scheme, u.Host, host
	answer, err := http.DefaultTransport.RoundTrip(r)
	tr.site.mu.Lock()
	defer tr.site.mu.Unlock()
	if n := len(tr.site.requests); n > 0 {
		tr.site.requests[n-1].read = read
	}
	return answer, err
}

// started is a driver with the clients and settings of its parts.
type started struct {
	*Driver
	session.Clients
	cluster                tag.Cluster
	region, fallbackSubnet string
}

// start makes a driver.
func (s *site) start(t *testing.T, conf string, set map[string]string) (started, []string, error) {
	t.Helper()
	var warnings []string
	defaults := map[string]string{}
	for _, setting := range config.Declared() {
		defaults[setting.Name] = setting.Default
	}
	lookup := func(name string) string {
		if value := set[name]; value != "" {
			return value
		}
		return defaults[name]
	}
	made, err := New(t.Context(), cloud.Config{
		Cloud: "aws", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/v1.2.3", Transport: transport{s},
		WithTLS: func(settings *tls.Config) http.RoundTripper { s.trusted = settings; return transport{s} },
		File:    func() ([]byte, error) { return []byte(conf), nil },
		Lookup:  lookup, Secret: func(name string) (string, error) { return set[name], nil },
		Warn: func(w string) { warnings = append(warnings, w) },
	})
	if err != nil {
		return started{}, warnings, err
	}
	d, _ := made.Account.(*Driver)
	return started{d, d.Clients, d.Account.Cluster, d.Account.Region, d.VPC.FallbackSubnet}, warnings, err
}

// elsewhere is a file for a process outside AWS, keys are credentials for it.
const elsewhere = "[Global]\nVPC=vpc-1\nSubnetID=subnet-1\nKubernetesClusterID=prod\n"

func accessKey(more ...string) map[string]string {
	set := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "x"}
	for i := 0; i < len(more); i += 2 {
		set[more[i]] = more[i+1]
	}
	return set
}

func TestOneRequestWithACompleteConfiguration(t *testing.T) {
	s := newSite(t)
	d, warnings, err := s.start(t, elsewhere, accessKey())
	if err != nil || warnings != nil || len(s.requests) != 1 {
		t.Fatalf("%v, warnings %q, %d requests", err, warnings, len(s.requests))
	}
	r := s.requests[0]
	if r.action != "GetCallerIdentity" || r.host != "sts.eu-central-1.amazonaws.com" || !strings.Contains(r.userAgent, "multicloud-ccm/v1.2.3") || !strings.Contains(r.authorization, "Credential=AKID/") {
		t.Errorf("request %+v", r)
	}
	if got, err := d.Identity(t.Context()); err != nil || got != (cloud.Identity{Account: "123456789012", Region: "eu-central-1"}) {
		t.Errorf("%v, %+v", err, got)
	}
	if d.cluster.VPC != "vpc-1" || d.fallbackSubnet != "subnet-1" || d.cluster.ID != "prod" {
		t.Errorf("cluster %+v, subnet %s", d.cluster, d.fallbackSubnet)
	}
}

func TestWhatTheMachineSays(t *testing.T) {
	s := newSite(t)
	d, warnings, err := s.start(t, "", nil)
	if err != nil || warnings != nil {
		t.Fatalf("%v, warnings %q, requests %+v", err, warnings, s.requests)
	}
	if c := d.cluster; c.VPC != "vpc-self" || d.fallbackSubnet != "subnet-self" || c.ID != "prod" || c.Legacy || d.region != "machine-region-1" {
		t.Errorf("cluster %+v, subnet %s, region %s", c, d.fallbackSubnet, d.region)
	}
	for _, r := range s.requests {
		if !r.read {
			t.Errorf("%s is not taken for one that only reads", r.action)
		}
	}
	if n := len(s.made("DescribeInstances")); n != 1 {
		t.Errorf("%d requests for the machine", n)
	}
	if r := s.made("DescribeInstances")[0]; !strings.Contains(r.authorization, "Credential=FROMMACHINE/") {
		t.Errorf("signed by %s", r.authorization)
	}
}

func TestClusterID(t *testing.T) {
	tests := []struct {
		name       string
		conf       string
		tags       map[string]string
		want       string
		wantLegacy bool
		wantErr    string
	}{
		{name: "tag", tags: map[string]string{"kubernetes.io/cluster/a": "", "x": "y"}, want: "a"},
		{name: "old tag", tags: map[string]string{"KubernetesCluster": "a"}, want: "a", wantLegacy: true},
		{name: "both", tags: map[string]string{"KubernetesCluster": "a", "kubernetes.io/cluster/a": ""}, want: "a", wantLegacy: true},
		{name: "both, for different clusters", tags: map[string]string{"KubernetesCluster": "a", "kubernetes.io/cluster/b": ""}, wantErr: "do not agree"},
		{name: "two", tags: map[string]string{"kubernetes.io/cluster/a": "", "kubernetes.io/cluster/b": ""}, wantErr: "another cluster"},
		{name: "none", wantErr: "KubernetesClusterID"},
		{name: "the file comes first", conf: "[Global]\nKubernetesClusterID=c", tags: map[string]string{"KubernetesCluster": "a"}, want: "c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			s.tags = tt.tags
			d, _, err := s.start(t, tt.conf, accessKey())
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || d.cluster.ID != tt.want || d.cluster.Legacy != tt.wantLegacy {
				t.Errorf("%v, %+v", err, d)
			}
		})
	}
}

func TestOutsideAWS(t *testing.T) {
	s := newSite(t)
	s.refused["/latest/meta-data/instance-id"] = "nothing here"
	_, _, err := s.start(t, "", accessKey())
	if err == nil || !strings.Contains(err.Error(), "KubernetesClusterID and VPC in [Global] of cloud.conf") {
		t.Errorf("error %v", err)
	}
	d, warnings, err := s.start(t, "[Global]\nVPC=vpc-1\nKubernetesClusterID=a\n", accessKey())
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "subnet") || d.cluster.VPC != "vpc-1" {
		t.Errorf("%v, warnings %q", err, warnings)
	}
}

func TestRegion(t *testing.T) {
	tests := []struct {
		name, conf string
		set        map[string]string
		want       string
	}{
		{"Zone", "Zone=us-west-2b\nRegion=us-east-1", accessKey(), "us-west-2"},
		{"Region", "Region=us-east-1", accessKey(), "us-east-1"},
		{"AWS_REGION", "", accessKey("AWS_DEFAULT_REGION", "x-y-1"), "eu-central-1"},
		{"AWS_DEFAULT_REGION", "", accessKey("AWS_REGION", "", "AWS_DEFAULT_REGION", "x-y-1"), "x-y-1"},
		{"the machine's", "", accessKey("AWS_REGION", ""), "machine-region-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			d, _, err := s.start(t, elsewhere+tt.conf, tt.set)
			if err != nil || d.region != tt.want {
				t.Errorf("%v, %+v", err, d)
			}
		})
	}
}

// The endpoints of every partition are the SDK's.
func TestEndpoints(t *testing.T) {
	tests := []struct {
		name, conf string
		set        map[string]string
		want       string // of EC2, the kinds of balancers and STS
	}{
		{"aws", "", accessKey(), "ec2.eu-central-1.amazonaws.com elasticloadbalancing.eu-central-1.amazonaws.com elasticloadbalancing.eu-central-1.amazonaws.com sts.eu-central-1.amazonaws.com"},
		{"aws-cn", "Region=cn-north-1", accessKey(), "ec2.cn-north-1.amazonaws.com.cn elasticloadbalancing.cn-north-1.amazonaws.com.cn elasticloadbalancing.cn-north-1.amazonaws.com.cn sts.cn-north-1.amazonaws.com.cn"},
		{"aws-us-gov", "Region=us-gov-west-1", accessKey(), "ec2.us-gov-west-1.amazonaws.com elasticloadbalancing.us-gov-west-1.amazonaws.com elasticloadbalancing.us-gov-west-1.amazonaws.com sts.us-gov-west-1.amazonaws.com"},
		{"aws-iso", "Region=us-iso-east-1", accessKey(), "ec2.us-iso-east-1.c2s.ic.gov elasticloadbalancing.us-iso-east-1.c2s.ic.gov elasticloadbalancing.us-iso-east-1.c2s.ic.gov sts.us-iso-east-1.c2s.ic.gov"},
		{"aws-eusc", "Region=eusc-de-east-1", accessKey(), "ec2.eusc-de-east-1.amazonaws.eu elasticloadbalancing.eusc-de-east-1.amazonaws.eu elasticloadbalancing.eusc-de-east-1.amazonaws.eu sts.eusc-de-east-1.amazonaws.eu"},
		{"FIPS", "Region=us-east-1", accessKey("AWS_USE_FIPS_ENDPOINT", "true"), "ec2-fips.us-east-1.amazonaws.com elasticloadbalancing-fips.us-east-1.amazonaws.com elasticloadbalancing-fips.us-east-1.amazonaws.com sts-fips.us-east-1.amazonaws.com"},
		{"dual stack", "", accessKey("AWS_USE_DUALSTACK_ENDPOINT", "true"), "ec2.eu-central-1.api.aws elasticloadbalancing.eu-central-1.api.aws elasticloadbalancing.eu-central-1.api.aws sts.eu-central-1.api.aws"},
		{"one URL", "", accessKey("AWS_ENDPOINT_URL", "http://all:1"), "all:1 all:1 all:1 all:1"},
		{"a URL each", "", accessKey("AWS_ENDPOINT_URL", "http://all:1", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2", "http://v2:2"), "all:1 all:1 v2:2 all:1"},
		{
			"old override", "[ServiceOverride \"1\"]\nService=elasticloadbalancing\nRegion=eu-central-1\nURL=https://lb\nSigningRegion=r\n", accessKey("AWS_ENDPOINT_URL", "http://all:1"),
			"all:1 lb lb all:1",
		},
		{
			"override of STS", "[ServiceOverride \"1\"]\nService=STS\nRegion=eu-central-1\nURL=https://sts-there\nSigningRegion=r\n", accessKey("AWS_USE_FIPS_ENDPOINT", "true"),
			"ec2-fips.eu-central-1.amazonaws.com elasticloadbalancing-fips.eu-central-1.amazonaws.com elasticloadbalancing-fips.eu-central-1.amazonaws.com sts-there",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			d, _, err := s.start(t, elsewhere+tt.conf, tt.set)
			if err != nil {
				t.Fatal(err)
			}
			s.requests = nil
			d.Compute.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{})
			d.Classic.DescribeLoadBalancers(t.Context(), &elasticloadbalancing.DescribeLoadBalancersInput{})
			d.Network.DescribeLoadBalancers(t.Context(), &elasticloadbalancingv2.DescribeLoadBalancersInput{})
			d.Identity(t.Context())
			var hosts []string
			for _, r := range s.requests {
				hosts = append(hosts, r.host)
			}
			if got := strings.Join(hosts, " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestOverriddenRequestsAreSignedAsTheFileSays(t *testing.T) {
	s := newSite(t)
	conf := elsewhere + "[ServiceOverride \"1\"]\nService=sts\nRegion=eu-central-1\nURL=https://there/path\nSigningRegion=mars\nSigningName=other\n"
	if _, _, err := s.start(t, conf, accessKey()); err != nil {
		t.Fatal(err)
	}
	if got := s.requests[0].authorization; !strings.Contains(got, "/mars/other/aws4_request") {
		t.Errorf("signed as %s", got)
	}
}

func TestMetadataElsewhere(t *testing.T) {
	s := newSite(t)
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://nobody.invalid")
	conf := "[ServiceOverride \"1\"]\nService=ec2metadata\nRegion=any\nURL=" + s.URL + "\nSigningRegion=r\n"
	if d, _, err := s.start(t, conf, accessKey()); err != nil || d.cluster.VPC != "vpc-self" {
		t.Errorf("%v", err)
	}
}

func TestCredentials(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("jwt"), 0o600); err != nil {
		t.Fatal(err)
	}
	const role = elsewhere + `RoleARN=arn:aws:iam::111122223333:role/ccm
SourceARN=arn:aws:eks:eu-central-1:123456789012:cluster/name
ExternalID=secret handshake
RoleSessionName=ccm
RoleSessionDuration=30m
`
	webIdentity := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ROLE_ARN": "arn:aws:iam::1:role/irsa", "AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_SESSION_NAME": "pod"}
	tests := []struct {
		name, conf string
		set        map[string]string
		want       string   // whose key signs requests
		requests   []string // before that
	}{
		{"access key", elsewhere, accessKey(), "AKID", nil},
		{"the service account's", elsewhere, webIdentity, "FROMAssumeRoleWithWebIdentity", []string{"AssumeRoleWithWebIdentity"}},
		{"the access key comes first", elsewhere, accessKey("AWS_WEB_IDENTITY_TOKEN_FILE", token, "AWS_ROLE_ARN", "x"), "AKID", nil},
		{"role", role, accessKey(), "FROMAssumeRole", []string{"AssumeRole"}},
		{"role of a service account", role, webIdentity, "FROMAssumeRole", []string{"AssumeRoleWithWebIdentity", "AssumeRole"}},
		{"the machine's", elsewhere, map[string]string{"AWS_REGION": "eu-central-1"}, "FROMMACHINE", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			d, _, err := s.start(t, tt.conf, tt.set)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Identity(t.Context()); err != nil {
				t.Fatal(err)
			}
			var made []string
			for _, r := range s.made("AssumeRole", "AssumeRoleWithWebIdentity") {
				made = append(made, r.action)
				checkSession(t, r)
			}
			if !slices.Equal(made, tt.requests) {
				t.Errorf("sessions %q", made)
			}
			for _, r := range s.made("GetCallerIdentity") {
				if !strings.Contains(r.authorization, "Credential="+tt.want+"/") {
					t.Errorf("signed by %s", r.authorization)
				}
			}
		})
	}
}

// checkSession looks at a request for a session.
func checkSession(t *testing.T, r request) {
	t.Helper()
	want := map[string]string{"RoleArn": "arn:aws:iam::1:role/irsa", "RoleSessionName": "pod", "WebIdentityToken": "jwt"}
	if r.action == "AssumeRole" {
		want = map[string]string{
			"RoleArn": "arn:aws:iam::111122223333:role/ccm", "ExternalId": "secret handshake", "RoleSessionName": "ccm", "DurationSeconds": "1800",
		}
		if r.header.Get("X-Amz-Source-Account") != "111122223333" || r.header.Get("X-Amz-Source-Arn") != "arn:aws:eks:eu-central-1:123456789012:cluster/name" {
			t.Errorf("headers %v", r.header)
		}
		if !strings.Contains(r.authorization, "x-amz-source-account;x-amz-source-arn") {
			t.Errorf("the headers are not signed: %s", r.authorization)
		}
	}
	for key, value := range want {
		if r.form.Get(key) != value {
			t.Errorf("%s: %s is %q", r.action, key, r.form.Get(key))
		}
	}
	if !r.read {
		t.Errorf("%s would be refused in a dry run", r.action)
	}
}

func TestRotatedAccessKeyIsUsedAtOnce(t *testing.T) {
	s := newSite(t)
	set := accessKey()
	d, _, err := s.start(t, elsewhere, set)
	if err != nil {
		t.Fatal(err)
	}
	set["AWS_ACCESS_KEY_ID"] = "NEW"
	if _, err := d.Identity(t.Context()); err != nil || !strings.Contains(s.requests[1].authorization, "Credential=NEW/") {
		t.Errorf("%v, signed by %s", err, s.requests[1].authorization)
	}
}

func TestHalfAnAccessKey(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		set := accessKey()
		set[name] = ""
		if _, _, err := newSite(t).start(t, elsewhere, set); err == nil || !strings.Contains(err.Error(), name+" is not set: ") {
			t.Errorf("error %v", err)
		}
	}
}

// Whatever a request for a session is refused for, it says nothing of the machines that were
// to be asked for.
func TestNoCredentialsProveNothing(t *testing.T) {
	for code, want := range map[string]cloud.Class{
		"AccessDenied": cloud.FailureUnauthorized, "Throttling": cloud.FailureThrottled, "InternalFailure": cloud.FailureTransient,
		"InvalidInstanceID.NotFound": cloud.FailureUnauthorized,
	} {
		s := newSite(t)
		s.refused["AssumeRole"] = code
		_, _, err := s.start(t, elsewhere+"RoleARN=arn:aws:iam::111122223333:role/ccm", accessKey())
		if err == nil || failure.Classify(err).Class != want || !strings.Contains(err.Error(), "role/ccm") {
			t.Errorf("%s: %s, %v", code, failure.Classify(err).Class, err)
		}
	}
}

// The token of a service account that is not there is no reason to use other credentials.
func TestServiceAccountWithoutToken(t *testing.T) {
	s := newSite(t)
	_, _, err := s.start(t, elsewhere, map[string]string{"AWS_REGION": "eu-central-1", "AWS_ROLE_ARN": "arn:aws:iam::1:role/irsa", "AWS_WEB_IDENTITY_TOKEN_FILE": "/does/not/exist"})
	if err == nil || failure.Classify(err).Class != cloud.FailureUnauthorized || len(s.requests) != 0 {
		t.Errorf("%v, %d requests", err, len(s.requests))
	}
}

func TestAccountWhereSTSDoesNotAnswer(t *testing.T) {
	s := newSite(t)
	s.silent = "sts"
	d, _, err := s.start(t, elsewhere, accessKey())
	if err != nil {
		t.Fatal(err)
	}
	s.silent = ""
	got, err := d.Identity(t.Context())
	if err != nil || got.Account != "210987654321" {
		t.Errorf("%v, %+v: the way to tell the account has changed", err, got)
	}
	if filter := s.made("DescribeSecurityGroups")[0].form; filter.Get("Filter.1.Value.1") != "vpc-1" || filter.Get("Filter.2.Value.1") != "default" {
		t.Errorf("asked for %v", filter)
	}
}

// Credentials that are refused are no reason not to start: the Nodes and Services say it, and what is
// renewed counts.
func TestRefusedAtTheStart(t *testing.T) {
	s := newSite(t)
	s.refused["GetCallerIdentity"] = "InvalidClientTokenId"
	d, _, err := s.start(t, elsewhere, accessKey())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Identity(t.Context()); failure.Classify(err).Class != cloud.FailureUnauthorized {
		t.Errorf("error %v", err)
	}
	delete(s.refused, "GetCallerIdentity")
	if got, err := d.Identity(t.Context()); err != nil || got.Account != "123456789012" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Nothing that changes something gets through in a dry run.
func TestReadOnly(t *testing.T) {
	s := newSite(t)
	d, _, err := s.start(t, elsewhere, accessKey())
	if err != nil {
		t.Fatal(err)
	}
	s.requests = nil
	d.Compute.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{"i-1"}, Tags: []ec2types.Tag{}})
	d.Classic.DeleteLoadBalancer(t.Context(), &elasticloadbalancing.DeleteLoadBalancerInput{LoadBalancerName: aws.String("a")})
	d.Network.SetSecurityGroups(t.Context(), &elasticloadbalancingv2.SetSecurityGroupsInput{LoadBalancerArn: aws.String("a"), SecurityGroups: []string{"sg-1"}})
	if len(s.requests) != 3 {
		t.Errorf("%d requests", len(s.requests))
	}
	for _, r := range s.requests {
		if r.read {
			t.Errorf("%s is taken for one that only reads", r.action)
		}
	}
}

// The SDK refuses a bundle together with a client that is not its own.
func TestCertificatesOfOnesOwn(t *testing.T) {
	s := newSite(t)
	authority := httptest.NewTLSServer(nil)
	defer authority.Close()
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Certificate().Raw})
	if err := os.WriteFile(bundle, block, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CA_BUNDLE", bundle)
	if _, _, err := s.start(t, elsewhere, accessKey("AWS_CA_BUNDLE", bundle)); err != nil {
		t.Fatal(err)
	}
	if s.trusted == nil || s.trusted.RootCAs == nil || len(s.made("GetCallerIdentity")) != 1 {
		t.Errorf("trusted %+v, requests %+v", s.trusted, s.requests)
	}
	if err := os.WriteFile(bundle, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.start(t, elsewhere, accessKey("AWS_CA_BUNDLE", bundle)); err == nil || !strings.Contains(err.Error(), "AWS_CA_BUNDLE") {
		t.Errorf("error %v", err)
	}
}

// TestRedirectsAreNotFollowed: a request carries what it is signed with, also the session token, which
// net/http hands on to whoever a redirect names.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Setenv("AWS_CA_BUNDLE", "") // the SDK reads it by itself, and wants a transport of its own then
	var reached []*http.Request
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = append(reached, r) }))
	t.Cleanup(thief.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var asked atomic.Int32
		redirect := http.RedirectHandler(thief.URL, status)
		hop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			redirect.ServeHTTP(w, r)
		}))
		t.Cleanup(hop.Close)
		set := accessKey("AWS_SESSION_TOKEN", "secret", "AWS_ENDPOINT_URL", hop.URL)
		d, err := New(t.Context(), cloud.Config{
			Cloud: "aws", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test", Transport: http.DefaultTransport,
			File:   func() ([]byte, error) { return []byte(elsewhere), nil },
			Lookup: func(name string) string { return set[name] }, Secret: func(name string) (string, error) { return set[name], nil },
			Warn: func(string) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Identity(t.Context()); err == nil || asked.Load() == 0 {
			t.Errorf("%d: error %v after %d requests, want one that fails", status, err, asked.Load())
		}
	}
	for _, r := range reached {
		t.Errorf("%s %s reached another host, with token %q", r.Method, r.URL, r.Header.Get("X-Amz-Security-Token"))
	}
}
