// Package filter makes filters of EC2's Describe operations.
package filter

import (
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// By asks for objects with one of the values.
func By(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: &name, Values: values}
}
