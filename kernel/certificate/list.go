package certificate

import (
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

// requestsInPage is how many requests are read at once. Each may have more than a megabyte, of annotations and of what it asks for.
const requestsInPage = 20

// Lister lists CertificateSigningRequests; the typed client is one.
type Lister interface {
	List(ctx context.Context, o metav1.ListOptions) (*certificatesv1.CertificateSigningRequestList, error)
}

// Serving selects the requests for serving certificates of kubelets.
func Serving(o metav1.ListOptions) metav1.ListOptions {
	o.FieldSelector = fields.OneTermEqualSelector("spec.signerName", certificatesv1.KubeletServingSignerName).String()
	return o
}

// EachServing reads all requests for serving certificates of kubelets, page after page, and hands each over. Of one that is kept its page stays
// in memory: keep a copy. It returns what the API server says of the list.
func EachServing(ctx context.Context, requests Lister, each func(*certificatesv1.CertificateSigningRequest)) (metav1.ListMeta, error) {
	o := Serving(metav1.ListOptions{Limit: requestsInPage}) // with version 0 the API server's cache would ignore the limit
	for {
		page, err := requests.List(ctx, o)
		if err != nil {
			return metav1.ListMeta{}, err
		}
		for n := range page.Items {
			each(&page.Items[n])
		}
		if o.Continue = page.Continue; o.Continue == "" {
			return page.ListMeta, nil
		}
	}
}

// Latest returns the last request of each Node's kubelet, by Node: its name, when it was made, and its status. Of several of one second an
// undecided one wins. of chooses Nodes, nil is all.
func Latest(ctx context.Context, requests Lister, of func(node string) bool) (map[string]*certificatesv1.CertificateSigningRequest, error) {
	latest := map[string]*certificatesv1.CertificateSigningRequest{}
	_, err := EachServing(ctx, requests, func(csr *certificatesv1.CertificateSigningRequest) {
		node := judge.NodeOf(csr)
		if node == "" || of != nil && !of(node) {
			return
		}
		before, made := latest[node], csr.CreationTimestamp
		if before == nil || made.After(before.CreationTimestamp.Time) || made.Equal(&before.CreationTimestamp) && judge.Open(csr) {
			latest[node] = &certificatesv1.CertificateSigningRequest{
				ObjectMeta: metav1.ObjectMeta{Name: csr.Name, CreationTimestamp: made}, Status: *csr.Status.DeepCopy(),
			}
		}
	})
	return latest, err
}

// Approval is the command that approves a request by hand, "" where a shell would read what is in its name, which its maker chose.
func Approval(request string) string {
	if len(validation.IsDNS1123Subdomain(request)) > 0 {
		return ""
	}
	return "kubectl certificate approve " + request
}
