package balancer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestNonsense: what is well-formed, and is not what was asked for, is an error and is not believed.
func TestNonsense(t *testing.T) {
	const another = `{"load_balancer":{"id":2,"name":"x","load_balancer_type":{"id":1,"name":"lb11"},"location":{"id":1,"name":"fsn1"}}}`
	types := func(b *Balancers, ctx context.Context) error { _, err := b.ReadNetwork(ctx); return err }
	certificate := func(b *Balancers, ctx context.Context) error {
		_, err := b.findings(ctx, cloud.Input{Spec: cloud.Spec{Options: map[string]string{annotation.Certificate.Name: "web"}}}, &hcloud.LoadBalancer{LoadBalancerType: &hcloud.LoadBalancerType{}})
		return err
	}
	for name, tt := range map[string]struct {
		answer string
		ask    func(*Balancers, context.Context) error
	}{
		"another load balancer": {another, func(b *Balancers, ctx context.Context) error { _, err := byID(ctx, b.API, "1"); return err }},
		"types without an end":  {`{"load_balancer_types":[{"id":1,"name":"lb11"}],"meta":{"pagination":{"page":1,"next_page":2,"total_entries":1}}}`, types},
		"types without pages":   {`{"load_balancer_types":[{"id":1,"name":"lb11"}]}`, types},
		"another certificate":   {`{"certificates":[{"id":7,"name":"shop"}]}`, certificate},
		"a blank certificate":   {`{"certificates":[{"name":"web"}]}`, certificate},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, tt.answer)
			}))
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			err := tt.ask(&Balancers{API: hcloud.NewClient(hcloud.WithEndpoint(server.URL))}, ctx)
			if _, unreadable := errors.AsType[*cloud.Unreadable](err); !unreadable && !errors.Is(err, cloud.ErrIncomplete) {
				t.Errorf("error %v", err)
			}
		})
	}
}
