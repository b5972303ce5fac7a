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
//	nlb, nlb/desired   Network Load Balancers with their listeners, and which one a Service asks for
//	targetgroup        target groups of Network Load Balancers, with what is registered in them
//	iam                the IAM policies
//	ec2test            a server for tests that answers as EC2 does
//
// A change of a load balancer is read forward in these files:
//
//	service/service.go            what was read of the balancer, and which kind it is
//	elb/resources.go              a Classic Load Balancer as it is and has to be: group.go and noderule.go,
//	                              parts.go, policy.go
//	nlb/resources.go              a network one: noderule.go and newowner.go, balancer.go, listener.go with view.go,
//	                              left.go with the listeners that go
//	targetgroup/lead.go           the target groups that its listeners lead to; change.go what is in them;
//	                              left.go the target groups that go
//	secgroup/rule.go, group.go    the rules of nodes' security groups, and the balancer's own group
//	service/remove.go             what of either kind goes with its Service: elb/remove.go, secgroup/remove.go, nlb/remove.go
//	request.go of secgroup, elb,  the requests that make, change and delete each kind of resources; elb/write.go and
//	 nlb and targetgroup          target.go
//
// Packages further down in the list of imports know nothing of those above: instance, route, vpc
// and secgroup are used by elb and nlb, targetgroup by nlb, and those by service.
package aws
