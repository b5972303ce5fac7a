package upstream

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
)

// builder hands out one client, as cloud providers want it.
type builder struct {
	config *restclient.Config
	client clientset.Interface
}

func (b builder) Config(string) (*restclient.Config, error)  { return b.config, nil }
func (b builder) ConfigOrDie(string) *restclient.Config      { return b.config }
func (b builder) Client(string) (clientset.Interface, error) { return b.client, nil }
func (b builder) ClientOrDie(string) clientset.Interface     { return b.client }

// nodeCount is how many machines there are, all in one zone.
const nodeCount = 3

func node(i int) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{corev1.LabelTopologyZone: "us-central1-a"}}}
}

// cluster is as much of an API server as the provider asks for: nodes, the cluster id, Services
// that can be patched, and no events.
func cluster(t *testing.T) builder {
	t.Helper()
	answers := map[string]any{
		"/api/v1/nodes": nodes(),
		"/api/v1/namespaces/kube-system/configmaps":             &corev1.ConfigMapList{TypeMeta: kind("ConfigMapList"), ListMeta: metav1.ListMeta{ResourceVersion: "1"}},
		"/api/v1/namespaces/kube-system/configmaps/ingress-uid": &corev1.ConfigMap{TypeMeta: kind("ConfigMap"), ObjectMeta: metav1.ObjectMeta{Name: "ingress-uid", Namespace: "kube-system"}, Data: map[string]string{"uid": "c0ffee"}},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[r.URL.Path]
		switch {
		case r.URL.Query().Get("watch") != "":
			if flusher, ok := w.(http.Flusher); ok {
				flusher.Flush()
			}
			<-r.Context().Done()
		case ok && r.Method == http.MethodGet:
			_ = json.NewEncoder(w).Encode(answer)
		case strings.Contains(r.URL.Path, "/services/"):
			_ = json.NewEncoder(w).Encode(&corev1.Service{TypeMeta: kind("Service"), ObjectMeta: metav1.ObjectMeta{Name: "patched"}})
		default:
			_, _ = io.Copy(w, r.Body)
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	config := &restclient.Config{Host: server.URL}
	return builder{config, clientset.NewForConfigOrDie(config)}
}

func kind(name string) metav1.TypeMeta { return metav1.TypeMeta{Kind: name, APIVersion: "v1"} }

func nodes() *corev1.NodeList {
	list := &corev1.NodeList{TypeMeta: kind("NodeList"), ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for i := range nodeCount {
		list.Items = append(list.Items, *node(i))
	}
	return list
}
