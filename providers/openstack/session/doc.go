// Package session logs in, keeps the token, and finds the endpoints of the APIs and what they can do.
package session
