package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// A list that leads to the same page again is refused.
func TestListWithoutEnd(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = fmt.Fprint(w, `{"machines": [{"id": "m-1"}], "next": "m-1"}`)
	}))
	t.Cleanup(server.Close)
	client := api.Client{Endpoint: server.URL, HTTP: server.Client(), Token: func() (string, error) { return "", nil }}
	if _, err := client.Machines(t.Context(), ""); !cloud.IsClass(err, cloud.FailureUnreadable) || requests != 2 {
		t.Errorf("%d requests, error %v", requests, err)
	}
}
