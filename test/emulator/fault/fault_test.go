package fault_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

func request(t *testing.T, method, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		fault       fault.Fault
		method, url string
		want        bool
	}{
		{fault.Fault{}, "GET", "/v2/droplets", true},
		{fault.Fault{Method: "put"}, "PUT", "/v2/x", true},
		{fault.Fault{Method: "PUT"}, "GET", "/v2/x", false},
		{fault.Fault{Mutating: true}, "DELETE", "/v2/x", true},
		{fault.Fault{Mutating: true}, "GET", "/v2/x", false},
		{fault.Fault{Path: "/v2/droplets"}, "GET", "/v2/droplets?page=2", true},
		{fault.Fault{Path: "/v2/droplets"}, "GET", "/v2/droplets/1", false},
		{fault.Fault{Path: "/v2/droplets/*"}, "GET", "/v2/droplets/1", true},
		{fault.Fault{Path: "/v2/droplets/*"}, "GET", "/v2/droplets", false},
		{fault.Fault{Path: "/v2/droplets/*"}, "GET", "/v2/droplets/1/a", false},
		{fault.Fault{Path: "/v2/**"}, "GET", "/v2/droplets/1/a", true},
		{fault.Fault{Path: "/v2/droplets/**"}, "GET", "/v2/droplets", true},
		{fault.Fault{Page: 1}, "GET", "/v2/droplets", true},
		{fault.Fault{Page: 2}, "GET", "/v2/droplets", false},
		{fault.Fault{Page: 2}, "GET", "/v2/droplets?page=2", true},
	} {
		if got := test.fault.Matches(request(t, test.method, test.url)); got != test.want {
			t.Errorf("%+v matches %s %s: %t", test.fault, test.method, test.url, got)
		}
	}
}

func TestTakeCounts(t *testing.T) {
	var set fault.Set
	id, err := set.Add(fault.Fault{Skip: 1, Times: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, true, false} {
		if got := set.Take(request(t, "GET", "/")) != nil; got != want {
			t.Errorf("request %d hit: %t", i+1, got)
		}
	}
	if list := set.List(); len(list) != 1 || list[0].Hit != 2 {
		t.Errorf("list %+v", list)
	}
	if !set.Remove(id) || set.Remove(id) {
		t.Error("a fault can be removed once")
	}
}

func TestAddRefusesNonsense(t *testing.T) {
	negative := -1
	for _, f := range []fault.Fault{
		{Times: -1}, {Skip: -1}, {Page: -1}, {Status: 7}, {Truncate: &negative}, {List: &fault.List{Keep: -1}},
	} {
		if _, err := new(fault.Set).Add(f); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}

func TestCut(t *testing.T) {
	digitalocean := `{"droplets":[1,2,3],"links":{"pages":{"next":"x"}},"meta":{"total":9}}`
	hetzner := `{"servers":[1,2,3],"meta":{"pagination":{"last_page":3,"next_page":2,"page":1,"total_entries":9}}}`
	openstack := `{"servers":[1,2],"servers_links":[{"href":"x","rel":"next"}]}`
	for _, test := range []struct {
		list       fault.List
		body, want string
	}{
		{fault.List{Keep: 1}, digitalocean, `{"droplets":[1],"links":{"pages":{"next":"x"}},"meta":{"total":9}}`},
		{fault.List{Keep: 1, Consistent: true}, digitalocean, `{"droplets":[1],"links":{},"meta":{"total":1}}`},
		{fault.List{Consistent: true}, hetzner, `{"meta":{"pagination":{"last_page":1,"next_page":null,"page":1,"total_entries":0}},"servers":[]}`},
		{fault.List{}, openstack, `{"servers":[],"servers_links":[{"href":"x","rel":"next"}]}`},
		{fault.List{Keep: 1, Consistent: true}, openstack, `{"servers":[1]}`},
		{fault.List{Keep: 9}, `{"a":[]}`, `{"a":[]}`},
		{fault.List{}, `{"droplet":{"tags":[1]}}`, `{"droplet":{"tags":[1]}}`},
	} {
		got, err := test.list.Cut([]byte(test.body))
		if err != nil || string(got) != test.want {
			t.Errorf("cut %s: %s, %v; want %s", test.body, got, err, test.want)
		}
	}
	if _, err := (fault.List{}).Cut([]byte("no JSON")); err == nil {
		t.Error("text was cut")
	}
}

func TestDurationIsText(t *testing.T) {
	var f fault.Fault
	if err := json.Unmarshal([]byte(`{"latency":"30ms"}`), &f); err != nil || time.Duration(f.Latency) != 30*time.Millisecond {
		t.Errorf("latency %v, %v", f.Latency, err)
	}
	for _, body := range []string{`{"latency":30}`, `{"latency":"soon"}`} {
		if err := json.Unmarshal([]byte(body), &f); err == nil {
			t.Errorf("%s was accepted", body)
		}
	}
}
