package gce

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/googleapi"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

// scheme is the scheme of provider-IDs.
const scheme = "gce"

// maxPage is the largest page of a list.
const maxPage = 500

// The published limit of each group of requests that Google counts apart, and the groups besides reads of one object.
const (
	perMinute    = 1500
	apiList      = "list"
	apiOperation = "operation"
	apiWrite     = "write"
)

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "gce",
		Title:             "Google Cloud",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{scheme},
		ProviderIDForm:    scheme + "://<project>/<zone>/<instance name>",
		Capabilities:      cloud.Capabilities{Routes: true, RoutesApart: true},
		Limits: cloud.Limits{
			PageSize: maxPage, GetBatch: 1, RequestsPerMinute: perMinute,
			APIs: []cloud.API{
				{Name: apiList, RequestsPerMinute: perMinute},
				{Name: apiOperation, RequestsPerMinute: perMinute},
				{Name: apiWrite, RequestsPerMinute: perMinute},
			},
		},
		Settings: declaredSettings(),
		Secret:   "gce-cloud-controller-manager",
		ConfigFile: &cloud.ConfigFile{
			Value: "cloudConf", Key: "cloud.conf",
			Doc:  "The gce.conf of the upstream CCM, unchanged. Not needed on an instance of the nodes' project.",
			Keys: configKeys(),
		},
	}
}

// ReadOnly says which requests only read: a request for a token does, though its method is POST.
func ReadOnly(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || token.IsRequest(r.Context())
}

// API returns the group of a request, "" for reads of one object and requests for tokens.
func API(r *http.Request) string {
	switch path := r.URL.Path; {
	case !ReadOnly(r):
		return apiWrite
	case strings.Contains(path, "/global/operations"):
		return apiOperation
	case strings.Contains(path, "/aggregated/") || strings.HasSuffix(path, "/global/routes"):
		return apiList
	}
	return ""
}

// Throttled recognises the answers with which Google throttles: with status 403 and a reason.
func Throttled(answer *http.Response) bool {
	if answer.StatusCode != http.StatusForbidden {
		return answer.StatusCode == http.StatusTooManyRequests
	}
	// The transport has bounded the body of an error.
	content, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(content))
	if err != nil {
		return false
	}
	copied := &http.Response{StatusCode: answer.StatusCode, Header: answer.Header, Body: io.NopCloser(bytes.NewReader(content))}
	refusal, ok := googleapi.CheckResponse(copied).(*googleapi.Error) //nolint:errorlint // it is never wrapped
	return ok && slices.Contains(throttling, canonical(reason(refusal)))
}
