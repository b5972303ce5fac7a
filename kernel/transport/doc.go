// Package transport carries every request to a cloud: the rate limits of its APIs with priorities, the time
// limit of a request, answers of bounded size, no redirects, no writes in a dry run. SDKs get it as their
// http.RoundTripper, so that no driver has any of this.
package transport
