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
	observed, err := m.Cloud.Firewalls.ObserveFirewall(ctx)
	if err != nil {
		return fmt.Errorf("observing firewall: %w", err)
	}
	open := clip(needs, observed.Openings)
	least, _ := share(open, limits{rules: len(observed.Openings), sources: m.limits().sources})
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
		candidate := slices.Clone(open)
		for i, c := range needs {
			if c.service.Namespace == namespace {
				candidate[i] = c
			}
		}
		next, _ := share(candidate, m.limits())
		if same(next, whole) {
			m.tellRefused(needs, namespace, refusal)
			continue // that is what was refused
		}
		if err := m.extend(ctx, next); err != nil {
			failures = append(failures, fmt.Errorf("namespace %s: %w", namespace, err))
			m.tellRefused(needs, namespace, err)
			continue
		}
		open = candidate
	}
	return errors.Join(failures...)
}

func (m *Manager) extend(ctx context.Context, desired []cloud.Opening) error {
	observed, err := m.Cloud.Firewalls.ObserveFirewall(ctx)
	if err != nil {
		return fmt.Errorf("observing firewall: %w", err)
	}
	_, err = m.bring(ctx, observed, desired)
	return err
}

func (m *Manager) tellRefused(needs []need, namespace string, err error) {
	for _, c := range needs {
		if c.service.Namespace == namespace && len(c.openings) > 0 {
			m.warn(c.service, event.CloudFailure, fmt.Sprintf(
				"%s: the cloud refuses what Services of this namespace need of the firewall; what is open stays open", cloud.FailureOf(err).Class))
		}
	}
}

// clip returns the part of the needs that is open already.
func clip(needs []need, present []cloud.Opening) []need {
	clipped := slices.Clone(needs)
	for i, c := range needs {
		clipped[i].openings = nil
		for _, o := range c.openings {
			clipped[i].openings = append(clipped[i].openings, within(o, present)...)
		}
	}
	return clipped
}

// namespacesOf returns the namespaces that need something, those with the oldest Service first.
func namespacesOf(needs []need) []string {
	needs = slices.DeleteFunc(slices.Clone(needs), func(c need) bool { return len(c.openings) == 0 })
	slices.SortFunc(needs, func(a, b need) int { return older(a.service, b.service) })
	var names []string
	for _, c := range needs {
		if !slices.Contains(names, c.service.Namespace) {
			names = append(names, c.service.Namespace)
		}
	}
	return names
}

// same reports whether two merged sets let the same traffic in.
func same(a, b []cloud.Opening) bool {
	return len(diff(cloud.ObservedFirewall{Found: true, Openings: a}, b)) == 0
}
