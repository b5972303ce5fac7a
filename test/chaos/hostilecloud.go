package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// A foreignCloud is a cloud whose API only answers the start of a process properly. Everything else is hostile.
type foreignCloud struct {
	provider, providerID string
	config               string
	env                  []string
	// login answers what is asked at the start, and reports whether it did.
	login func(url string, w http.ResponseWriter, r *http.Request) bool
	// head, item and contentType are of a list that never ends.
	head        func(*http.Request) string
	item        string
	contentType string
}

// openStack is a cloud with the identity, compute, network and load-balancer APIs at one address.
func openStack(url string) foreignCloud {
	return foreignCloud{
		provider: "openstack", providerID: "openstack:///%08d-0000-0000-0000-000000000000",
		config: "[Global]\nauth-url=" + url + "/v3\nusername=u\npassword=p\ntenant-id=project\ndomain-id=default\nregion=RegionOne\n[LoadBalancer]\nsubnet-id=00000000-0000-0000-0000-000000000001\n",
		login:  openStackStart, item: `{},`, contentType: "application/json",
		head: func(r *http.Request) string {
			path := strings.Split(strings.TrimSuffix(strings.Trim(r.URL.Path, "/"), "/detail"), "/")
			return `{"` + path[len(path)-1] + `":[`
		},
	}
}

// openStackStart answers what a start asks: for a token, the catalogue, and what each API can do
// (https://docs.openstack.org/api-ref/identity/v3/, https://docs.openstack.org/api-ref/compute/#api-versions,
// https://docs.openstack.org/api-ref/load-balancer/v2/#api-discovery, https://docs.openstack.org/api-ref/network/v2/#extensions).
func openStackStart(url string, w http.ResponseWriter, r *http.Request) bool {
	var entries []string
	for kind, path := range map[string]string{"identity": "/v3", "compute": "/compute/v2.1", "network": "/network", "load-balancer": "/load-balancer"} {
		entries = append(entries, fmt.Sprintf(`{"type":%q,"name":%q,"id":%q,"endpoints":[{"id":"e","interface":"public","region":"RegionOne","region_id":"RegionOne","url":%q}]}`, kind, kind, kind, url+path))
	}
	catalog := `"catalog":[` + strings.Join(entries, ",") + `]`
	status := http.StatusOK
	var body string
	switch r.URL.Path {
	case "/v3/auth/tokens":
		w.Header().Set("X-Subject-Token", "token")
		status, body = http.StatusCreated, `{"token":{"expires_at":"2100-01-01T00:00:00.000000Z","project":{"id":"project","name":"p","domain":{"id":"default","name":"Default"}},`+catalog+`}}`
	case "/v3/auth/catalog":
		body = `{` + catalog + `}`
	case "/compute/v2.1/":
		body = `{"version":{"id":"v2.1","version":"2.90"}}`
	case "/load-balancer/":
		body = `{"versions":[{"id":"v2.26"}]}`
	case "/network/v2.0/extensions":
		body = `{"extensions":[{"alias":"standard-attr-tag"}]}`
	default:
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

// amazon is a cloud with all of AWS's APIs at one address.
func amazon(url string) foreignCloud {
	return foreignCloud{
		provider: "aws", providerID: "aws:///eu-west-1a/i-%017d",
		config: "[Global]\nRegion=eu-west-1\nVPC=vpc-1\nSubnetID=subnet-1\nKubernetesClusterID=lab\n",
		env:    []string{"AWS_ENDPOINT_URL=" + url, "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret"},
		login:  callerIdentity, item: `<item/>`, contentType: "text/xml",
		head: func(*http.Request) string {
			return `<DescribeInstancesResponse><reservationSet><item><instancesSet>`
		},
	}
}

// callerIdentity answers https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html.
func callerIdentity(_ string, w http.ResponseWriter, r *http.Request) bool {
	if !strings.Contains(r.Header.Get("Authorization"), "/sts/") {
		return false
	}
	w.Header().Set("Content-Type", "text/xml")
	_, _ = io.WriteString(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>`+
		`<Arn>arn:aws:iam::123456789012:user/u</Arn><UserId>u</UserId><Account>123456789012</Account>`+
		`</GetCallerIdentityResult></GetCallerIdentityResponse>`)
	return true
}

func (f foreignCloud) attacks(url string) []hostility {
	forever := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", f.contentType)
		_, err := io.WriteString(w, f.head(r))
		for block := strings.Repeat(f.item, 1<<12); err == nil; {
			_, err = io.WriteString(w, block)
		}
	}
	bomb := bytes.Repeat(compress(strings.Repeat(f.item, blockSize/len(f.item))), blocks)
	return []hostility{
		{fmt.Sprintf("%d KB that are 2 GB", len(bomb)>>10), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", f.contentType)
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(slices.Concat(compress(f.head(r)), bomb))
		}},
		{"small items without end", forever},
		{"an error without end", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			forever(w, r)
		}},
		{"nested without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", f.contentType)
			_, _ = io.WriteString(w, strings.Repeat(f.head(r), 1<<18))
		}},
		{"a page of HTML", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html><body>log in</body></html>")
		}},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, url+"/elsewhere"+r.URL.Path, http.StatusTemporaryRedirect)
		}},
	}
}

// hostileCloud lets a cloud of another API answer everything but the login with what
// [hostileAnswers] sends: its SDK decodes in a way of its own.
func hostileCloud(of func(url string) foreignCloud) func(context.Context, *arena) ([]Result, error) {
	return func(ctx context.Context, a *arena) ([]Result, error) {
		const each = 4 * time.Second
		front := &impostor{real: http.NotFoundHandler()}
		url, err := front.listen()
		if err != nil {
			return nil, err
		}
		defer func() { _ = front.server.Close() }()
		attacked := of(url)
		front.login = func(w http.ResponseWriter, r *http.Request) bool { return attacked.login(url, w, r) }
		attacks := attacked.attacks(url)
		front.answer.Store(&attacks[0].answer)
		p, err := a.startForeign(ctx, attacked)
		if err != nil {
			return nil, err
		}
		var nodes []controlplane.NodeOptions
		for n := range 10 {
			nodes = append(nodes, controlplane.NodeOptions{Name: fmt.Sprintf("node-%d", n), ProviderID: fmt.Sprintf(attacked.providerID, n), Initialized: true})
		}
		if err := a.JoinNodes(ctx, nodes); err != nil {
			return nil, err
		}
		if err := a.service(ctx, here, attacked.provider, nil); err != nil {
			return nil, err
		}
		joined := len(nodes)
		results, err := front.attack(ctx, p, attacks, each, func(n int) error {
			if _, err := a.JoinNode(ctx, controlplane.NodeOptions{Name: fmt.Sprintf("new-%d", n), Ready: true}); err != nil {
				return err
			}
			joined++
			return a.touch(ctx, attacked.provider, fmt.Sprint(n))
		})
		if err != nil {
			return results, err
		}
		list, err := a.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return results, fmt.Errorf("listing the Nodes: %w", err)
		}
		return append(results,
			count("all of them", "Nodes deleted", 0, joined-len(list.Items), ""),
			count("all of them", "requests that followed a redirect", 0, int(front.followed.Load()), ""),
		), nil
	}
}

// startForeign starts a CCM for the cloud. It is not waited for: it is not ready before the cloud
// has answered.
func (a *arena) startForeign(ctx context.Context, f foreignCloud) (*ccm.Process, error) {
	path := filepath.Join(a.Dir(), f.provider+".conf")
	if err := os.WriteFile(path, []byte(f.config), 0o600); err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	p, err := ccm.Start(ccm.Options{
		Binary: a.Binary(), Kubeconfig: a.Kubeconfig(), Provider: f.provider, Dir: a.Dir(), Name: f.provider,
		Env: f.env, Args: append([]string{"--cloud-config=" + path, "--cluster-name=lab"}, hasty...),
	})
	if err != nil {
		return nil, err
	}
	a.processes = append(a.processes, p)
	return p, p.Healthy(ctx)
}
