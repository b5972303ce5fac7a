package certificate

import (
	"bytes"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

// Trim returns what a judge needs of a request, and keeps nothing else of it. What is too large stays too large. Of one that was decided, or
// that no kubelet made, only its name is left.
func Trim(obj any) (any, error) {
	csr, ok := obj.(*certificatesv1.CertificateSigningRequest)
	if !ok {
		return obj, nil
	}
	kept := &certificatesv1.CertificateSigningRequest{}
	kept.Name, kept.UID, kept.ResourceVersion, kept.CreationTimestamp = csr.Name, csr.UID, csr.ResourceVersion, csr.CreationTimestamp
	if judge.NodeOf(csr) == "" || !judge.Open(csr) {
		kept.Status.Conditions = make([]certificatesv1.CertificateSigningRequestCondition, 1) // it is not open
		return kept, nil
	}
	kept.Spec.SignerName, kept.Spec.Username, kept.Spec.Groups = csr.Spec.SignerName, csr.Spec.Username, judge.Groups
	kept.Spec.ExpirationSeconds = csr.Spec.ExpirationSeconds
	kept.Spec.Usages = slices.Clone(csr.Spec.Usages[:min(len(csr.Spec.Usages), judge.MostUsages+1)])
	kept.Spec.Request = bytes.Clone(csr.Spec.Request[:min(len(csr.Spec.Request), judge.MostBytes+1)])
	return kept, nil
}

// Add implements cache.ReflectorStore.
func (a *Approver) Add(obj any) error {
	trimmed, _ := Trim(obj)
	csr, ok := trimmed.(*certificatesv1.CertificateSigningRequest)
	if !ok {
		return nil
	}
	if node := judge.NodeOf(csr); node != "" {
		a.queue.add(node, csr, time.Now())
		return nil
	}
	return a.Delete(csr)
}

// Update implements cache.ReflectorStore. What is asked for never changes.
func (a *Approver) Update(obj any) error {
	if csr, ok := obj.(*certificatesv1.CertificateSigningRequest); ok && !judge.Open(csr) {
		return a.Delete(csr)
	}
	return nil
}

// Delete implements cache.ReflectorStore.
func (a *Approver) Delete(obj any) error {
	if csr, ok := obj.(*certificatesv1.CertificateSigningRequest); ok {
		a.queue.remove(func(uid types.UID) bool { return uid == csr.UID })
	}
	return nil
}

// Replace implements cache.ReflectorStore.
func (a *Approver) Replace(all []any, _ string) error {
	there := map[types.UID]bool{}
	for _, obj := range all {
		if csr, ok := obj.(*certificatesv1.CertificateSigningRequest); ok {
			there[csr.UID] = true
		}
		_ = a.Add(obj) // it never fails
	}
	a.queue.remove(func(uid types.UID) bool { return !there[uid] })
	return nil
}

// Resync implements cache.ReflectorStore.
func (a *Approver) Resync() error { return nil }
