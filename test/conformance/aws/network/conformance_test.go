// Package network_test runs the suite where Services get network load balancers: it has golden
// plans of its own.
package network_test

import (
	"os"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/conformance/aws"
)

func TestMain(m *testing.M) { os.Exit(lab.Run(m, os.Getenv(lab.Switch))) }

func TestNetwork(t *testing.T) { conformance.Run(t, aws.Network(t)) }
