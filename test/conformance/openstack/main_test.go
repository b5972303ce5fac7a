// Package openstack_test holds the OpenStack driver against the suite every driver has to pass, on
// real APIs: those of test/openstack. `make e2e-openstack` runs it.
package openstack_test

import (
	"os"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

func TestMain(m *testing.M) { os.Exit(openstack.Run(m, os.Getenv(openstack.Switch))) }
