package targetgroup

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// What was known of a listener is taken for the group that it was about, and shows the same view.
func TestRecall(t *testing.T) {
	group := func(kind types.TargetTypeEnum) Group {
		return Group{TargetGroup: types.TargetGroup{Port: aws.Int32(30080), Protocol: types.ProtocolEnumTcp, TargetType: kind, HealthCheckProtocol: types.ProtocolEnumTcp}}
	}
	known := func(kind types.TargetTypeEnum, targets ...string) cloud.Listener {
		g := group(kind)
		g.Attributes = map[string]string{attributeSticky: "true", option.AttributeProxy: "true", option.AttributePreserve: "false"}
		g.Targets = targets
		return g.View()
	}
	const instance, address = types.TargetTypeEnumInstance, types.TargetTypeEnumIp
	without := func(l cloud.Listener) cloud.Listener { l.Targets = nil; return l }
	other := func(l cloud.Listener) cloud.Listener { l.TargetPort++; return l }
	resolved := func(l cloud.Listener) cloud.Listener { l.Targets = []cloud.InstanceID{"i-1"}; return l }
	all := []cloud.InstanceID{"i-2", "i-1"}
	for name, test := range map[string]struct {
		kind types.TargetTypeEnum
		was  cloud.Listener
		want []string // nil where it has to be read
	}{
		"observed":                    {instance, known(instance, "i-3"), []string{"i-3"}},
		"observed without targets":    {instance, known(instance), []string{}},
		"asked for":                   {instance, without(known(instance)), []string{"i-1", "i-2"}},
		"another port":                {instance, other(known(instance, "i-3")), nil},
		"another kind":                {instance, known(address, "10.0.0.1"), nil},
		"addresses":                   {address, known(address, "10.0.0.2", "10.0.0.1"), []string{"10.0.0.1", "10.0.0.2"}},
		"addresses, asked for":        {address, without(known(address)), nil},
		"machines behind addresses":   {address, resolved(known(address)), nil},
		"no addresses are no targets": {address, known(address), []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			g := group(test.kind)
			if is := g.recall(test.was, all); is != (test.want != nil) {
				t.Fatalf("it is recalled: %t", is)
			}
			if test.want == nil {
				return
			}
			if diff := cmp.Diff(test.want, append([]string{}, g.Targets...)); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
			for _, field := range []string{balancer.FieldSticky, balancer.FieldProxy, balancer.FieldPreserve} {
				if got, want := g.View().ProviderFields[field], test.was.ProviderFields[field]; got != want {
					t.Errorf("%s is %s, want %s", field, got, want)
				}
			}
		})
	}
}
