package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestGetOne: ids are hexadecimal, so that the case of their letters says nothing; an answer about another object is none.
func TestGetOne(t *testing.T) {
	const id = "0d2f5a9b-7c1e-4b3a-9e8d-6f5c4b3a2e1d"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"port": {"id": %q}}`, id)
	}))
	t.Cleanup(server.Close)
	client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: server.URL + "/"}
	for asked, want := range map[string]error{
		id:                                     nil,
		"0D2F5A9B-7C1E-4B3A-9E8D-6F5C4B3A2E1D": nil,
		"1d2f5a9b-7c1e-4b3a-9e8d-6f5c4b3a2e1d": cloud.ErrIncomplete,
	} {
		if port, _, err := GetOne[item](t.Context(), client, "port", "ports", asked); !errors.Is(err, want) || err == nil && port.ID != id {
			t.Errorf("%s: %+v, %v; want %v", asked, port, err, want)
		}
	}
}
