package config

// Types of services, as catalogues call them.
const (
	ServiceIdentity = "identity"
	ServiceCompute  = "compute"
	ServiceNetwork  = "network"
	ServiceBalancer = "load-balancer"
	ServiceSecrets  = "key-manager"
)
