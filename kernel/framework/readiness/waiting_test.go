package readiness

import (
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
	"testing"
)

// A process that waits for the cloud is alive and not ready. Then it makes room for upstream's server.
func TestWaiting(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().(*net.TCPAddr)
	free.Close()
	w := NewWaiting(address.IP, address.Port)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	ask := func(path string) int {
		answer, err := client.Get("https://127.0.0.1:" + strconv.Itoa(address.Port) + path)
		if err != nil {
			return 0
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := ask(livePath); got != 0 {
		t.Errorf("before: %d", got)
	}
	w.Wait()
	w.Wait()
	if live, ready := ask(livePath), ask(readyPath); live != http.StatusOK || ready != http.StatusServiceUnavailable {
		t.Errorf("alive: %d, ready: %d", live, ready)
	}
	w.Close()
	again, err := net.Listen("tcp", address.String())
	if err != nil {
		t.Fatalf("the address is not free: %v", err)
	}
	again.Close()
	NewWaiting(address.IP, 0).Close()
}
