// Package api makes requests to the APIs of OpenStack: objects, lists page by page, and what their
// errors mean. It knows no kind of object.
package api
