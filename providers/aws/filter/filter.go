// Package filter makes the parameters that Describe operations share: filters, and which page.
package filter

import (
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// By asks for objects with one of the values.
func By(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: &name, Values: values}
}

// Page asks for the page that a token or marker names, nil for the first one, which has the name "".
func Page(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}
