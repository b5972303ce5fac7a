package gce_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

const account = "ccm@test-project.iam.gserviceaccount.com"

// federated is a configuration of workload identity federation whose subject token is in a file.
func federated(t *testing.T, address, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k",
		"subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": address + "/v1/token",
		"credential_source": map[string]any{"file": file},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// identify asks who the credentials are.
func identify(t *testing.T, driver *cloud.Driver, err error) error {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	identity, err := driver.Identity(t.Context())
	if err == nil && identity.Account != "1000000000001" {
		t.Errorf("identity %+v", identity)
	}
	return err
}

// granted is an emulator with an account that may do what nodes need, and no more.
func granted(t *testing.T) (*emulator.Server, string) {
	server, address := start(t)
	server.Grant(account, project, "instances.get", "instances.aggregatedList", "projects.get")
	return server, address
}

func TestCredentials(t *testing.T) {
	server, address := granted(t)
	server.SetToken("subject", account)
	key, err := server.ServiceAccountKey(account)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, key, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := map[string]string{"GCE_METADATA_HOST": "192.0.2.1", "GOOGLE_CLOUD_PROJECT": project}
	with := func(name, value string) map[string]string {
		env := map[string]string{name: value}
		for n, v := range elsewhere {
			env[n] = v
		}
		return env
	}
	user := `{"type": "authorized_user", "client_id": "1", "client_secret": "s", "refresh_token": "subject", "token_uri": "` + address + `/token"}`
	for name, c := range map[string]client{
		"the machine":                  {},
		"token-url":                    {conf: "token-url = " + address + "/token-url\ntoken-body = hello\n"},
		"token-url nil":                {conf: "token-url = nil"},
		"a key":                        {env: with("GCE_CREDENTIALS_JSON", string(key))},
		"a file":                       {env: with("GOOGLE_APPLICATION_CREDENTIALS", file)},
		"a user":                       {env: with("GCE_CREDENTIALS_JSON", user)},
		"workload identity federation": {env: with("GCE_CREDENTIALS_JSON", federated(t, address, "subject"))},
	} {
		t.Run(name, func(t *testing.T) {
			driver, err := connect(t, address, c)
			if err := identify(t, driver, err); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRefusedCredentials(t *testing.T) {
	server, address := granted(t)
	key, err := server.ServiceAccountKey(account)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.ServiceAccountKey(account); err != nil { // the first one is not valid any more
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a key that was replaced": string(key), "a subject nobody knows": federated(t, address, "stranger")} {
		driver, err := connect(t, address, client{env: map[string]string{"GCE_CREDENTIALS_JSON": text}})
		err = identify(t, driver, err)
		if err == nil || driver.Classify(err).Class != cloud.FailureUnauthorized || strings.Contains(err.Error(), "PRIVATE KEY") || strings.Contains(err.Error(), "stranger") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A rotated key is used for the next request, and a token that is refused is not used again.
func TestRotation(t *testing.T) {
	server, address := granted(t)
	env := map[string]string{"GCE_CREDENTIALS_JSON": federated(t, address, "stranger")}
	server.SetToken("subject", account)
	good := federated(t, address, "subject")
	driver, err := connect(t, address, client{env: env, live: true})
	if err := identify(t, driver, err); err == nil {
		t.Fatal("a stranger was let in")
	}
	env["GCE_CREDENTIALS_JSON"] = good
	for range 3 {
		if err := identify(t, driver, nil); err != nil {
			t.Fatal(err)
		}
	}
	if made := server.Counters().Of("POST /v1/token"); made != 2 {
		t.Errorf("%d tokens were asked for, want one of each credential", made)
	}
	server.Revoke(account, project)
	if err := identify(t, driver, nil); driver.Classify(err).Class != cloud.FailureUnauthorized || !strings.Contains(err.Error(), "compute.projects.get") {
		t.Errorf("the error does not name the permission: %v", err)
	}
}

func TestTokenThatIsRefused(t *testing.T) {
	server, address := granted(t)
	driver, err := connect(t, address, client{})
	if err := identify(t, driver, err); err != nil {
		t.Fatal(err)
	}
	server.AddFault(fault.Fault{Path: "/compute/v1/**", Status: http.StatusUnauthorized, Times: 1})
	if err := identify(t, driver, nil); driver.Classify(err).Class != cloud.FailureUnauthorized {
		t.Errorf("got %v", err)
	}
	if err := identify(t, driver, nil); err != nil {
		t.Error(err)
	}
	if made := server.Counters().Of("GET /computeMetadata/v1/{path...}"); made != 4 {
		t.Errorf("%d requests to the metadata server, want the project, the network and two tokens", made)
	}
}

func TestProjectNumber(t *testing.T) {
	_, address := granted(t)
	driver, err := connect(t, address, client{conf: "project-id = 1000000000001"})
	if err := identify(t, driver, err); err != nil {
		t.Fatal(err)
	}
	if !driver.Machines.ProviderIDScope.Concerns("gce://test-project/us-central1-a/web-1") {
		t.Error("the project's id is not known")
	}
	if _, err := connect(t, address, client{conf: "project-id = 42"}); err == nil || !strings.Contains(err.Error(), "42") {
		t.Errorf("got %v", err)
	}
}

// Outside Google Cloud nothing is asked of a metadata server that is not there (S32).
func TestNoMetadataServer(t *testing.T) {
	server, address := granted(t)
	key, err := server.ServiceAccountKey(account)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GCE_METADATA_HOST": "127.0.0.1:1", "GCE_CREDENTIALS_JSON": string(key)}
	driver, err := connect(t, address, client{conf: "project-id = test-project", env: env})
	if err := identify(t, driver, err); err != nil {
		t.Fatal(err)
	}
	_, err = connect(t, address, client{env: env})
	if err == nil || !strings.Contains(err.Error(), "project-id") || !strings.Contains(err.Error(), "GOOGLE_CLOUD_PROJECT") {
		t.Errorf("the error does not say what to set: %v", err)
	}
}

// kOps writes such a file; it has keys without effect, and one that nobody knows.
func TestUpstreamsFile(t *testing.T) {
	_, address := granted(t)
	var warned []string
	conf := "node-tags = a-k8s-io-role-node\nnode-tags = b\nnode-instance-prefix = a\nmultizone = true\nregional\nlocal-zone = us-central1-a\nnetwork-name = n\nnode-tag = typo\n"
	driver, err := connect(t, address, client{conf: conf, warned: &warned})
	if err := identify(t, driver, err); err != nil {
		t.Fatal(err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "node-tag") {
		t.Errorf("warnings %q", warned)
	}
}
