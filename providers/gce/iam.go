package gce

// Role is a custom role of IAM with the permissions of one feature, and no more.
type Role struct {
	// Name is the name of the feature and the file.
	Name  string
	Title string
	// Doc says when it is needed.
	Doc         string
	Permissions []string
}

// Roles are the permissions of every feature. A test compares them with the methods that this
// package calls.
func Roles() []Role {
	return []Role{{
		Name: "nodes", Title: "Kubernetes cloud controller manager: nodes",
		Doc:         "Always, in each project whose instances are nodes.",
		Permissions: []string{"compute.instances.get", "compute.instances.list", "compute.projects.get"},
	}, {
		Name: "routes", Title: "Kubernetes cloud controller manager: routes",
		Doc: "Where the pod networks have routes, in the project of the network.",
		Permissions: []string{
			"compute.globalOperations.get", "compute.globalOperations.list", "compute.instances.use", "compute.networks.updatePolicy",
			"compute.projects.get", "compute.routes.create", "compute.routes.delete", "compute.routes.list",
		},
	}}
}
