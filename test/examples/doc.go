// Package examples checks examples/install: installations of the chart by Terraform, Cluster API,
// kOps, k3s, RKE2, Talos, Argo CD and Flux. It is a module of its own because it needs the types
// of these tools. What an example says goes through the chart: its values are compared with the
// chart's schema and rendered, and the Secrets that the Pod mounts have to be those of the example.
// So have the identity that the Pod has in the cloud, and the files that its variables name.
//
// Types of their own modules read what is Cluster API's, Flux's and that of the HelmCharts of k3s
// and RKE2. The Go modules of kOps, Talos, Cluster API's add-on provider for helm and what Argo
// CD's needs could not be had from the module proxy: shapes_test.go lists the documented keys that
// examples for them may have. Terraform files are parsed and evaluated as HCL; the attributes of
// resources that they may have are listed in resources_test.go.
package examples
