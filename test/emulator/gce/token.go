package gce

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// serviceKey is the key of a service account.
type serviceKey struct {
	id      string
	private *rsa.PrivateKey
}

// The grants of the token endpoints.
const (
	grantAssertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange  = "urn:ietf:params:oauth:grant-type:token-exchange"
)

// tokenRoutes adds OAuth's token endpoint, the exchange for workload identity federation, and what
// gce.conf's token-url points at.
func (s *Server) tokenRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		var a *account
		var err error
		switch grant := r.FormValue("grant_type"); grant {
		case grantAssertion:
			a, err = s.assertion(r.FormValue("assertion"))
		case "refresh_token":
			a, err = s.bearer(r.FormValue("refresh_token"))
		default:
			err = errors.New("unsupported grant_type " + grant)
		}
		s.writeToken(w, a, err)
	})
	mux.HandleFunc("POST /v1/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") != grantExchange || r.FormValue("audience") == "" || r.FormValue("subject_token_type") == "" {
			s.writeToken(w, nil, errors.New("grant_type, audience and subject_token_type are required"))
			return
		}
		a, err := s.bearer(r.FormValue("subject_token"))
		s.writeToken(w, a, err)
	})
	mux.HandleFunc("POST /token-url", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		held, ok := s.tokens[wire.Bearer(r)]
		if !ok {
			refuse(w, r, http.StatusUnauthorized)
			return
		}
		value, expires := s.issue(held.account)
		wire.JSON(w, http.StatusOK, map[string]any{"accessToken": value, "expireTime": expires.UTC().Format(time.RFC3339)})
	})
}

// issue makes an access token; the lock is held.
func (s *Server) issue(a *account) (value string, expires time.Time) {
	s.store.serial++
	value = fmt.Sprintf("ya29.emulated-%06d", s.store.serial)
	expires = s.options.Now().Add(s.options.TokenLife)
	s.tokens[value] = issued{account: a, expires: expires}
	return value, expires
}

func (s *Server) writeToken(w http.ResponseWriter, a *account, err error) {
	if err != nil {
		wire.JSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant", "error_description": err.Error()})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	value, _ := s.issue(a)
	wire.JSON(w, http.StatusOK, map[string]any{
		"access_token": value, "token_type": "Bearer", "expires_in": int(s.options.TokenLife.Seconds()) - 1,
		"issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
	})
}

// bearer finds the account of a refresh token or of a federated subject's token: SetToken makes both.
func (s *Server) bearer(value string) (*account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.tokens[value]
	if !ok {
		return nil, errors.New("the token has been expired or revoked")
	}
	return held.account, nil
}

// ServiceAccountKey returns a key file of a service account, which is made on first use, for this
// server's token endpoint. Listen must have been called. A second key replaces the first.
func (s *Server) ServiceAccountKey(email string) ([]byte, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.serial++
	key := &serviceKey{id: fmt.Sprintf("%040x", s.store.serial), private: private}
	s.addAccount(email).key = key
	return json.Marshal(map[string]string{
		"type": "service_account", "project_id": s.options.Project, "private_key_id": key.id, "client_email": email, "client_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})), "token_uri": s.URL() + "/token",
	})
}

// assertion checks a signed statement of a service account: signature, issuer, audience, life.
func (s *Server) assertion(jwt string) (*account, error) {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return nil, errors.New("the assertion is no JWT")
	}
	var header struct{ Alg, Kid string }
	var claims struct {
		Iss, Aud string
		Scope    string
		Iat, Exp int64
	}
	for i, into := range []any{&header, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(data, into) != nil {
			return nil, errors.New("the assertion is no JWT")
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return nil, errors.New("the assertion is no JWT")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[claims.Iss]
	now := s.options.Now().Unix()
	switch {
	case a == nil || a.key == nil || header.Alg != "RS256" || (header.Kid != "" && header.Kid != a.key.id):
		return nil, errors.New("invalid JWT signature")
	case claims.Scope == "" || claims.Aud != s.URL()+"/token":
		return nil, errors.New("the assertion has no scope or another audience")
	case claims.Exp <= now || claims.Exp-claims.Iat > 3600 || claims.Iat > now+300:
		return nil, errors.New("invalid JWT: it must be a short-lived token (60 minutes) and in a reasonable timeframe")
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&a.key.private.PublicKey, crypto.SHA256, digest[:], signature); err != nil {
		return nil, errors.New("invalid JWT signature")
	}
	return a, nil
}
