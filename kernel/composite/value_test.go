package composite

import (
	"net/netip"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What a step changes is printed without Go's own notation, and in the same way each time.
func TestValue(t *testing.T) {
	yes, no := true, (*bool)(nil)
	type check struct {
		Path  *string
		Port  int
		inner int
	}
	type tagged struct {
		Port     *int   `json:"listen_port,omitempty"`
		Domain   *int   `json:"domain,omitempty"`
		Protocol string `json:"protocol"`
	}
	for _, tt := range []struct {
		is   any
		want string
	}{
		{nil, ""},
		{"text", "text"},
		{80, "80"},
		{&yes, "true"},
		{no, ""},
		{[]string{"b", "a"}, "b, a"},
		{[]string(nil), ""},
		{[]any{1, "x", cloud.IDOf{Kind: "pool", Key: "p"}}, "1, x, pool p"},
		{map[string]string{"z": "1", "a": "2"}, "a=2, z=1"},
		{map[string]any{"port": 80, "http": map[string]any{"tls": false, "codes": []string{"2??", "3??"}}, "none": nil}, "http={codes=[2??, 3??], tls=false}, port=80"},
		{map[string]any{"id": cloud.IDOf{Kind: "pool", Key: "p"}, "off": no}, "id=pool p"},
		{[]check{{Port: 80, inner: 1}}, "{Port=80}"},
		{&tagged{Port: new(80)}, "listen_port=80, protocol="},
		{netip.MustParsePrefix("10.0.0.0/8"), "10.0.0.0/8"},
		{cloud.IDOf{Kind: "service", Key: "service 80"}, "service 80"},
		{cloud.Reference{Chosen: "port", Of: cloud.IDOf{Kind: "pool", Key: "p"}}, "port of pool p"},
	} {
		if got := value(tt.is); got != tt.want {
			t.Errorf("%#v is %q, want %q", tt.is, got, tt.want)
		}
	}
}

// What several fields were is said once where they were nothing.
func TestValues(t *testing.T) {
	for want, texts := range map[string][]string{"": {"", ""}, `"", b`: {"", "b"}, "a": {"a"}} {
		if got := values(texts); got != want {
			t.Errorf("%q: %q, want %q", texts, got, want)
		}
	}
}

// What a resource is made with is named once.
func TestBrought(t *testing.T) {
	for _, tt := range []struct{ kind, key, node, want string }{
		{"public_interface", "public", "", "public interface"},
		{"network", "private", "", "network private"},
		{"target", "server 50000001", "", "target server 50000001"},
		{"target", "server 50000001", "node-1", "target node-1"},
		{"service", "service 80", "", "service 80"},
	} {
		if got := brought(cloud.Resource{Kind: tt.kind, Key: tt.key}, tt.node); got != tt.want {
			t.Errorf("%s %s is %q, want %q", tt.kind, tt.key, got, tt.want)
		}
	}
}
