package nlb

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
)

// All pages of a listener's certificates are read: one that was not seen would never be taken away.
func TestPagesOfCertificates(t *testing.T) {
	client := sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
		in, is := input.(*sdk.DescribeListenerCertificatesInput)
		if !is {
			return nil, fmt.Errorf("nothing answers %T", input)
		}
		if in.Marker == nil {
			return &sdk.DescribeListenerCertificatesOutput{Certificates: []types.Certificate{{CertificateArn: aws.String("b")}}, NextMarker: aws.String("2")}, nil
		}
		return &sdk.DescribeListenerCertificatesOutput{Certificates: []types.Certificate{{CertificateArn: aws.String("a")}}}, nil
	})})
	l := Listener{Listener: types.Listener{Protocol: types.ProtocolEnumTls}}
	if err := (&Balancers{Client: client}).readCertificates(t.Context(), &l); err != nil || !slices.Equal(l.extra, []string{"a", "b"}) {
		t.Errorf("read %q, %v", l.extra, err)
	}
}
