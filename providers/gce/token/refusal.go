package token

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// statusError is a refusal of something that is not the Compute API.
type statusError struct {
	what   string
	status int
	oauth  oauthError
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("%s answered %d %s", e.what, e.status, http.StatusText(e.status))
	if e.oauth.Code == "" {
		return text
	}
	return text + ": " + e.oauth.String()
}

// class takes a refusal for one of the credentials only where it has the form of OAuth. A proxy, a wall
// before the network and a wrong address answer 400, 401 and 403 too, with something else.
func (e *statusError) class() cloud.Class {
	switch e.status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		if e.oauth.passes() {
			return cloud.FailureTransient
		}
		if e.oauth.Code != "" {
			return cloud.FailureUnauthorized
		}
	}
	return cloud.ClassOfStranger(e.status)
}

// oauthError is what a token endpoint says of a refusal (RFC 6749, 5.2).
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// maxOAuth is how many characters of a refusal are shown.
const maxOAuth = 200

// String is one line of printable characters.
func (e oauthError) String() string {
	text := e.Code
	if e.Description != "" {
		text += ": " + e.Description
	}
	printable := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text))
	return string(printable[:min(len(printable), maxOAuth)])
}

// passes says whether the endpoint itself calls the refusal a passing one.
func (e oauthError) passes() bool {
	return e.Code == "temporarily_unavailable" || e.Code == "server_error"
}

// maxRefusal is how much of the body of a refusal is read, in bytes.
const maxRefusal = 64 << 10

// readOAuth returns what an answer says of a refusal, nothing where it is not one in OAuth's form. The
// answer can still be read, up to maxRefusal.
func readOAuth(answer *http.Response) (refusal oauthError) {
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(content))
	if err != nil || json.Unmarshal(content, &refusal) == nil {
		return refusal
	}
	// What impersonates an account is an API of Google, which has its code in an object.
	var api struct {
		Error struct {
			Status string `json:"status"`
		} `json:"error"`
	}
	if json.Unmarshal(content, &api) != nil {
		return oauthError{}
	}
	return oauthError{Code: api.Error.Status}
}
