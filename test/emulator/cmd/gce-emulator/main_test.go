package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serve runs the command until the test ends and returns its URL.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	output, input := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), input)
		input.CloseWithError(err)
		done <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	url, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url)
}

func get(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer test-token")
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestRunServesUntilItsContextEnds(t *testing.T) {
	seed := filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(seed, []byte(`{"instances":[{"name":"from-file","zone":"eu-x1-b"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, "-regions", "eu-x1", "-zone", "eu-x1-a", "-project", "mine", "-instances", "2", "-instance-names", "a, b", "-seed", seed, "-rate", "list=1")
	_, body := get(t, http.DefaultClient, url+"/compute/v1/projects/mine/aggregated/instances")
	for _, name := range []string{"node-3", `"a"`, `"b"`, "from-file"} {
		if !strings.Contains(body, name) {
			t.Errorf("no instance %s: %s", name, body)
		}
	}
	if status, body := get(t, http.DefaultClient, url+"/compute/v1/projects/mine/aggregated/instances"); status != 403 {
		t.Errorf("the second list within a minute: %d %s", status, body)
	}
}

func TestRunServesTLS(t *testing.T) {
	certificate, key, pool := certify(t)
	url := serve(t, "-tls-cert", certificate, "-tls-key", key)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	if status, body := get(t, c, url+"/compute/v1/projects/test-project/zones"); status != 200 || !strings.HasPrefix(url, "https://") {
		t.Errorf("%s: %d %s", url, status, body)
	}
}

// certify makes a certificate for the loopback address.
func certify(t *testing.T) (certificate, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for file, content := range map[string][]byte{certificate: text, key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return certificate, key, pool
}

func TestRunRefusesBadFlags(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(bad, []byte(`{"machines":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-nonsense"}, {"surplus"}, {"-listen", "nowhere"}, {"-quota", "X"}, {"-tls-key", "x"}, {"-seed", bad}, {"-seed", "missing"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
