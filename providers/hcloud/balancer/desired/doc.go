// Package desired says which load balancer a Service asks for: its annotations, what the environment gives to Services without them,
// and the values that the API would store. It makes no request.
package desired

// Configuration is what is the same for all Services.
type Configuration struct {
	// Default are the values of annotations of Services without them, see ReadDefaults.
	Default map[string]string
	// Network is the id of the network of the nodes, 0 for none.
	Network int64
}

const yes = "true"
