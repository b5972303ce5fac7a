package resource

import (
	"fmt"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
)

// isPoolOf reports whether a pool is of a listener alone, and ours if it is not the one wanted there.
// Users can make several listeners lead to one pool: then it is not ours to change.
func isPoolOf(p object.Pool, listener string, tenancy owner.Tenancy, change cloud.Change) bool {
	wanted := listenerAt(change.After, listener)
	return len(p.Listeners) <= 1 && (wanted == nil || p.Protocol == string(wanted.TargetProtocol) || tenancy.Tags.HasPool(p.Name))
}

// presentPool is a pool with its members and its monitor.
func presentPool(s *object.Snapshot, p object.Pool, ref cloud.IDOf, spec cloud.Spec) []cloud.Resource {
	list := []cloud.Resource{{Kind: kindPool, Key: ref.Key, ID: p.ID, Fields: cloud.FieldsOf(
		fieldBalancer.Is(cloud.To(TheBalancer(spec))), fieldName.Is(p.Name), fieldProtocol.Is(p.Protocol),
		fieldAlgorithm.Is(p.Method), fieldPersistence.Is(persistenceBody(string(p.Persistence))),
	)}}
	for _, m := range s.Members[p.ID] {
		list = append(list, MemberResource(m, ref))
	}
	if m, exists := s.Monitors[p.ID]; exists {
		list = append(list, cloud.Resource{Kind: kindMonitor, Key: ref.Key, ID: m.ID, Fields: monitorFields(m.Health(), m.Name, ref)})
	}
	return list
}

// MemberResource is a member with what is compared of it. A port of its own for the check is taken
// away by a null.
func MemberResource(m object.Member, behind cloud.IDOf) cloud.Resource {
	var checked *int
	if m.MonitorPort != 0 {
		checked = &m.MonitorPort
	}
	return cloud.Resource{Kind: kindMember, Key: fmt.Sprintf("%s %s:%d", behind.Key, m.Address, m.Port), ID: m.ID, Fields: cloud.FieldsOf(
		fieldPool.Is(cloud.To(behind)), fieldAddress.Is(m.Address), fieldPort.Is(m.Port), fieldWeight.Is(m.Weight), fieldBackup.Is(m.Backup),
		fieldAdminStateUp.Is(m.Enabled), fieldMonitorPort.Is(checked),
	)}
}

// monitorFields are those of a monitor. What is asked for and what answer is expected are for its creation.
func monitorFields(h cloud.Health, name string, behind cloud.IDOf) cloud.Fields {
	fields := cloud.FieldsOf(
		fieldPool.Is(cloud.To(behind)), fieldName.Is(name), fieldType.Is(string(h.Protocol)), fieldDelay.Is(int(h.Interval/time.Second)),
		fieldTimeout.Is(int(h.Timeout/time.Second)), fieldMaxRetries.Is(h.Healthy), fieldMaxRetriesDown.Is(h.Unhealthy),
	)
	if h.Path != "" {
		fields = fields.With(fieldPath.Is(h.Path), fieldMethod.Is("GET"), fieldCodes.Is("200"))
	}
	return fields
}

// persistenceBody is nil for none.
func persistenceBody(kind string) map[string]string {
	if kind == "" {
		return nil
	}
	return map[string]string{"type": kind}
}

// ThePool stands for the id of the pool of that protocol behind a listener. A pool of another
// protocol is another pool, so that it can be made and filled before the listener leads to it.
func ThePool(listener, protocol string) cloud.IDOf {
	return cloud.IDOf{Kind: kindPool, Key: strings.TrimSpace(listener + " " + protocol)}
}
