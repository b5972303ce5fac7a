package digitalocean_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// api is a server on a real socket and a plain HTTP client for it.
type api struct {
	*digitalocean.Server
	t     *testing.T
	url   string
	token string
}

func start(t *testing.T, options digitalocean.Options) *api {
	t.Helper()
	server := digitalocean.New(options)
	url, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return &api{Server: server, t: t, url: url, token: "test-token"}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   map[string]any
	err    error
}

func (a answer) message() string {
	text, _ := a.body["message"].(string)
	return text
}

// object returns the JSON object under a name, or an empty one.
func (a answer) object(name string) map[string]any {
	object, _ := a.body[name].(map[string]any)
	return object
}

// list returns the JSON list under a name, or an empty one.
func (a answer) list(name string) []any {
	list, _ := a.body[name].([]any)
	return list
}

// try sends a request with a text or JSON body and returns also transport errors.
func (a *api) try(ctx context.Context, method, path string, body any) answer {
	a.t.Helper()
	text, isText := body.(string)
	if !isText && body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			a.t.Fatal(err)
		}
		text = string(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, a.url+path, strings.NewReader(text))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	response, err := client(a.t).Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	got := answer{status: response.StatusCode, header: response.Header, err: err}
	_ = json.Unmarshal(data, &got.body) // not every answer is JSON
	return got
}

// client opens a connection per request, so that net/http repeats nothing by itself.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// do is try without transport errors.
func (a *api) do(method, path string, body any) answer {
	a.t.Helper()
	got := a.try(a.t.Context(), method, path, body)
	if got.err != nil {
		a.t.Fatalf("%s %s: %v", method, path, got.err)
	}
	return got
}

// want is do that insists on a status.
func (a *api) want(status int, method, path string, body any) answer {
	a.t.Helper()
	got := a.do(method, path, body)
	if got.status != status {
		a.t.Fatalf("%s %s %v: status %d, want %d: %v", method, path, body, got.status, status, got.body)
	}
	return got
}

// refused insists on 422, the error shape and a part of the message.
func (a *api) refused(method, path string, body any, part string) {
	a.t.Helper()
	got := a.want(http.StatusUnprocessableEntity, method, path, body)
	if got.body["id"] != "unprocessable_entity" || got.body["request_id"] == "" || !strings.Contains(got.message(), part) {
		a.t.Errorf("%s %s %v: %v, want a message with %q", method, path, body, got.body, part)
	}
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

func rule(entry string, entryPort int, target string, targetPort int) object {
	return object{"entry_protocol": entry, "entry_port": entryPort, "target_protocol": target, "target_port": targetPort}
}

// regional and network are the smallest good requests.
func regional(name string) object {
	return object{"name": name, "region": "nyc3", "type": "REGIONAL", "forwarding_rules": []object{rule("tcp", 80, "tcp", 30080)}}
}

func network(name string) object {
	return object{"name": name, "region": "nyc3", "type": "REGIONAL_NETWORK", "forwarding_rules": []object{rule("tcp", 80, "tcp", 80)}}
}

// create makes a balancer and returns its id.
func (a *api) create(body object) string {
	a.t.Helper()
	got := a.want(http.StatusAccepted, "POST", "/v2/load_balancers", body)
	id, _ := got.object("load_balancer")["id"].(string)
	return id
}

// short is a context for requests that are expected to hang.
func short(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
