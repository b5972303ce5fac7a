package instance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// mass knows how many machines are missing at once. More of them than the brake's limit are
// taken for wrong answers of the cloud, and none of their Nodes is deleted. The cloud's answers
// alone can't tell a machine that is hidden from one that is gone; other evidence decides:
//
//	evidence                                               then
//	the Node says that it was meant to go (see announced)  its machine is not counted
//	an operator released the brake                         its machine is not counted
//	a Ready Node's machine is missing too                  the answers are wrong
//	a machine that was missing is back                     they were wrong: the time starts again
//	nothing of that for MassWait, in complete lists        the machines are gone
//	 the same, and the account has no machine at all        they are gone after emptyFactor·MassWait
//
// The time is counted in memory only: a restart starts it again, which deletes nothing.
type mass struct {
	mu sync.Mutex
	// missing are the Nodes, by UID, whose machines the last list lacks, and since when.
	missing map[string]time.Time
	limit   int
	// listed is when the last list began.
	listed time.Time
	// since is when the time began; zero while something speaks against the lists.
	since time.Time
	// living is a Ready Node whose machine the last list lacks, "" when there is none.
	living string
	// empty says that the last list has no machine at all, incomplete that a part of it is missing.
	empty, incomplete bool
	// held says that a Node was held, reason why: the same for all of them, nil when it is to be
	// found out again.
	held   bool
	reason *refusal
	// seen are the machines that direct reads showed, and when: some are in no list.
	seen map[cloud.InstanceID]time.Time
}

// emptyFactor says how much longer nothing at all must be seen: nothing shows that the cloud
// answers more than the question for the account.
const emptyFactor = 3

// An announcement is the taint of the Cluster Autoscaler, which says when it chose the Node. One that
// it left behind says nothing about today. Karpenter deletes the Node before its machine. A cordon is
// no announcement: people cordon Nodes in an outage too.
const (
	announcement    = "ToBeDeletedByClusterAutoscaler"
	announcementTTL = 2 * time.Hour
)

// announced reports whether somebody in the cluster said that the Node's machine would go.
func announced(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		at, err := strconv.ParseInt(t.Value, 10, 64)
		return t.Key == announcement && err == nil && time.Since(time.Unix(at, 0)).Abs() < announcementTTL
	})
}

// countMissing compares a list with our Nodes.
func (i *Inventory) countMissing(s *snapshot) {
	present, missing := map[string]bool{}, map[string]time.Time{}
	total, living := 0, ""
	for _, node := range i.nodes() {
		id, err := i.ProviderID(node)
		if Owner(node, i.concerns) != Mine {
			continue
		}
		total++
		uid := string(node.UID)
		switch {
		case err != nil, i.protected(node), announced(node), i.brake.Released(uid):
		case s.byID[id] != nil || i.seenBeside(s, node, id):
			present[uid] = true
		default:
			missing[uid] = s.started
			if ready(node) {
				living = node.Name
			}
		}
	}
	i.mass.count(s, present, missing, living, i.brake.Limit(total), i.pace.staleAge(s.size))
}

// seenBeside reports whether a direct read shows a machine that a list lacks: one after the
// list or, while the Node is Ready and nothing else is known, one of the last minutes.
func (i *Inventory) seenBeside(s *snapshot, node *corev1.Node, id cloud.InstanceID) bool {
	if i.cases.has(id) {
		return false
	}
	i.mass.mu.Lock()
	defer i.mass.mu.Unlock()
	at := i.mass.seen[id]
	return !at.IsZero() && (ready(node) || !at.Before(s.started))
}

// count takes over what a list lacks. Direct reads that are older than age are forgotten.
func (m *mass) count(s *snapshot, present map[string]bool, missing map[string]time.Time, living string, limit int, age time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reason = nil
	returned := false
	for uid, since := range m.missing {
		if _, still := missing[uid]; still {
			missing[uid] = since
		}
		returned = returned || present[uid]
	}
	// What happened while lists failed for so long is not known.
	gap := s.started.Sub(m.listed) > age
	m.missing, m.limit, m.living, m.empty, m.listed = missing, limit, living, s.size == 0, s.started
	m.incomplete = !s.complete
	switch {
	case len(missing) <= limit:
		m.since, m.held = time.Time{}, false
	case living != "" || !s.complete:
		m.since = time.Time{}
	case returned || gap || m.since.IsZero():
		m.since = s.started
	}
	maps.DeleteFunc(m.seen, func(_ cloud.InstanceID, at time.Time) bool { return time.Since(at) > age })
}

// read remembers what a direct read showed.
func (m *mass) read(items []cloud.Instance, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = map[cloud.InstanceID]time.Time{}
	}
	for _, item := range items {
		m.seen[item.ID] = at
	}
}

// doubt starts the time again.
func (m *mass) doubt() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since, m.reason = time.Time{}, nil
}

// release does not count the Nodes any more that an operator released.
func (m *mass) release(released func(uid string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.missing, func(uid string, _ time.Time) bool { return released(uid) })
	m.since, m.held, m.reason = time.Time{}, false, nil
}

// over reports whether too many machines are missing.
func (m *mass) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.missing) > m.limit
}

// holds reports whether Nodes are held because too many machines are missing.
func (m *mass) holds() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

// proved reports whether the Node's machine went with many others, and lists lack it for so long:
// time without lists does not count.
func (m *mass) proved(uid string, wait time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.provedLocked(uid, wait)
}

func (m *mass) provedLocked(uid string, wait time.Duration) bool {
	since, lacks := m.missing[uid]
	wait = m.waitLocked(wait)
	return len(m.missing) > m.limit && lacks && !m.since.IsZero() && m.listed.Sub(m.since) >= wait && m.listed.Sub(since) >= wait
}

func (m *mass) waitLocked(wait time.Duration) time.Duration {
	if m.empty {
		return emptyFactor * wait
	}
	return wait
}

// refuse returns why the Node is held, nil when too few machines are missing or the proof is
// there.
func (m *mass) refuse(uid string, wait time.Duration) *refusal {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.missing) <= m.limit || m.provedLocked(uid, wait) {
		return nil
	}
	m.held = true
	if m.reason == nil {
		m.reason = m.reasonLocked(wait)
	}
	return m.reason
}

func (m *mass) reasonLocked(wait time.Duration) *refusal {
	why := fmt.Sprintf("that is believed when it lasts for %v", m.waitLocked(wait))
	switch {
	case m.living != "":
		why = fmt.Sprintf("node %s is Ready although its machine is missing too, so the cloud's answers are wrong, unless its machine is in another account: then label it %s=true",
			m.living, LabelUnmanaged)
	case m.incomplete:
		why = "the cloud's list of machines is not complete; " + safety.ReleaseHint
	case m.since.IsZero(): // after a release, or a list of another account
		why += ", and the time in which that is to last begins with the next list of machines; " + safety.ReleaseHint
	default:
		why += "; " + safety.ReleaseHint
	}
	return refuse(verdictMass, "deletion brake: %d machines are missing at once, more than the %d that may go together: %s",
		len(m.missing), m.limit, why)
}

// holdMass returns why the Node is held while too many machines are missing. It looks for a
// release, and for machines that are back.
func (i *Inventory) holdMass(ctx context.Context, node *corev1.Node) *refusal {
	if announced(node) || !i.mass.over() {
		return nil
	}
	size := i.size()
	if since := sinceAge(i.pace.metadataAge(size)); !i.listedSince(since) && i.room(i.pace.pages(size)) {
		_ = i.list(ctx, since) // a failure changes nothing
	}
	_ = i.brake.Refresh(ctx) // no more does this one
	if i.brake.Released(string(node.UID)) {
		return nil
	}
	held := i.mass.refuse(string(node.UID), i.policy.MassWait)
	i.reportBrake()
	return held
}

// recount is holdMass with a list that was started at since or later. The list may also show
// that the machine is there.
func (i *Inventory) recount(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) (found bool, err error) {
	if announced(node) || i.brake.Released(string(node.UID)) {
		return false, nil
	}
	if !i.listedSince(since) && !i.room(i.pace.pages(i.size())) {
		return false, refuse(verdictQueued, "%w", errNotItsTurn)
	}
	if err := i.list(ctx, since); err != nil {
		return false, refuse(verdictCloudFailure, "%w", err)
	}
	if i.believed(node, id, since) != nil {
		return true, nil
	}
	if held := i.holdMass(ctx, node); held != nil {
		return false, held
	}
	return false, nil
}

// missingNodes are the UIDs of the Nodes whose machines seem gone, of those that were not Ready at
// that time already: others came later, or their kubelets report. Nothing is known before a list.
func (i *Inventory) missingNodes(at time.Time) (uids []string, known bool) {
	gone := map[string]bool{}
	i.mass.mu.Lock()
	for uid := range i.mass.missing {
		gone[uid] = true
	}
	i.mass.mu.Unlock()
	for _, uid := range i.cases.nodes() {
		gone[uid] = true
	}
	for _, node := range i.nodes() {
		if uid := string(node.UID); gone[uid] && unreadySince(node, at) {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids, !i.listedNever()
}
