package controlplane

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Audit says what the audit log records. Every request is recorded with its
// metadata: who, with what user agent, which verb, which object, which answer.
type Audit struct {
	// Bodies are the resources whose request and answer are recorded in full,
	// subresources included, as in "nodes" or "leases.coordination.k8s.io".
	Bodies []string
}

type auditPolicy struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	OmitStages []string    `json:"omitStages"`
	Rules      []auditRule `json:"rules"`
}

type auditRule struct {
	Level     string          `json:"level"`
	Resources []auditResource `json:"resources,omitempty"`
}

type auditResource struct {
	Group     string   `json:"group"`
	Resources []string `json:"resources"`
}

func (cp *ControlPlane) auditPolicyPath() string { return filepath.Join(cp.dir, "audit-policy.json") }

func (cp *ControlPlane) auditLogPath() string { return filepath.Join(cp.dir, "audit.log") }

// writeAuditPolicy does nothing without Options.Audit.
func (cp *ControlPlane) writeAuditPolicy() error {
	if cp.opts.Audit == nil {
		return nil
	}
	data, err := json.Marshal(cp.opts.Audit.policy())
	if err != nil {
		return fmt.Errorf("encode the audit policy: %w", err)
	}
	return writeFile(cp.auditPolicyPath(), data)
}

func (a *Audit) policy() auditPolicy {
	policy := auditPolicy{
		APIVersion: "audit.k8s.io/v1",
		Kind:       "Policy",
		// A watch shows at its start; everything else when it is answered.
		OmitStages: []string{"RequestReceived"},
	}
	if len(a.Bodies) > 0 {
		rule := auditRule{Level: "RequestResponse"}
		for _, name := range a.Bodies {
			resource, group := splitResource(name)
			rule.Resources = append(rule.Resources,
				auditResource{group, []string{resource, resource + "/*"}})
		}
		policy.Rules = append(policy.Rules, rule)
	}
	policy.Rules = append(policy.Rules, auditRule{Level: "Metadata"})
	return policy
}
