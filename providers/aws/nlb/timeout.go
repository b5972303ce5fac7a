package nlb

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// What is here is the idle timeout of listeners. AWS tells that of one listener in a request, so that it
// is read only where it may be another one than AWS's default:
//
//	annotation  tag of the balancer  the timeout of its TCP listeners
//	yes         –                    is read, and what the annotation says
//	no          yes                  is read, and AWS's default; then the tag goes
//	no          no                   is nobody's business: it was not changed here
//
// The tag is written before a timeout is, and removed after all have the default. So it is there after
// a crash too.

// attributeTimeout is an attribute of listeners.
const attributeTimeout = "tcp.idle_timeout.seconds"

// isTimed reports whether the idle timeouts of the listeners are managed.
func (lb *Balancer) isTimed(spec cloud.Spec) bool {
	return !spec.Deleting && (option.IdleTimeout.Has(spec.Options) || lb.isMarkedTimed())
}

func (lb *Balancer) isMarkedTimed() bool { return lb.Tags[tag.Timed] != "" }

// readTimeout reads the idle timeout of a listener that has one which can be changed.
func (n *Balancers) readTimeout(ctx context.Context, l *Listener, was cloud.Listener) error {
	if l.idle = was.ProviderFields[balancer.FieldIdleTimeout]; l.idle != "" || !desired.HasTimeout(cloud.Protocol(l.Protocol)) {
		return nil
	}
	answer, err := n.Client.DescribeListenerAttributes(ctx, &sdk.DescribeListenerAttributesInput{ListenerArn: l.ListenerArn})
	if err != nil {
		return fmt.Errorf("reading the attributes of listener %d: %w", aws.ToInt32(l.Port), err)
	}
	l.idle = desired.DefaultTimeout
	for _, attribute := range answer.Attributes {
		if aws.ToString(attribute.Key) == attributeTimeout {
			l.idle = aws.ToString(attribute.Value)
		}
	}
	return nil
}

// addTimeouts adds the idle timeouts of the listeners that shall have a certain one, and the tag while
// one is not AWS's default. Of a new listener that is not written.
func (p *parts) addTimeouts() {
	record := cloud.Resource{Kind: kindTimed, Key: p.lb.Key, Fields: map[string]any{fieldBalancer: p.lb}}
	if lb := p.s.Balancer; lb != nil && lb.isMarkedTimed() {
		p.Present = append(p.Present, record)
	}
	timed := false
	for _, l := range p.change.After.Listeners {
		wanted, has := l.ProviderFields[balancer.FieldIdleTimeout], p.s.Balancer.at(l.Port)
		if wanted == "" || wanted == desired.DefaultTimeout && (has == nil || has.idle == "") {
			continue
		}
		timed = timed || wanted != desired.DefaultTimeout
		fields := func(timeout string) map[string]any {
			return map[string]any{fieldListener: p.listener(l).Ref(), attributeTimeout: timeout}
		}
		if has != nil && has.idle != "" {
			p.Present = append(p.Present, cloud.Resource{Kind: kindTimeout, Key: strconv.Itoa(l.Port), Fields: fields(has.idle)})
		}
		p.Wanted = append(p.Wanted, cloud.Resource{Kind: kindTimeout, Key: strconv.Itoa(l.Port), Fields: fields(wanted)})
	}
	if timed && len(p.change.After.OwnershipTags) > 0 {
		p.Wanted = append(p.Wanted, record)
	}
}

func (n *Balancers) writeTimeout(ctx context.Context, wanted cloud.Resource, _ []string) error {
	_, err := n.Client.ModifyListenerAttributes(ctx, &sdk.ModifyListenerAttributesInput{
		ListenerArn: balancer.Text(wanted, fieldListener), Attributes: []types.ListenerAttribute{{Key: aws.String(attributeTimeout), Value: balancer.Text(wanted, attributeTimeout)}},
	})
	return err
}

func (n *Balancers) markTimed(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	_, err := n.Client.AddTags(ctx, &sdk.AddTagsInput{
		ResourceArns: []string{*balancer.Text(wanted, fieldBalancer)}, Tags: []types.Tag{{Key: aws.String(tag.Timed), Value: aws.String("true")}},
	})
	return "", err
}

func (n *Balancers) unmarkTimed(ctx context.Context, present cloud.Resource) error {
	_, err := n.Client.RemoveTags(ctx, &sdk.RemoveTagsInput{ResourceArns: []string{*balancer.Text(present, fieldBalancer)}, TagKeys: []string{tag.Timed}})
	return err
}
