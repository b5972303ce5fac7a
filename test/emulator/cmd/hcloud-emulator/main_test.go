package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// get answers the body of a request with the login.
func get(t *testing.T, url string, login func(*http.Request)) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	login(r)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRunServesUntilItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	output, input := io.Pipe()
	done := make(chan error)
	go func() {
		done <- run(ctx, []string{"-listen", "127.0.0.1:0", "-listen-robot", "127.0.0.1:0", "-network", "cluster", "-servers", "2", "-server-names", "a, b", "-dedicated", "1"}, input)
	}()
	lines := bufio.NewScanner(output)
	lines.Scan()
	api := lines.Text()
	lines.Scan()
	robot := lines.Text()
	token := func(r *http.Request) { r.Header.Set("Authorization", "Bearer test-token") }
	text := get(t, api+"/servers", token)
	for _, name := range []string{"node-0", "node-1", `"a"`, `"b"`, `"ip":"10.0.0.10"`} {
		if !strings.Contains(text, name) {
			t.Errorf("no server %s: %s", name, text)
		}
	}
	if text := get(t, robot+"/server", func(r *http.Request) { r.SetBasicAuth("robot-user", "robot-password") }); !strings.Contains(text, "metal-0") {
		t.Errorf("no dedicated server: %s", text)
	}
	metadata := strings.TrimSuffix(api, "/v1") + "/hetzner/v1/metadata/private-networks"
	if text := get(t, metadata, func(*http.Request) {}); !strings.Contains(text, "network_name: cluster") {
		t.Errorf("metadata: %s", text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRunRefusesBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-nonsense"}, {"surplus"}, {"-listen", "nowhere"}, {"-listen", "127.0.0.1:0", "-listen-robot", "nowhere"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
