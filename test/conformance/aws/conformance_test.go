package aws_test

import (
	"os"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/conformance/aws"
)

func TestMain(m *testing.M) { os.Exit(lab.Run(m, os.Getenv(lab.Switch))) }

// TestClassic runs the suite where Services get classic load balancers.
func TestClassic(t *testing.T) { conformance.Run(t, aws.Classic(t)) }
