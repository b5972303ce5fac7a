package aws_test

import (
	"os"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

func TestMain(m *testing.M) { os.Exit(aws.Run(m, os.Getenv(aws.Switch))) }
