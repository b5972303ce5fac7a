// Package rate limits the requests to one API of a cloud: how many there may be, who goes first, and what its answers
// say about that.
package rate
