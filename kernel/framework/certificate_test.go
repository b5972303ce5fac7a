package framework

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Whoever may edit one Service keeps no kubelet waiting: only what the API server has given to Services is reserved.
func TestClusterAddresses(t *testing.T) {
	services := []*corev1.Service{
		{Spec: corev1.ServiceSpec{ClusterIPs: []string{"10.96.0.10", "fd00::a"}}},
		{Spec: corev1.ServiceSpec{ClusterIPs: []string{corev1.ClusterIPNone}}},
		{Spec: corev1.ServiceSpec{ClusterIPs: []string{"010.96.0.011"}}}, // of an old API server
		{
			Spec: corev1.ServiceSpec{ExternalIPs: []string{"10.0.0.1"}, LoadBalancerIP: "10.0.0.2"},
			Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{
				{Hostname: "worker-1"}, {Hostname: "a.1"}, {IP: "10.0.0.3"},
			}}},
		},
	}
	if got, want := clusterAddresses(services), []string{"10.96.0.10", "fd00::a", "10.96.0.11"}; !slices.Equal(got, want) {
		t.Errorf("%q are reserved, want %q", got, want)
	}
}

// Where the API server does not stream it, the list is read in pages from etcd, and nothing of a page is kept that nobody asks for.
func TestRequestsAreReadInPages(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Encode())
		page := certificatesv1.CertificateSigningRequestList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"}}
		if r.URL.Query().Get("continue") == "more" {
			page.Continue = ""
		}
		for n := range 2 {
			page.Items = append(page.Items, certificatesv1.CertificateSigningRequest{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("csr-%d-%d", len(asked), n), Annotations: map[string]string{"large": strings.Repeat("x", 1000)}},
				Spec: certificatesv1.CertificateSigningRequestSpec{
					SignerName: certificatesv1.KubeletServingSignerName, Username: "system:node:a", Groups: []string{"system:nodes", "system:authenticated"}, Request: []byte("large"),
				},
			})
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(page); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	source := servingRequests(kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL}).CertificatesV1().CertificateSigningRequests())
	got, err := source.ListWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		t.Fatal(err)
	}
	const first = "fieldSelector=spec.signerName%3Dkubernetes.io%2Fkubelet-serving&limit=20"
	if want := []string{first, "continue=more&" + first}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	list := got.(*certificatesv1.CertificateSigningRequestList)
	if len(list.Items) != 4 || list.ResourceVersion != "7" || list.Items[3].Name != "csr-2-1" || list.Items[3].Spec.Username != "system:node:a" {
		t.Errorf("got %+v", list)
	}
	for _, item := range list.Items {
		if len(item.Annotations) > 0 || len(item.Spec.Request) > 0 {
			t.Errorf("kept %+v", item)
		}
	}
}
