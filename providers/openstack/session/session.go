// Package session logs in, keeps the token, and finds the endpoints of the APIs and what they can do.
package session

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// session holds the token all clients share. The library renews it by renew when a request is
// answered with 401, once for all requests that wait for it, and repeats each of them once.
// It retries nothing else.
type session struct {
	client *gophercloud.ProviderClient
	read   func() (config.Access, error)
	// project is that of the first token; the next ones have to be for it too.
	project string
}

// login is the answer to an authentication.
type login interface {
	gophercloud.AuthResult
	ExtractProject() (*tokens.Project, error)
	ExtractServiceCatalog() (*tokens.ServiceCatalog, error)
}

// tokenError is the refusal of a token that the configuration holds.
type tokenError struct{ err error }

func (e *tokenError) Error() string {
	return fmt.Sprintf("the configured token is refused, it may have expired and cannot be renewed: put a new one into the configuration, or use an application credential (%v)", e.err)
}

func (e *tokenError) Unwrap() error { return e.err }

func newSession(client http.Client, userAgent string, read func() (config.Access, error)) *session {
	s := &session{client: &gophercloud.ProviderClient{HTTPClient: client}, read: read}
	s.client.UserAgent.Prepend(userAgent)
	s.client.UseTokenLock()
	s.client.ReauthFunc = s.renew
	return s
}

// start gets the first token, and the catalogue that is used for the life of the process.
func (s *session) start(ctx context.Context, a config.Access) (*tokens.ServiceCatalog, error) {
	answer, err := s.login(ctx, a)
	if err != nil {
		return nil, err
	}
	project, err := answer.ExtractProject()
	if err != nil {
		return nil, fmt.Errorf("reading the token: %w", err)
	}
	s.project = project.ID
	found, err := answer.ExtractServiceCatalog()
	if err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	return found, nil
}

// renew implements the library's ReauthFunc. Of the configuration it reads again only what is
// needed to log in counts.
func (s *session) renew(ctx context.Context) error {
	a, err := s.read()
	if err != nil {
		return fmt.Errorf("reading the credentials again: %w", err)
	}
	_, err = s.login(ctx, a)
	return err
}

func (s *session) login(ctx context.Context, a config.Access) (login, error) {
	answer, err := s.request(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("authenticating at %s: %w", a.Keystone, err)
	}
	project, err := answer.ExtractProject()
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the token: %w", err)
	case project == nil || project.ID == "":
		return nil, api.ErrNoProject
	case s.project != "" && s.project != project.ID:
		return nil, fmt.Errorf("the credentials are for project %s now and were for %s: a change of the project needs a restart", project.ID, s.project)
	}
	if err := s.client.SetTokenAndAuthResult(answer); err != nil {
		return nil, fmt.Errorf("reading the token: %w", err)
	}
	return answer, nil
}

// request asks for a token, or what a given one is for.
func (s *session) request(ctx context.Context, a config.Access) (login, error) {
	client := s.bare(a.Keystone)
	o := a.Options
	if o.TokenID == "" {
		result := tokens.Create(ctx, client, &o)
		return result, result.Err
	}
	var answer login
	var err error
	if *o.Scope == (gophercloud.AuthScope{}) {
		client.TokenID = o.TokenID
		result := tokens.Get(ctx, client, o.TokenID)
		answer, err = result, result.Err
	} else {
		result := tokens.Create(ctx, client, &o)
		answer, err = result, result.Err
	}
	if gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) || gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		err = &tokenError{err}
	}
	return answer, err
}

// bare returns a client for requests that need no token or bring their own: others would wait
// for the renewal they are part of.
func (s *session) bare(endpoint string) *gophercloud.ServiceClient {
	return &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{HTTPClient: s.client.HTTPClient, UserAgent: s.client.UserAgent},
		Endpoint:       endpoint,
	}
}

// check asks Keystone for something that needs a token and no right, and so renews one that
// no longer holds. What the token itself is for, not every token may ask: one of a trust
// may not. It returns the project.
func (s *session) check(ctx context.Context, identity *gophercloud.ServiceClient) (string, error) {
	var answer struct {
		Catalog []tokens.CatalogEntry `json:"catalog"`
	}
	if _, err := identity.Get(ctx, identity.ServiceURL("auth", "catalog"), &answer, nil); err != nil {
		return "", fmt.Errorf("checking the token: %w", err)
	}
	if len(answer.Catalog) == 0 {
		return "", fmt.Errorf("checking the token: %w", cloud.ErrIncomplete)
	}
	return s.project, nil
}
