// Package rbac says what the process may do in Kubernetes.
package rbac

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cloud-provider/names"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// Grant is one line of the table of permissions.
type Grant struct {
	// For says why it is needed.
	For string
	// Controllers need it; nil means the process needs it whatever it runs.
	Controllers []string
	// Group is "" for the core group.
	Group    string
	Resource string
	// Names bound the grant to objects of these names.
	Names []string
	Verbs []string
	// Namespaced grants are given in one namespace only: Namespace, or that of the lease where it is empty.
	Namespaced bool
	Namespace  string
}

// groupCertificates is the API group of CertificateSigningRequests.
const groupCertificates = "certificates.k8s.io"

// Rules returns everything the process may do in Kubernetes with its own service
// account. Manifests and the chart are made from it. lease is the name of the lease.
//
// With --use-service-account-credentials it needs serviceaccounts get and create, and
// serviceaccounts/token create in kube-system besides, and the accounts of the controllers
// need their share of this.
func Rules(lease string) []Grant {
	node, lifecycle, service := names.CloudNodeController, names.CloudNodeLifecycleController, names.ServiceLBController
	kubelet := []string{controller.KubeletCertificate}
	return []Grant{
		{For: "the informer", Resource: "nodes", Verbs: []string{"get", "list", "watch"}},
		{For: "provider-ID and labels", Controllers: []string{node}, Resource: "nodes", Verbs: []string{"update"}},
		{For: "taints; the label of tagged machines", Controllers: []string{node, lifecycle, controller.Tagging}, Resource: "nodes", Verbs: []string{"patch"}},
		{For: "addresses; the condition of routes", Controllers: []string{node, names.NodeRouteController}, Resource: "nodes/status", Verbs: []string{"patch"}},
		{For: "nodes without a machine", Controllers: []string{lifecycle}, Resource: "nodes", Verbs: []string{"delete"}},
		{For: "the informer", Controllers: []string{service, controller.CloudFirewall, controller.KubeletCertificate}, Resource: "services", Verbs: []string{"get", "list", "watch"}},
		{For: "recorded ids in annotations", Controllers: []string{service}, Resource: "services", Verbs: []string{"patch"}},
		{For: "addresses, finalizer", Controllers: []string{service}, Resource: "services/status", Verbs: []string{"patch"}},
		{For: "requests of kubelets", Controllers: kubelet, Group: groupCertificates, Resource: "certificatesigningrequests", Verbs: []string{"get", "list", "watch"}},
		{For: "approval of their requests", Controllers: kubelet, Group: groupCertificates, Resource: "certificatesigningrequests/approval", Verbs: []string{"patch"}},
		{For: "approval for this signer", Controllers: kubelet, Group: groupCertificates, Resource: "signers", Names: []string{"kubernetes.io/kubelet-serving"}, Verbs: []string{"approve"}},
		{For: "where the API server is reached, which no kubelet gets", Controllers: kubelet, Group: "discovery.k8s.io", Resource: "endpointslices", Names: []string{"kubernetes"}, Verbs: []string{"get"}, Namespaced: true, Namespace: metav1.NamespaceDefault},
		{For: "where new machines reach the API server", Controllers: kubelet, Resource: "configmaps", Names: []string{"cluster-info"}, Verbs: []string{"get"}, Namespaced: true, Namespace: metav1.NamespacePublic},
		{For: "events", Resource: "events", Verbs: []string{"create", "patch", "update"}},
		{For: "metrics: who asks", Group: "authentication.k8s.io", Resource: "tokenreviews", Verbs: []string{"create"}},
		{For: "metrics: whether they may", Group: "authorization.k8s.io", Resource: "subjectaccessreviews", Verbs: []string{"create"}},
		{For: "election, record of deletions: a create has no name yet", Group: "coordination.k8s.io", Resource: "leases", Verbs: []string{"create"}, Namespaced: true},
		{For: "election, record of deletions", Group: "coordination.k8s.io", Resource: "leases", Names: []string{lease}, Verbs: []string{"get", "update"}, Namespaced: true},
	}
}

// The names in the manifest.
const (
	rbacName         = "multicloud-ccm"
	defaultLease     = "cloud-controller-manager"
	leaseNamespace   = "kube-system"
	authReaderRole   = "extension-apiserver-authentication-reader"
	authReaderSuffix = ":authentication-reader"
)

// Manifest returns the service account and its permissions as YAML, with the default
// lease, which is in kube-system wherever the account is. What only controllers need that are off by default is in a manifest of its
// own, see ManifestOf.
func Manifest(namespace, serviceAccount string) []byte {
	subjects := accounts(namespace, serviceAccount)
	all := slices.DeleteFunc(Rules(defaultLease), isOffByDefault)
	cluster, namespaced := rules(all)
	return documents(
		object("v1", "ServiceAccount", namespace, serviceAccount, nil),
		rbacObject("ClusterRole", "", rbacName, map[string]any{"rules": cluster}),
		rbacObject("ClusterRoleBinding", "", rbacName, binding("ClusterRole", rbacName, subjects)),
		rbacObject("Role", leaseNamespace, rbacName, map[string]any{"rules": namespaced[""]}),
		rbacObject("RoleBinding", leaseNamespace, rbacName, binding("Role", rbacName, subjects)),
		rbacObject("RoleBinding", leaseNamespace, rbacName+authReaderSuffix, binding("Role", authReaderRole, subjects)),
	)
}

// isOffByDefault reports whether only controllers need it that are off by default.
func isOffByDefault(g Grant) bool {
	return len(g.Controllers) > 0 && !slices.ContainsFunc(g.Controllers, func(name string) bool { return !slices.Contains(controller.OffByDefault(), name) })
}

// ManifestOf returns what a controller that is off by default needs besides Manifest.
func ManifestOf(name, namespace, serviceAccount string) []byte {
	own := slices.DeleteFunc(Rules(defaultLease), func(g Grant) bool { return !slices.Equal(g.Controllers, []string{name}) })
	// With an account of its own it needs also what every process has.
	own = append(own, Grant{Resource: "nodes", Verbs: []string{"get"}})
	cluster, namespaced := rules(own)
	role, subjects := rbacName+":"+name, accounts(namespace, serviceAccount)
	objects := []map[string]any{
		rbacObject("ClusterRole", "", role, map[string]any{"rules": cluster}),
		rbacObject("ClusterRoleBinding", "", role, binding("ClusterRole", role, subjects)),
	}
	for _, in := range slices.Sorted(maps.Keys(namespaced)) {
		objects = append(objects, rbacObject("Role", in, role, map[string]any{"rules": namespaced[in]}), rbacObject("RoleBinding", in, role, binding("Role", role, subjects)))
	}
	return documents(objects...)
}

func accounts(namespace, name string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}}
}

// rules returns the rules of the cluster and those of each namespace, "" for that of the lease.
func rules(grants []Grant) (cluster []rbacv1.PolicyRule, namespaced map[string][]rbacv1.PolicyRule) {
	namespaced = map[string][]rbacv1.PolicyRule{}
	for _, g := range grants {
		rule := rbacv1.PolicyRule{APIGroups: []string{g.Group}, Resources: []string{g.Resource}, ResourceNames: g.Names, Verbs: g.Verbs}
		if g.Namespaced {
			namespaced[g.Namespace] = append(namespaced[g.Namespace], rule)
		} else {
			cluster = append(cluster, rule)
		}
	}
	return cluster, namespaced
}

func binding(kind, role string, subjects []rbacv1.Subject) map[string]any {
	return map[string]any{
		"roleRef":  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role},
		"subjects": subjects,
	}
}

func rbacObject(kind, namespace, name string, content map[string]any) map[string]any {
	return object(rbacv1.SchemeGroupVersion.String(), kind, namespace, name, content)
}

// object returns an object without the empty fields its Go type would be written with.
func object(apiVersion, kind, namespace, name string, content map[string]any) map[string]any {
	metadata := map[string]string{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	o := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	maps.Copy(o, content)
	return o
}

func documents(objects ...map[string]any) []byte {
	var out bytes.Buffer
	for i, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			// Every value above is plain data.
			panic(fmt.Sprintf("writing a manifest: %v", err))
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return out.Bytes()
}
