package digitalocean

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// TestListKeepsNoDroplets lists droplets with a padding that no Instance needs, and looks at
// the memory in use while the API is asked for the last page.
func TestListKeepsNoDroplets(t *testing.T) {
	const (
		pages, perPage = 16, 16
		padding        = 64 << 10
		total          = pages * perPage
	)
	var before, during uint64
	d, _ := serve(t, map[string]string{config.EnvRegion: "fra1"}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/droplets" {
			_, _ = io.WriteString(w, "ams3") // the region, from the metadata service
			return
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		switch page {
		case 1:
			before = inUse()
		case pages:
			during = inUse()
		}
		var droplets []string
		for n := range perPage {
			droplets = append(droplets, fmt.Sprintf(`{"id": %d, "name": "d", "image": {"description": %q}}`, (page-1)*perPage+n+1, strings.Repeat("x", padding)))
		}
		next := ""
		if page < pages {
			next = fmt.Sprintf(`"pages": {"next": "https://api/v2/droplets?page=%d", "last": "https://api/v2/droplets?page=%d"}`, page+1, pages)
		}
		// Without a total, pages are read one after the other.
		answer(w, http.StatusOK, fmt.Sprintf(`{"droplets": [%s], "links": {%s}}`, strings.Join(droplets, ","), next))
	})
	list, err := d.List(t.Context())
	if err != nil || !list.Complete || len(list.Items) != total {
		t.Fatalf("%d droplets, complete %t, %v", len(list.Items), list.Complete, err)
	}
	if limit := uint64(total * padding / 2); during > before+limit {
		t.Errorf("%d kB more in use after %d of %d pages, want at most %d", (during-before)>>10, pages-1, pages, limit>>10)
	}
}

// inUse returns the bytes that are left after a garbage collection.
func inUse() uint64 {
	runtime.GC()
	runtime.GC() // the first one leaves what sync.Pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A list that leads from page to page without end is refused, and costs a few requests.
func TestListWithoutEnd(t *testing.T) {
	requests := 0
	d, _ := serve(t, map[string]string{config.EnvRegion: "fra1"}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/droplets" {
			answer(w, http.StatusOK, account)
			return
		}
		requests++
		page := strings.Repeat(`{"id": 1},`, api.MaxPage)
		answer(w, http.StatusOK, `{"droplets": [`+strings.TrimSuffix(page, ",")+`], "links": {"pages": {"next": "https://api/v2/droplets?page=2", "last": "https://api/v2/droplets?page=2"}}, "meta": {"total": 40}}`)
	})
	_, err := d.List(t.Context())
	if class := d.Classify(err).Class; class != cloud.FailureUnreadable || requests != 2 {
		t.Errorf("%d requests, class %s: %v", requests, class, err)
	}
}
