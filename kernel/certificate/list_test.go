package certificate_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
)

// pages are requests of "node second", with "decided" behind them, by their names. After the last page there is an error where it is nil.
type pages []map[string]string

func (p pages) List(_ context.Context, o metav1.ListOptions) (*certificatesv1.CertificateSigningRequestList, error) {
	at := len(o.Continue)
	list := &certificatesv1.CertificateSigningRequestList{}
	if p[at] == nil {
		return nil, errors.New("gone")
	}
	if at+1 < len(p) {
		list.Continue = o.Continue + "+"
	}
	for _, name := range slices.Sorted(maps.Keys(p[at])) {
		words := strings.Fields(p[at][name])
		second := int64(words[1][0] - '0')
		csr := certificatesv1.CertificateSigningRequest{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(second, 0))},
			Spec: certificatesv1.CertificateSigningRequestSpec{
				SignerName: certificatesv1.KubeletServingSignerName, Username: strings.Replace(words[0], "node:", "system:node:", 1), Groups: []string{"system:nodes"},
			},
		}
		if len(words) > 2 {
			csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: approved, Message: words[2]}}
		}
		list.Items = append(list.Items, csr)
	}
	return list, nil
}

// The latest request of each Node counts, on whatever page, and of those of one second the undecided one.
func TestLatest(t *testing.T) {
	requests := pages{
		{"a-1": "node:a 1", "b-1": "node:b 2 decided", "c-1": "node:c 3", "d-2": "node:d 4 decided"},
		{"a-2": "node:a 2 decided", "b-2": "node:b 2", "c-2": "node:c 3 decided", "d-1": "node:d 3", "e-1": "somebody 9"},
	}
	for name, tt := range map[string]struct {
		of   func(string) bool
		want string
	}{
		"of all Nodes": {nil, "a=a-2 decided, b=b-2, c=c-1, d=d-2 decided"},
		"of one":       {func(node string) bool { return node == "d" }, "d=d-2 decided"},
	} {
		t.Run(name, func(t *testing.T) {
			latest, err := certificate.Latest(t.Context(), requests, tt.of)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, node := range slices.Sorted(maps.Keys(latest)) {
				text := node + "=" + latest[node].Name
				for _, c := range latest[node].Status.Conditions {
					text += " " + c.Message
				}
				got = append(got, text)
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("the latest are %s, want %s", text, tt.want)
			}
		})
	}
	if _, err := certificate.Latest(t.Context(), append(requests, nil), nil); err == nil {
		t.Error("a page that can't be read is no error")
	}
}
