package node_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// mute passes requests on to the API server. From when it is told to, watches stay open and say nothing.
type mute struct{ on atomic.Bool }

// silent is the answer to a watch.
type silent struct {
	io.ReadCloser
	ended <-chan struct{}
	mute  *mute
}

func (s *silent) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.mute.on.Load() {
		<-s.ended
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// behind returns a kubeconfig of the same account that leads through m.
func (s *site) behind(m *mute) string {
	s.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	s.must(err)
	transport, err := rest.TransportFor(config)
	s.must(err)
	target, err := url.Parse(config.Host)
	s.must(err)
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport, FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			if strings.Contains(r.Request.URL.RawQuery, "watch=true") {
				r.Body = &silent{r.Body, r.Request.Context().Done(), m}
			}
			return nil
		},
	})
	s.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	path := filepath.Join(s.Dir(), "mute.kubeconfig")
	s.must(clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: server.URL}},
		Contexts:       map[string]*clientcmdapi.Context{"c": {Cluster: "c"}},
		CurrentContext: "c",
	}, path))
	return path
}

// A standby whose watch hangs does not know that a Service was deleted. When it is its turn it makes no load balancer
// for it again, and leaves the lease to one that knows better.
func TestStandbyWithAWatchThatHangs(t *testing.T) {
	s := open(t, testcloud.Balancers)
	s.pool(3)
	leader := s.start("--leader-elect=true")
	s.services.add("web")
	s.awaitTargets(1, 3)
	api := &mute{}
	standby := s.start("--leader-elect=true", "--kubeconfig="+s.behind(api))
	s.eventually(func() error {
		for _, kind := range []string{"Node", "Service"} {
			if !contains(standby.Log(), `"Caches populated" type="*v1.`+kind+`"`) {
				return fmt.Errorf("the standby does not know the %ss yet", kind)
			}
		}
		return nil
	})
	api.on.Store(true)

	ctx := s.within(patience)
	s.must(s.Client().CoreV1().Services("default").Delete(ctx, "web", metav1.DeleteOptions{}))
	s.eventually(func() error {
		if _, err := s.Client().CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return errors.Join(errors.New("Service web is still there"), err)
		}
		return nil
	})
	changes := s.changes()
	s.must(leader.Stop(ctx))
	select {
	case <-standby.Done():
	case <-ctx.Done():
		t.Fatal("the standby leads")
	}
	if standby.ExitCode() == 0 || !strings.Contains(standby.Log(), "its watch hangs") {
		t.Errorf("the standby ended with %d, and said %s", standby.ExitCode(), standby.Tail())
	}
	if made := s.changes() - changes; made > 0 {
		t.Errorf("the standby changed the cloud %d times from what it knew", made)
	}
	if holder := s.holder(); holder != "" {
		t.Errorf("%s did not give the lease back", holder)
	}
	s.start("--leader-elect=true")
	s.takeover("")
}
