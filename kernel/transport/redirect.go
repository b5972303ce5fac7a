package transport

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// redirect refuses answers that lead elsewhere. No cloud's API has them, and a client that follows
// one sends the credentials of the request along: net/http removes from the header only those it
// knows. The list of choices with status 300 is no redirect: OpenStack's APIs answer with their
// versions so.
type redirect struct {
	next http.RoundTripper
}

func (r *redirect) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		response.Body.Close()
		return nil, &cloud.Unreadable{Why: fmt.Sprintf("%s leads to %s with status %d, and redirects are not followed",
			request.URL.Host, destination(request.URL, response.Header.Get("Location")), response.StatusCode)}
	}
	return response, nil
}

// destination is the scheme and host of a Location: the rest may hold secrets.
func destination(from *url.URL, location string) string {
	to, err := from.Parse(location)
	if err != nil || location == "" {
		return "nowhere"
	}
	return fmt.Sprintf("%q", to.Scheme+"://"+to.Host)
}
