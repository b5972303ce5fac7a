package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Normalize implements cloud.Balancers.
func (bs *Balancers) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	if err := checkReach(in, bs.Cluster.VPC); err != nil {
		return cloud.Balancer{}, nil, err
	}
	if err := bs.Validate(in.Spec, false); err != nil {
		return cloud.Balancer{}, nil, err
	}
	normalize := bs.Classic.Normalize
	if balancer.Kind(in) == balancer.KindNetwork {
		normalize = bs.Network.Normalize
	}
	b, notes, err := normalize(in)
	return b, append(notes, usageWarnings(in)...), err
}

// Validate implements cloud.Validator.
func (bs *Balancers) Validate(spec cloud.Spec, _ bool) error {
	return checkCertificates(spec)
}

// checkReach refuses what a Service names that is not its own.
func checkReach(in cloud.Input, vpc string) error {
	found := balancer.Found.Open(in.Findings)
	if id := found.GroupProblem; id != "" {
		key := option.Groups
		if !slices.Contains(option.Groups.List(in.Options), id) {
			key = option.ExtraGroups
		}
		return &cloud.Invalid{Field: key.Name, Value: id, Want: "want ids of security groups of VPC " + vpc + " that were not made for another Service or cluster"}
	}
	name := option.Name.In(in.Options)
	if defaultNames.MatchString(name) && name != cloud.UIDName(in.Owner.UID) && name != found.Name {
		return &cloud.Invalid{Field: option.Name.Name, Value: name, Want: `"a" and 31 hexadecimal digits are the form of names that follow from a Service's UID: choose another`}
	}
	return nil
}

// checkCertificates refuses what cannot be a certificate where a port needs it: AWS refuses the listener only after other things
// were made.
func checkCertificates(spec cloud.Spec) error {
	if !slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Protocol == cloud.ProtocolTCP && option.Terminates(spec, p) }) {
		return nil // usageWarnings tells
	}
	for _, text := range option.Certificate.List(spec.Options) {
		if !option.IsARN(text) {
			return &cloud.Invalid{Field: option.Certificate.Name, Value: text, Want: "want the ARN of a certificate of ACM or IAM"}
		}
	}
	return nil
}

// defaultNames are the names balancers have when nothing else is asked for.
var defaultNames = regexp.MustCompile(`^a[0-9a-f]{31}$`)

// usageWarnings are about what works, for balancers of either kind, but is hardly meant.
func usageWarnings(in cloud.Input) []cloud.Warning {
	var notes []cloud.Warning
	note := func(field, format string, args ...any) {
		notes = append(notes, cloud.Warning{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	certificates := option.Certificate.List(in.Options)
	if len(certificates) == 0 && option.TLSPorts.Has(in.Options) {
		note(option.TLSPorts.Name, "it has no effect without %s: no port terminates TLS", option.Certificate.Name)
	}
	for _, text := range option.TLSPorts.List(in.Options) {
		if len(certificates) > 0 && text != "*" && !isPort(in.Spec, text) {
			note(option.TLSPorts.Name, "%q is neither the number nor the name of a port, so it terminates no TLS", text)
		}
	}
	for _, text := range certificates {
		if !option.IsARN(text) {
			note(option.Certificate.Name, "%q is no ARN of a certificate", text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(option.ParseTags(option.Tags.In(in.Options)))) {
		if tag.Reserved(key) {
			note(option.Tags.Name, "tag %q is not set: it says whose the balancer is", key)
		}
	}
	if shut := balancer.Found.Open(in.Findings).Shut; len(shut) > 0 {
		note("spec.type", "no security group of %s can be opened to the balancer: exactly one has to be there, or have the cluster's tag", strings.Join(shut, ", "))
	}
	return notes
}

func isPort(spec cloud.Spec, text string) bool {
	return slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool {
		return text == strconv.Itoa(p.Port) || p.Name != "" && strings.EqualFold(text, p.Name)
	})
}

// Eligible implements cloud.Balancers.
func (bs *Balancers) Eligible(b cloud.Balancer, t cloud.Target) string {
	return balancer.Eligible(bs.Cluster, b, t)
}

// Check implements cloud.Checker:
//
//	name               is taken by another load balancer, of any type
//	Elastic IPs        exist and are free
//	private addresses  are in their subnets
//
// Subnets and security groups are checked by Normalize. Whether a certificate exists, and a quota is
// used up, only the creation tells.
func (bs *Balancers) Check(ctx context.Context, in cloud.Input, before cloud.Observed) error {
	found := balancer.Found.Open(in.Findings)
	found.Name, found.Network = "", nil // the one in its place has nothing of the balancer there is
	in.Findings = balancer.Found.Seal(found)
	wanted, _, err := bs.Normalize(in)
	if err != nil {
		return err
	}
	s := native.Open(before.Native)
	if s == nil {
		s = &snapshot{}
	}
	if !before.Found || before.Balancer.Name != wanted.Name {
		if err := bs.checkName(ctx, s, in, wanted.Name); err != nil {
			return err
		}
	}
	if wanted.ProviderFields[balancer.FieldType] != balancer.KindNetwork {
		return nil
	}
	return errors.Join(bs.Network.CheckAddresses(ctx, s.network, wanted), nlb.CheckPrivate(s.inventory, wanted))
}

// checkName refuses the name of a balancer there is: AWS has each once for classic balancers, and once
// for all others.
func (bs *Balancers) checkName(ctx context.Context, s *snapshot, in cloud.Input, name string) (err error) {
	var found bool
	kind := balancer.Kind(in)
	switch {
	case s.names != nil:
		found = slices.Contains(s.names[kind], name)
	case kind == balancer.KindNetwork:
		found, err = bs.Network.IsNameTaken(ctx, name)
	default:
		var lb *elb.Balancer
		lb, err = bs.Classic.Find(ctx, name)
		found = lb != nil
	}
	if found && err == nil {
		err = &cloud.Invalid{Field: option.Name.Name, Value: name, Want: "a load balancer of this name is there: choose another"}
	}
	return err
}
