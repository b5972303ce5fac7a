package firewall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// refused reports whether the cloud had an answer and it was no: something that was to be opened
// may be the reason.
func refused(err error) bool {
	switch cloud.FailureOf(err).Class {
	case cloud.FailureInvalid, cloud.FailureQuota, cloud.FailureNotFound, cloud.FailureConflict, cloud.FailureUnknown:
		return err != nil
	}
	return false
}

// withoutRefused is for a set of openings that the cloud refused as a whole. First what nobody
// needs is closed and nothing is opened, with no more rules than there are. Then the namespaces
// have what they need opened one after the other, so that only those go without that the cloud
// refuses.
func (m *Manager) withoutRefused(ctx context.Context, needs []need, whole []cloud.Opening, refusal error) error {
	observed, err := m.observe(ctx)
	if err != nil {
		return err
	}
	accepted := slices.Clone(needs)
	for i, n := range needs {
		accepted[i].openings = within(n.openings, observed.Openings)
	}
	least, _ := share(accepted, observed.Openings, limits{rules: len(observed.Openings), sources: m.limits().sources})
	if same(least, whole) {
		return nil // nothing was to be opened
	}
	if observed.Found {
		if _, err := m.bring(ctx, observed, least); err != nil {
			return err
		}
	}
	var failures []error
	for _, namespace := range namespacesOf(needs) {
		wanted := slices.Clone(accepted)
		for i, n := range needs {
			if n.service.Namespace == namespace {
				wanted[i] = n
			}
		}
		if err := m.extend(ctx, wanted, whole, refusal); err != nil {
			failures = append(failures, fmt.Errorf("namespace %s: %w", namespace, err))
			m.tellRefused(needs, namespace, err)
			continue
		}
		accepted = wanted
	}
	return errors.Join(failures...)
}

// extend brings the firewall to these needs, unless they are what was refused.
func (m *Manager) extend(ctx context.Context, needs []need, whole []cloud.Opening, refusal error) error {
	observed, err := m.observe(ctx)
	if err != nil {
		return err
	}
	desired, _ := share(needs, observed.Openings, m.limits())
	if same(desired, whole) {
		return refusal
	}
	_, err = m.bring(ctx, observed, desired)
	return err
}

func (m *Manager) tellRefused(needs []need, namespace string, err error) {
	for _, n := range needs {
		if n.service.Namespace == namespace && len(n.openings) > 0 {
			m.warn(n.service, event.CloudFailure, fmt.Sprintf(
				"%s: the cloud refuses what Services of this namespace need of the firewall; what is open stays open", cloud.FailureOf(err).Class))
		}
	}
}

// namespacesOf returns the namespaces that need something, those with the oldest Service first.
func namespacesOf(needs []need) []string {
	var names []string
	for _, n := range oldestFirst(needs) {
		if len(n.openings) > 0 && !slices.Contains(names, n.service.Namespace) {
			names = append(names, n.service.Namespace)
		}
	}
	return names
}
