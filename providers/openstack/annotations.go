package openstack

import "github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"

// Annotations returns the keys of Services that only this cloud knows.
func Annotations() annotation.Set { return nil }
