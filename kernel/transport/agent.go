package transport

import "net/http"

// userAgent names us in requests whose SDK names nobody.
type userAgent struct {
	next  http.RoundTripper
	value string
}

func (u *userAgent) RoundTrip(request *http.Request) (*http.Response, error) {
	if u.value != "" && request.Header.Get("User-Agent") == "" {
		request = request.Clone(request.Context())
		request.Header.Set("User-Agent", u.value)
	}
	return u.next.RoundTrip(request)
}
