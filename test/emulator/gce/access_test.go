package gce_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/compute/metadata"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/compute/v1"
	"google.golang.org/api/option"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

const robot = "robot@test-project.iam.gserviceaccount.com"

// A key file of the emulator's leads the vendor's library to a token, and the token to its rights.
func TestServiceAccountKey(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.Grant(robot, project, "instances.*")
	server.Grant(robot, "host-project", "firewalls.*")
	key, err := server.ServiceAccountKey(robot)
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := google.CredentialsFromJSONWithType(t.Context(), key, google.ServiceAccount, compute.ComputeScope)
	if err != nil {
		t.Fatal(err)
	}
	service := must(compute.NewService(t.Context(), option.WithEndpoint(v.url+"/compute/v1/"), option.WithTokenSource(credentials.TokenSource)))(t)
	must(service.Instances.AggregatedList(project).Do())(t)
	must(service.Firewalls.List("host-project").Do())(t)
	_, err = service.Firewalls.List(project).Do()
	is(t, "reason", refusal(t, err).Errors[0].Reason, "forbidden")
	server.Revoke(robot, project)
	_, err = service.Instances.AggregatedList(project).Do()
	is(t, "reason after the right is gone", refusal(t, err).Errors[0].Reason, "forbidden")

	forged := strings.Replace(string(key), `"private_key_id":"0`, `"private_key_id":"1`, 1)
	bad := must(google.CredentialsFromJSONWithType(t.Context(), []byte(forged), google.ServiceAccount, compute.ComputeScope))(t)
	if _, err := bad.TokenSource.Token(); err == nil {
		t.Error("a token was issued for a key nobody knows")
	}
}

func TestTokenEndpoints(t *testing.T) {
	server, v := start(t, gce.Options{TokenLife: time.Minute})
	server.SetToken("refresh", robot)
	server.SetToken("subject", robot)
	post := func(path string, form url.Values, token string) (int, string) {
		r := must(http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+path, strings.NewReader(form.Encode())))(t)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		response := must(http.DefaultTransport.RoundTrip(r))(t)
		defer response.Body.Close()
		var text strings.Builder
		_ = response.Write(&text)
		return response.StatusCode, text.String()
	}
	for _, tt := range []struct {
		path, token string
		form        url.Values
		status      int
		want        string
	}{
		{"/token", "", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"refresh"}}, 200, `"access_token":"ya29.`},
		{"/token", "", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"other"}}, 400, "invalid_grant"},
		{"/token", "", url.Values{"grant_type": {"password"}}, 400, "unsupported"},
		{"/token", "", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"a.b.c"}}, 400, "no JWT"},
		{"/v1/token", "", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "audience": {"//iam"}, "subject_token_type": {"jwt"}, "subject_token": {"subject"}}, 200, "issued_token_type"},
		{"/v1/token", "", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {"subject"}}, 400, "required"},
		{"/token-url", "test-token", nil, 200, `"accessToken":"ya29.`},
		{"/token-url", "", nil, 401, "authError"},
	} {
		if status, text := post(tt.path, tt.form, tt.token); status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s %v: %d %s", tt.path, tt.form, status, text)
		}
	}
}

func TestTokensExpire(t *testing.T) {
	now := time.Now()
	server, v := start(t, gce.Options{TokenLife: time.Minute, Now: func() time.Time { return now }})
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(v.url, "http://"))
	token := must(google.ComputeTokenSource("").Token())(t)
	is(t, "status", v.rawAs(token.AccessToken, "GET zones", "").status, 200)
	now = now.Add(time.Minute)
	got := v.rawAs(token.AccessToken, "GET zones", "")
	is(t, "rule", got.rule, "common/authentication")
	server.SetToken("other", robot)
	is(t, "rule", v.rawAs("other", "GET zones", "").rule, "common/rights")
	server.RevokeToken("other")
	is(t, "status", v.rawAs("other", "GET zones", "").status, 401)
}

// The vendor's metadata client asks the emulator.
func TestMetadataServer(t *testing.T) {
	_, v := start(t, gce.Options{Zone: "europe-west1-c"})
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(v.url, "http://"))
	c := metadata.NewClient(&http.Client{})
	for what, ask := range map[string]struct {
		get  func(context.Context) (string, error)
		want string
	}{
		"project":  {c.ProjectIDWithContext, project},
		"number":   {c.NumericProjectIDWithContext, "1000000000001"},
		"zone":     {c.ZoneWithContext, "europe-west1-c"},
		"name":     {c.InstanceNameWithContext, "control-plane-0"},
		"hostname": {c.HostnameWithContext, "control-plane-0.europe-west1-c.c.test-project.internal"},
		"network": {func(ctx context.Context) (string, error) {
			return c.GetWithContext(ctx, "instance/network-interfaces/0/network")
		}, "projects/1000000000001/networks/default"},
	} {
		is(t, what, must(ask.get(t.Context()))(t), ask.want)
	}
	if _, err := c.GetWithContext(t.Context(), "instance/nonsense"); err == nil {
		t.Error("a path that is not there has an answer")
	}
	r := must(http.NewRequestWithContext(t.Context(), http.MethodGet, v.url+"/computeMetadata/v1/instance/zone", nil))(t)
	response := must(http.DefaultTransport.RoundTrip(r))(t)
	defer response.Body.Close()
	is(t, "status without the header", response.StatusCode, 403)
}

func TestRates(t *testing.T) {
	now := time.Now()
	server, v := start(t, gce.Options{Rates: map[string]int{"read": 1, "mutate": 1}, Now: func() time.Time { return now }})
	is(t, "first read", v.raw("GET global/networks/default", "").status, 200)
	got := v.raw("GET global/networks/default", "")
	is(t, "rule", got.rule, "common/rate")
	is(t, "status", got.status, 403)
	is(t, "reason", got.reason, "rateLimitExceeded")
	is(t, "lists are another group", v.raw("GET global/networks", "").status, 200)
	is(t, "operations are another group", v.raw("GET global/operations", "").status, 200)
	is(t, "first write", v.raw("POST global/httpHealthChecks", `{"name":"a"}`).status, 200)
	is(t, "second write", v.raw("POST global/httpHealthChecks", `{"name":"b"}`).rule, "common/rate")
	now = now.Add(61 * time.Second)
	is(t, "a minute later", v.raw("GET global/networks/default", "").status, 200)
	server.SetRates(nil)
	is(t, "without limits", v.raw("GET global/networks/default", "").status, 200)
}

// A service project of a shared VPC makes a balancer in the host project's subnetwork.
func TestSharedNetwork(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.Grant(robot, project, "*")
	server.Grant(robot, "host", "firewalls.*", "networks.use")
	server.SetToken("robot", robot)
	const subnet = "projects/host/regions/us-central1/subnetworks/default"
	body := `{"name":"held","addressType":"INTERNAL","subnetwork":"` + subnet + `"}`
	got := v.rawAs("robot", "POST regions/us-central1/addresses", body)
	is(t, "rule without the right to use it", got.rule, "common/use")
	is(t, "status", got.status, 403)
	server.Grant(robot, "host", "subnetworks.use")
	is(t, "status with the right", v.rawAs("robot", "POST regions/us-central1/addresses", body).status, 200)
	is(t, "subnetwork", strings.HasSuffix(must(v.Addresses.Get(project, region, "held").Do())(t).Subnetwork, subnet), true)
	is(t, "firewall in the host project", v.rawAs("robot", "POST ../host/global/firewalls", `{"name":"fw","allowed":[{"IPProtocol":"tcp"}]}`).status, 200)
	is(t, "route in the host project", v.rawAs("robot", "GET ../host/global/routes", "").rule, "common/rights")
}

func TestQuotaPerRegion(t *testing.T) {
	server, v := start(t, gce.Options{Quotas: map[string]int{"STATIC_ADDRESSES": 1}})
	is(t, "first", v.raw("POST regions/us-central1/addresses", `{"name":"a"}`).status, 200)
	got := v.raw("POST regions/us-central1/addresses", `{"name":"b"}`)
	is(t, "reason", got.reason, "quotaExceeded")
	is(t, "status", got.status, 403)
	is(t, "another region", v.raw("POST regions/europe-west1/addresses", `{"name":"b"}`).status, 200)
	is(t, "usage in the region's quotas", must(v.Regions.Get(project, region).Do())(t).Quotas[0].Usage, 1.0)
	is(t, "quotas of the project", len(must(v.Projects.Get(project).Do())(t).Quotas), 0)
	server.SetQuota(project, "STATIC_ADDRESSES", 2)
	is(t, "with more", v.raw("POST regions/us-central1/addresses", `{"name":"b"}`).status, 200)
	server.SetQuota(project, "STATIC_ADDRESSES", -1)
	is(t, "without limit", v.raw("POST regions/us-central1/addresses", `{"name":"c"}`).status, 200)
}

func TestFaults(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.AddFault(fault.Fault{Path: "/compute/v1/projects/*/zones", Status: 503, Times: 1})
	got := v.raw("GET zones", "")
	is(t, "reason", got.reason, "backendError")
	is(t, "status", got.status, 503)
	is(t, "afterwards", v.raw("GET zones", "").status, 200)

	// A list that claims to be complete and is not.
	server.SeedInstances(3)
	const path = "/compute/v1/projects/*/aggregated/instances"
	server.AddFault(fault.Fault{Path: path, List: &fault.List{Keep: 1, Consistent: true}, Times: 1})
	short := must(v.Instances.AggregatedList(project).MaxResults(2).Do())(t)
	is(t, "machines", len(short.Items["zones/us-central1-a"].Instances), 1)
	is(t, "token", short.NextPageToken, "")
	server.AddFault(fault.Empty(path))
	is(t, "machines", len(must(v.Instances.AggregatedList(project).Do())(t).Items["zones/us-central1-a"].Instances), 0)
	server.ClearFaults()
	is(t, "machines", len(must(v.Instances.AggregatedList(project).Do())(t).Items["zones/us-central1-a"].Instances), 3)
}
