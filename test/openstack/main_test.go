package openstack_test

import (
	"os"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

func TestMain(m *testing.M) { os.Exit(openstack.Run(m, os.Getenv(openstack.Switch))) }
