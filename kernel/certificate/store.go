package certificate

import (
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

// Trim keeps of a request only which one it is, and who made it where somebody has to decide: what is in it is read when it is judged.
func Trim(obj any) (any, error) {
	csr, ok := obj.(*certificatesv1.CertificateSigningRequest)
	if !ok {
		return obj, nil
	}
	kept := &certificatesv1.CertificateSigningRequest{}
	kept.Name, kept.UID, kept.ResourceVersion = csr.Name, csr.UID, csr.ResourceVersion
	if node := judge.NodeOf(csr); node != "" && judge.Open(csr) {
		kept.Spec.SignerName, kept.Spec.Username, kept.Spec.Groups = csr.Spec.SignerName, csr.Spec.Username, judge.Groups
	}
	return kept, nil
}

// askedOf returns what is kept of a request, and the Node whose kubelet waits for it, "" for none.
func askedOf(obj any) (node string, request asked, version string) {
	trimmed, _ := Trim(obj) // it never fails
	csr, ok := trimmed.(*certificatesv1.CertificateSigningRequest)
	if !ok {
		return "", asked{}, ""
	}
	return judge.NodeOf(csr), asked{csr.Name, csr.UID}, csr.ResourceVersion
}

// Add implements cache.ReflectorStore.
func (a *Approver) Add(obj any) error {
	if node, request, _ := askedOf(obj); node != "" {
		a.queue.add(node, request, time.Now())
	}
	return nil
}

// Update implements cache.ReflectorStore. What is asked for never changes.
func (a *Approver) Update(obj any) error {
	if node, _, _ := askedOf(obj); node != "" {
		return nil
	}
	a.remove(obj, true)
	return nil
}

// Delete implements cache.ReflectorStore.
func (a *Approver) Delete(obj any) error {
	a.remove(obj, false)
	return nil
}

func (a *Approver) remove(obj any, decided bool) {
	_, request, _ := askedOf(obj)
	a.queue.remove(func(uid types.UID) bool { return uid == request.uid }, decided)
}

// Replace implements cache.ReflectorStore. The order of a list says nothing: the latest request of a Node has the highest version.
func (a *Approver) Replace(all []any, _ string) error {
	there, decided := map[types.UID]bool{}, map[types.UID]bool{}
	latest, versions := map[string]asked{}, map[string]string{}
	for _, obj := range all {
		node, request, version := askedOf(obj)
		if node == "" {
			decided[request.uid] = true
			continue
		}
		there[request.uid] = true
		if order, err := resourceversion.CompareResourceVersion(versions[node], version); err != nil || order < 0 {
			latest[node], versions[node] = request, version
		}
	}
	a.queue.remove(func(uid types.UID) bool { return decided[uid] }, true)
	for node, request := range latest {
		a.queue.add(node, request, time.Now())
	}
	a.queue.remove(func(uid types.UID) bool { return !there[uid] }, false)
	return nil
}

// Resync implements cache.ReflectorStore.
func (a *Approver) Resync() error { return nil }
