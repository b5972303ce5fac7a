package hcloud_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// api is a server on real sockets, the vendor's client, and a plain HTTP client.
type api struct {
	*hcloud.Server
	*sdk.Client

	t     *testing.T
	token string
}

func start(t *testing.T, options hcloud.Options) *api {
	t.Helper()
	server, err := hcloud.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	a := &api{Server: server, t: t, token: "test-token"}
	a.Client = a.client("test-token")
	return a
}

// client is the vendor's client without its retries.
func (a *api) client(token string) *sdk.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	a.t.Cleanup(transport.CloseIdleConnections)
	return sdk.NewClient(sdk.WithToken(token), sdk.WithEndpoint(a.Endpoint()),
		sdk.WithHTTPClient(&http.Client{Transport: transport}), sdk.WithRetryOpts(sdk.RetryOpts{MaxRetries: 0}),
		sdk.WithPollOpts(sdk.PollOpts{BackoffFunc: sdk.ConstantBackoff(time.Millisecond)}))
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

// code is the code of an error answer.
func (a answer) code() string {
	object, _ := a.body["error"].(map[string]any)
	code, _ := object["code"].(string)
	return code
}

// fields are the names in the details of an error answer.
func (a answer) fields() []string {
	var body struct {
		Error struct {
			Details struct {
				Fields []struct{ Name string }
			}
		}
	}
	_ = json.Unmarshal([]byte(a.text), &body) // no fields in anything else
	var names []string
	for _, f := range body.Error.Details.Fields {
		names = append(names, f.Name)
	}
	return names
}

// do sends a request with a text or JSON body to a path below the endpoint.
func (a *api) do(method, path string, body any) answer {
	a.t.Helper()
	return a.send(method, a.Endpoint()+path, body, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+a.token) })
}

func (a *api) send(method, url string, body any, prepare func(*http.Request)) answer {
	a.t.Helper()
	text, isText := body.(string)
	data := []byte(text)
	if !isText && body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			a.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(a.t.Context(), method, url, bytes.NewReader(data))
	if err != nil {
		a.t.Fatal(err)
	}
	prepare(r)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatalf("%s %s: %v", method, url, err)
	}
	defer response.Body.Close()
	data, err = io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatalf("%s %s: %v", method, url, err)
	}
	got := answer{status: response.StatusCode, header: response.Header, text: string(data)}
	_ = json.Unmarshal(data, &got.body) // not every answer is an object
	return got
}

// refused insists on a refusal by a rule.
func (a *api) refused(rule, method, path string, body any) answer {
	a.t.Helper()
	got := a.do(method, path, body)
	if got.header.Get("X-Emulator-Rule") != rule || got.status < 400 {
		a.t.Errorf("%s %s %v: %d %s by rule %q, want rule %q", method, path, body, got.status, got.text, got.header.Get("X-Emulator-Rule"), rule)
	}
	return got
}

// want insists on a status.
func (a *api) want(status int, method, path string, body any) answer {
	a.t.Helper()
	got := a.do(method, path, body)
	if got.status != status {
		a.t.Fatalf("%s %s %v: status %d, want %d: %s", method, path, body, got.status, status, got.text)
	}
	return got
}

// code is the code of the vendor's error.
func code(err error) sdk.ErrorCode {
	var e sdk.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// object is a JSON object under construction.
type object map[string]any

// with returns a copy with other values; a nil value removes the field.
func (o object) with(changes object) object {
	made := object{}
	for _, part := range []object{o, changes} {
		for name, value := range part {
			made[name] = value
			if value == nil {
				delete(made, name)
			}
		}
	}
	return made
}
