package firewall

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func tcp(from, to int, sources ...string) cloud.Opening {
	return cloud.Opening{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: from, To: to}, Sources: sources}
}

func tcpFrom(port int, balancers ...string) cloud.Opening {
	return cloud.Opening{PortRange: cloud.PortRange{Protocol: cloud.ProtocolTCP, From: port, To: port}, Balancers: balancers}
}

const a, b, c = "10.0.0.0/8", "192.0.2.0/24", "2001:db8::/32"

func TestMerge(t *testing.T) {
	udp := func(o cloud.Opening) cloud.Opening { o.Protocol = cloud.ProtocolUDP; return o }
	tests := map[string]struct{ in, want []cloud.Opening }{
		"nothing":                 {nil, nil},
		"equal":                   {[]cloud.Opening{tcp(80, 80, a), tcp(80, 80, a)}, []cloud.Opening{tcp(80, 80, a)}},
		"neighbours":              {[]cloud.Opening{tcp(82, 82, a), tcp(80, 80, a), tcp(81, 81, a)}, []cloud.Opening{tcp(80, 82, a)}},
		"a gap":                   {[]cloud.Opening{tcp(80, 80, a), tcp(82, 82, a)}, []cloud.Opening{tcp(80, 80, a), tcp(82, 82, a)}},
		"protocols":               {[]cloud.Opening{udp(tcp(80, 80, a)), tcp(81, 81, a), tcp(80, 80, a)}, []cloud.Opening{tcp(80, 81, a), udp(tcp(80, 80, a))}},
		"sources of one port":     {[]cloud.Opening{tcp(80, 80, b), tcp(80, 80, a)}, []cloud.Opening{tcp(80, 80, a, b)}},
		"balancers of one port":   {[]cloud.Opening{tcpFrom(10256, "2"), tcpFrom(10256, "1"), tcpFrom(10256, "2")}, []cloud.Opening{tcpFrom(10256, "1", "2")}},
		"different neighbours":    {[]cloud.Opening{tcp(80, 80, a), tcp(81, 81, b)}, []cloud.Opening{tcp(80, 80, a), tcp(81, 81, b)}},
		"the drawn example":       {[]cloud.Opening{tcp(80, 80, a), tcp(81, 81, a), tcp(81, 83, b), tcp(84, 84, b)}, []cloud.Opening{tcp(80, 80, a), tcp(81, 81, a, b), tcp(82, 84, b)}},
		"inside":                  {[]cloud.Opening{tcp(1, 100, a), tcp(50, 60, a)}, []cloud.Opening{tcp(1, 100, a)}},
		"a network in another":    {[]cloud.Opening{tcp(80, 80, a, "10.1.0.0/16", "2001:db8:1::/48"), tcp(80, 80, c)}, []cloud.Opening{tcp(80, 80, a, c)}},
		"everywhere has all":      {[]cloud.Opening{tcp(80, 80, a, b, c), tcp(80, 80, everywhere()...), tcpFrom(80, "1")}, []cloud.Opening{tcp(80, 80, everywhere()...)}},
		"half of everywhere":      {[]cloud.Opening{tcp(80, 80, "0.0.0.0/0", c)}, []cloud.Opening{tcp(80, 80, "0.0.0.0/0", c)}},
		"the last port":           {[]cloud.Opening{tcp(65535, 65535, a), tcp(1, 65534, a)}, []cloud.Opening{tcp(1, 65535, a)}},
		"same network, two texts": {[]cloud.Opening{tcp(80, 80, "tag:x", a)}, []cloud.Opening{tcp(80, 80, a, "tag:x")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, merge(test.in), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzMerge checks that merging changes nothing about who gets in, whatever the order, and
// leaves no two rules that could be one.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{0, 1, 3, 5, 1, 2, 2, 6})
	f.Add([]byte{0, 1, 9, 3, 0, 4, 5, 4, 0, 6, 6, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		var openings []cloud.Opening
		for chunk := range slices.Chunk(data, 4) {
			if len(chunk) < 4 {
				break
			}
			from, to := int(chunk[1]%16), int(chunk[2]%16)
			o := tcp(min(from, to), max(from, to))
			for i, source := range []string{a, b, c} {
				if chunk[3]>>i&1 == 1 {
					o.Sources = append(o.Sources, source)
				}
			}
			if chunk[3]>>3&1 == 1 {
				o.Balancers = []string{fmt.Sprint(chunk[0] % 4)}
			}
			if len(o.Sources)+len(o.Balancers) > 0 {
				openings = append(openings, o)
			}
		}
		merged := merge(openings)
		for port := range 17 {
			if diff := cmp.Diff(admitted(openings, port), admitted(merged, port)); diff != "" {
				t.Errorf("port %d lets others in (-before +after):\n%s", port, diff)
			}
		}
		for i := 1; i < len(merged); i++ {
			if last, this := merged[i-1], merged[i]; last.To >= this.From || last.To+1 == this.From && sameSources(last, this) {
				t.Errorf("%v and %v overlap or are one", last, this)
			}
		}
		slices.Reverse(openings)
		if diff := cmp.Diff(merged, merge(openings)); diff != "" {
			t.Errorf("the order counts:\n%s", diff)
		}
		if diff := cmp.Diff(merged, merge(merged)); diff != "" {
			t.Errorf("merging twice differs:\n%s", diff)
		}
	})
}

// admitted is who gets in on a port.
func admitted(openings []cloud.Opening, port int) map[string]bool {
	who := map[string]bool{}
	for _, o := range openings {
		if o.From <= port && port <= o.To {
			for _, s := range slices.Concat(o.Sources, o.Balancers) {
				who[s] = true
			}
		}
	}
	return who
}
