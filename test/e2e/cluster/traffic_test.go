package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

func (s *story) balance(t *testing.T) {
	url := s.url80(t, "echo")
	seen := map[string]bool{}
	eventually(t, func(ctx context.Context) error {
		answer, err := ask(ctx, url)
		if err != nil {
			return err
		}
		seen[answer.Node] = true
		if len(seen) < len(s.Nodes()) {
			return fmt.Errorf("answers come from %v only", seen)
		}
		return nil
	})
	t.Log(transcript(t, url))
	t.Logf("pods on %d nodes answer", len(seen))
}

func (s *story) local(t *testing.T) {
	url := s.url80(t, "local")
	service, err := s.Client().CoreV1().Services(metav1.NamespaceDefault).Get(within(t, patience), "local", metav1.GetOptions{})
	must(t, err)
	for i, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		check := fmt.Sprintf("http://%s:%d/healthz", s.Nodes()[i].Address(), service.Spec.HealthCheckNodePort)
		eventually(t, func(ctx context.Context) error {
			got, err := status(ctx, check)
			if err == nil && got != want {
				err = fmt.Errorf("%s answers %d, want %d", check, got, want)
			}
			return err
		})
	}
	id := func(i int) string { return s.cloud.Machines[s.Nodes()[i].Name()].ID }
	eventually(t, func(context.Context) error {
		health := s.balancer(service).TargetHealth
		if health[id(0)] != api.HealthHealthy || health[id(1)] != api.HealthUnhealthy {
			return fmt.Errorf("the balancer finds its targets %v", health)
		}
		return nil
	})
	answer, err := ask(within(t, patience), url)
	must(t, err)
	// This machine has the balancer's part, and the policy keeps its address.
	client, _, err := net.SplitHostPort(answer.Client)
	must(t, err)
	if answer.Node != s.Nodes()[0].Name() || client != s.Gateway().String() {
		t.Errorf("%s answers to %s, want node-1 to %s", answer.Node, client, s.Gateway())
	}
}

// remove is a machine that goes away with everything in it, while requests go on.
func (s *story) remove(t *testing.T) {
	local, all := s.url80(t, "local"), s.url80(t, "echo")
	stop := askForever(t, local)
	gone := s.Nodes()[1]
	must(t, s.cloud.RemoveMachine(s.cloud.Machines[gone.Name()].ID))
	gone.Stop()
	_, err := s.WaitNode(within(t, patience), gone.Name(), func(node *corev1.Node) error {
		if node != nil {
			return errors.New("the node is still there")
		}
		return nil
	})
	must(t, err)
	stop()
	service, err := s.Client().CoreV1().Services(metav1.NamespaceDefault).Get(within(t, patience), "echo", metav1.GetOptions{})
	must(t, err)
	eventually(t, func(context.Context) error {
		want := []string{s.cloud.Machines["node-1"].ID}
		if got := s.balancer(service).Targets; !slices.Equal(got, want) {
			return fmt.Errorf("the balancer has targets %v, want %v", got, want)
		}
		return nil
	})
	const inARow = 20
	eventually(t, func(ctx context.Context) error {
		for range inARow {
			answer, err := ask(ctx, all)
			if err != nil {
				return err
			}
			if answer.Node != "node-1" {
				return fmt.Errorf("answered by %s", answer.Node)
			}
		}
		return nil
	})
}

// answer is what an echo pod says.
type answer struct{ Pod, Node, Client string }

// client opens a connection for each request, and so is balanced.
var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func ask(ctx context.Context, url string) (a answer, err error) {
	response, err := get(ctx, url)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return a, fmt.Errorf("%s answers %s", url, response.Status)
	}
	return a, json.NewDecoder(response.Body).Decode(&a)
}

// transcript is a request and its answer as they went over the wire.
func transcript(t *testing.T, url string) string {
	request, err := http.NewRequestWithContext(within(t, patience), http.MethodGet, url, nil)
	must(t, err)
	sent, err := httputil.DumpRequestOut(request, false)
	must(t, err)
	response, err := client.Do(request)
	must(t, err)
	defer response.Body.Close()
	received, err := httputil.DumpResponse(response, true)
	must(t, err)
	return fmt.Sprintf("curl -v %s\n%s%s", url, sent, received)
}

func status(ctx context.Context, url string) (int, error) {
	response, err := get(ctx, url)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func get(ctx context.Context, url string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(request)
}

// askForever asks 50 times a second until stop, which fails the test when one request had no
// answer.
func askForever(t *testing.T, url string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	pace := time.NewTicker(20 * time.Millisecond)
	var asking sync.WaitGroup
	answered, failed := 0, error(nil)
	asking.Go(func() {
		for failed == nil {
			select {
			case <-pace.C:
			case <-ctx.Done():
				return
			}
			if _, err := ask(ctx, url); ctx.Err() == nil {
				answered, failed = answered+1, err
			}
		}
	})
	return func() {
		t.Helper()
		cancel()
		asking.Wait()
		pace.Stop()
		if failed != nil {
			t.Errorf("request %d: %v", answered, failed)
		}
		t.Logf("%d requests were answered meanwhile", answered)
	}
}

// url80 waits until a Service has an address and its balancer answers there, and returns
// where that is: the balancer's own address and port unless this machine can't have them.
func (s *story) url80(t *testing.T, name string) string {
	t.Helper()
	url := ""
	eventually(t, func(ctx context.Context) error {
		service, err := s.Client().CoreV1().Services(metav1.NamespaceDefault).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		door := s.balancer(service).Doors["tcp/80"]
		if door == "" {
			return fmt.Errorf("service %s has no balancer: %v", name, service.Status.LoadBalancer)
		}
		url = "http://" + door + "/"
		_, err = ask(ctx, url)
		return err
	})
	return url
}

// balancer returns the one with the address that the Service shows.
func (s *story) balancer(service *corev1.Service) api.Balancer {
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if b := s.cloud.Balancer(ingress.IP); b.ID != "" {
			return b
		}
	}
	return api.Balancer{}
}
