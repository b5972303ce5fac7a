package aws

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Classify implements cloud.Driver.
func (d *Driver) Classify(err error) cloud.Failure { return cloud.FailureOf(err) }
