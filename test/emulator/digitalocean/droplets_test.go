package digitalocean_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// names collects the names in a list answer.
func names(got answer, list string) string {
	var all []string
	for _, element := range got.list(list) {
		fields, _ := element.(map[string]any)
		all = append(all, fmt.Sprint(fields["name"]))
	}
	return strings.Join(all, " ")
}

func TestDropletPages(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Droplets.Seed(450)
	for query, want := range map[string]int{
		"": 20, "?per_page=200": 200, "?per_page=500": 200, "?per_page=200&page=3": 50,
		"?per_page=200&page=4": 0, "?page=999999999": 0, "?per_page=0&page=-1": 20, "?per_page=x": 20,
	} {
		got := a.want(http.StatusOK, "GET", "/v2/droplets"+query, nil)
		if len(got.list("droplets")) != want || got.object("meta")["total"] != 450.0 {
			t.Errorf("%q: %d droplets of %v, want %d of 450", query, len(got.list("droplets")), got.object("meta"), want)
		}
	}
	got := a.want(http.StatusOK, "GET", "/v2/droplets?per_page=200&page=2&type=droplets", nil)
	pages, _ := got.object("links")["pages"].(map[string]any)
	for name, page := range map[string]string{"first": "1", "prev": "1", "next": "3", "last": "3"} {
		want := a.url + "/v2/droplets?page=" + page + "&per_page=200&type=droplets"
		if pages[name] != want {
			t.Errorf("link %s is %v, want %s", name, pages[name], want)
		}
	}
	if got := a.want(http.StatusOK, "GET", "/v2/droplets?name=node-7", nil).object("links"); len(got) != 0 {
		t.Errorf("links of a single page: %v", got)
	}
}

func TestDropletFilters(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Droplets.Seed(2, func(d *digitalocean.Droplet) { d.Tags = []string{"k8s:One"} })
	a.Droplets.Add(digitalocean.Droplet{Name: "GPU", Size: "gpu-h100x1-80gb", Region: "nyc3"})
	for query, want := range map[string]string{
		"":                       "node-0 node-1",
		"?name=NODE-1":           "node-1",
		"?name=node":             "",
		"?tag_name=k8s:one":      "node-0 node-1",
		"?tag_name=missing":      "",
		"?type=gpus":             "GPU",
		"?type=gpus&name=node-1": "",
	} {
		if got := names(a.want(http.StatusOK, "GET", "/v2/droplets"+query, nil), "droplets"); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	a.refused("GET", "/v2/droplets?name=a&tag_name=b", nil, "combined")
}

func TestDropletLife(t *testing.T) {
	a := start(t, digitalocean.Options{})
	id := a.Droplets.Seed(1)[0].ID
	path := fmt.Sprintf("/v2/droplets/%d", id)
	status := func() any { return a.want(http.StatusOK, "GET", path, nil).object("droplet")["status"] }
	steps := []struct {
		do   func(...int) error
		want string
	}{{a.Droplets.PowerOff, "off"}, {a.Droplets.PowerOn, "active"}}
	for _, step := range steps {
		if err := step.do(id); err != nil || status() != step.want {
			t.Errorf("status %v, want %s: %v", status(), step.want, err)
		}
	}
	if err := a.Droplets.Delete(id); err != nil {
		t.Fatal(err)
	}
	got := a.want(http.StatusNotFound, "GET", path, nil)
	if got.body["id"] != "not_found" {
		t.Errorf("body %v", got.body)
	}
	a.want(http.StatusNotFound, "GET", "/v2/droplets/abc", nil)
	if a.Droplets.Delete(id) == nil || a.Droplets.PowerOff(id) == nil || a.Droplets.Resurrect(id+1) == nil {
		t.Error("a droplet that does not exist was changed")
	}
	if err := a.Droplets.Resurrect(id); err != nil || status() != "active" {
		t.Errorf("after the resurrection: %v", err)
	}
}

func TestDropletJSON(t *testing.T) {
	a := start(t, digitalocean.Options{})
	bare := a.Droplets.Add(digitalocean.Droplet{Name: "bare", Status: digitalocean.DropletNew})
	got := a.want(http.StatusOK, "GET", fmt.Sprintf("/v2/droplets/%d", bare), nil).object("droplet")
	region, present := got["region"]
	networks, _ := got["networks"].(map[string]any)
	if region != nil || !present || fmt.Sprint(networks) != "map[v4:[] v6:[]]" {
		t.Errorf("bare droplet: region %v, networks %v", region, networks)
	}
	full := a.Droplets.Seed(1, func(d *digitalocean.Droplet) {
		d.PublicIPv6, d.ReservedIPv4, d.Size = digitalocean.PublicIPv6For(1), "198.19.200.1", "m-4vcpu-32gb"
	})[0]
	got = a.want(http.StatusOK, "GET", fmt.Sprintf("/v2/droplets/%d", full.ID), nil).object("droplet")
	text := fmt.Sprint(got["networks"])
	for _, part := range []string{full.PublicIPv4, full.PrivateIPv4, full.PublicIPv6, full.ReservedIPv4} {
		if !strings.Contains(text, part) {
			t.Errorf("networks %s lack %s", text, part)
		}
	}
	if got["vcpus"] != 4.0 || got["memory"] != 32768.0 || got["size_slug"] != "m-4vcpu-32gb" || got["vpc_uuid"] != full.VPC {
		t.Errorf("droplet %v", got)
	}
}

func TestEditDropletLeavesStatesAlone(t *testing.T) {
	a := start(t, digitalocean.Options{})
	id := a.Droplets.Seed(1)[0].ID
	before := a.State().Droplets[0]
	if err := a.Droplets.Edit(id, func(d *digitalocean.Droplet) { d.PrivateIPv4, d.ID = "", 1 }); err != nil {
		t.Fatal(err)
	}
	after := a.State().Droplets[0]
	if before.PrivateIPv4 == "" || after.PrivateIPv4 != "" || after.ID != id {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func BenchmarkListDroplets(b *testing.B) {
	server := digitalocean.New(digitalocean.Options{})
	server.Droplets.Seed(5000)
	request, err := http.NewRequestWithContext(b.Context(), "GET", "/v2/droplets?per_page=200&page=7", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer test-token")
	for b.Loop() {
		server.ServeHTTP(discard{}, request)
	}
}

// discard is a response writer that keeps nothing.
type discard struct{}

func (discard) Header() http.Header            { return http.Header{} }
func (discard) WriteHeader(int)                {}
func (discard) Write(data []byte) (int, error) { return len(data), nil }
