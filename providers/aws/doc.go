// Package aws is the driver for Amazon Web Services: EC2 instances, Classic and Network Load
// Balancers, and VPC route tables.
package aws
