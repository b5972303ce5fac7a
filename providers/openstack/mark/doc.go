// Package mark gives what belongs to a Service its names, descriptions and tags, as upstream does, and
// reads whose something is.
package mark
