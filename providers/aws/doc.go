// Package aws is the driver for Amazon Web Services: EC2 instances, Classic and Network Load
// Balancers, and VPC route tables. It gives each of its packages its clients and settings:
//
//	package            is about
//	config             cloud.conf and the environment variables
//	session            region, credentials and clients; whose account it is
//	failure            the classes of what AWS answers; requests for many items, of which some are refused
//	option             the annotations of a Service
//	tag                what belongs to the cluster and to a Service, by its name and its tags
//	filter             filters and pages of Describe operations
//	instance           machines: instances of EC2, and those of Fargate
//	route              routes to pods
//	vpc                what surrounds balancers: subnets, zones, security groups as they are read
//	secgroup           security groups of balancers and of the nodes behind them
//	service            the balancer of a Service, of whichever kind it is
//	balancer           what both kinds of balancers have in common
//	elb, elb/desired   Classic Load Balancers, and which one a Service asks for
//	nlb, nlb/desired   Network Load Balancers with their target groups, and which one a Service asks for
//	iam                the IAM policies
//	ec2test            a server for tests that answers as EC2 does
//
// Packages further down in the list of imports know nothing of those above: instance, route, vpc
// and secgroup are used by elb and nlb, and those by service.
package aws
