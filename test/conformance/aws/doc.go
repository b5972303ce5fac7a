// Package aws holds the AWS driver against the suite every driver has to pass, on the APIs of
// test/aws: classic load balancers here, network ones in the package network. `make e2e-aws`
// runs both.
package aws
