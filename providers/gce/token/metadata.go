package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// metadataTimeout bounds a request to the metadata server, which is one hop away.
const metadataTimeout = 5 * time.Second

// Metadata is the metadata server of the machine this runs on.
type Metadata struct {
	Transport http.RoundTripper
	Host      string
}

// WarnOfProxy warns where requests to the metadata server go through a proxy: that one answers for the
// machine it runs on, or not at all. The transport of a driver has no way around it. warn may be nil.
func (m Metadata) WarnOfProxy(proxy func(*http.Request) (*url.URL, error), warn func(string)) {
	to := &http.Request{URL: &url.URL{Scheme: "http", Host: m.Host}}
	if through, err := proxy(to); warn == nil || err == nil && through == nil {
		return
	}
	warn(fmt.Sprintf("HTTP_PROXY is set, and NO_PROXY does not cover the metadata server: requests to it go through the proxy; add %s to NO_PROXY", to.URL.Hostname()))
}

// Text reads one value. What does not carry Google's header is not from a metadata server.
func (m Metadata) Text(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	address := "http://" + m.Host + "/computeMetadata/v1/" + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", fmt.Errorf("asking the metadata server: %w", err)
	}
	request.Header.Set("Metadata-Flavor", "Google")
	answer, err := m.Transport.RoundTrip(request)
	if err != nil {
		return "", fmt.Errorf("asking the metadata server for %s: %w", path, err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode != http.StatusOK:
		return "", &statusError{what: "the metadata server, asked for " + path + ",", status: answer.StatusCode}
	case answer.Header.Get("Metadata-Flavor") != "Google":
		return "", fmt.Errorf("asking the metadata server for %s: %w", path, errors.New("the answer is not one of a metadata server"))
	}
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", fmt.Errorf("asking the metadata server for %s: %w", path, err)
	}
	return strings.TrimSpace(string(content)), nil
}

// token reads an access token of the machine's service account.
func (m Metadata) token(ctx context.Context) (*oauth2.Token, error) {
	const path = "instance/service-accounts/default/token"
	text, err := m.Text(ctx, path)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Token   string `json:"access_token"`
		Seconds int    `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, fmt.Errorf("asking the metadata server for %s: %w", path, err)
	}
	return tokenOf(answer.Token, time.Now().Add(time.Duration(answer.Seconds)*time.Second))
}

// tokenOf refuses a token without text.
func tokenOf(text string, expiry time.Time) (*oauth2.Token, error) {
	if text == "" {
		return nil, fmt.Errorf("the answer has no token: %w", cloud.ErrIncomplete)
	}
	return &oauth2.Token{AccessToken: text, Expiry: expiry}, nil
}
