package digitalocean

import (
	"net/http"
	"strings"
)

// Region is a region as the API shows it.
type Region struct {
	Name      string   `json:"name"`
	Slug      string   `json:"slug"`
	Features  []string `json:"features"`
	Available bool     `json:"available"`
	Sizes     []string `json:"sizes"`
}

var regionFeatures = []string{"backups", "ipv6", "metadata", "install_agent", "storage", "image_transfer"}

// sizeSlugs is a part of the real catalogue, long enough for answers of a
// realistic size: every droplet repeats the list of its region.
var sizeSlugs = strings.Fields(`
s-1vcpu-512mb-10gb s-1vcpu-1gb s-1vcpu-1gb-amd s-1vcpu-1gb-intel s-1vcpu-2gb s-1vcpu-2gb-amd s-1vcpu-2gb-intel
s-2vcpu-2gb s-2vcpu-2gb-amd s-2vcpu-2gb-intel s-2vcpu-4gb s-2vcpu-4gb-amd s-2vcpu-4gb-intel c-2 c2-2vcpu-4gb
s-4vcpu-8gb s-4vcpu-8gb-amd s-4vcpu-8gb-intel g-2vcpu-8gb gd-2vcpu-8gb m-2vcpu-16gb c-4 c2-4vcpu-8gb
s-8vcpu-16gb s-8vcpu-16gb-amd s-8vcpu-16gb-intel g-4vcpu-16gb gd-4vcpu-16gb m-4vcpu-32gb c-8 c2-8vcpu-16gb
g-8vcpu-32gb gd-8vcpu-32gb m-8vcpu-64gb c-16 c2-16vcpu-32gb g-16vcpu-64gb gd-16vcpu-64gb m-16vcpu-128gb
c-32 c2-32vcpu-64gb g-32vcpu-128gb gd-32vcpu-128gb m-24vcpu-192gb gpu-h100x1-80gb gpu-h100x8-640gb`)

var regions = []Region{
	region("nyc1", "New York 1"), region("nyc3", "New York 3"), region("sfo3", "San Francisco 3"),
	region("ams3", "Amsterdam 3"), region("fra1", "Frankfurt 1"), region("lon1", "London 1"),
	region("sgp1", "Singapore 1"), region("blr1", "Bangalore 1"), region("tor1", "Toronto 1"),
	region("syd1", "Sydney 1"), region("atl1", "Atlanta 1"),
}

func region(slug, name string) Region {
	return Region{Name: name, Slug: slug, Features: regionFeatures, Available: true, Sizes: sizeSlugs}
}

// findRegion returns the region of that slug, or nil.
func findRegion(slug string) *Region {
	for i := range regions {
		if regions[i].Slug == slug {
			return &regions[i]
		}
	}
	return nil
}

func (a *Account) listRegions(r *http.Request) (reply, error) {
	return paged(r, "regions", regions), nil
}
