package doctor_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubelet"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// injection is one way in which a cluster goes wrong.
type injection struct {
	// name begins with the number of the list of setup failures, where it is on it.
	name string
	// do breaks the cluster and says how the doctor is called.
	do func(*world) visit
	// each is done again before each look, for what the controller manager mends by itself; nil for nothing.
	each func(*world)
	// finds is the check that finds it, level how bad it is; "" is a failure. says are parts of message, evidence and fix.
	finds, level string
	says         []string
	// also are checks that may find it too, because it has these consequences.
	also []string
}

// TestFindings breaks one thing after the other. Each is found by the check that is meant to, with the
// cause and its evidence, no check finds anything that is no consequence, and after it was mended nothing is found.
func TestFindings(t *testing.T) {
	w := newWorld(t)
	w.silent(visit{})
	for _, list := range [][]injection{startInjections(), managerInjections(), nodeInjections(), serviceInjections(), cloudInjections()} {
		for _, i := range list {
			if t.Run(i.name, func(t *testing.T) { i.run(t, w) }) {
				w.mended(i.name)
			}
		}
	}
	w.silent(visit{})
}

// mended waits until nothing is found any more: the controller manager may have to do something for that.
func (w *world) mended(name string) {
	w.t.Helper()
	if err := controlplane.Eventually(w.ctx(), func(context.Context) error {
		for _, r := range w.doctor(visit{}) {
			if r.Level != ok {
				return errors.New(r.String())
			}
		}
		return nil
	}); err != nil {
		w.t.Fatalf("after %s: %v", name, err)
	}
}

func (i injection) run(t *testing.T, whole *world) {
	w := *whole
	w.t = t
	v := i.do(&w)
	want := i.level
	if want == "" {
		want = failure
	}
	var found map[string]result
	err := controlplane.Eventually(w.ctx(), func(context.Context) error {
		if i.each != nil {
			i.each(&w)
		}
		found = w.doctor(v)
		if got := found[i.finds]; got.Level != want {
			return fmt.Errorf("%s: want it to be a %s", got, want)
		}
		return nil
	})
	w.must(err)
	all := found[i.finds].String()
	for _, part := range i.says {
		if !strings.Contains(all, part) {
			t.Errorf("%q is not said: %s", part, all)
		}
	}
	if strings.Contains(fmt.Sprint(found), token) {
		t.Error("the token is in the report")
	}
	for id, r := range found {
		if id != i.finds && (r.Level == failure || r.Level == warning) && !contains(i.also, id) {
			t.Errorf("another cause is named: %s", r)
		}
	}
}

func contains(list []string, one string) bool {
	return strings.Contains(" "+strings.Join(list, " ")+" ", " "+one+" ")
}

// startInjections are about the API server and what surrounds the controller manager.
func startInjections() []injection {
	return []injection{
		{name: "F4 API server not reached", finds: "api-server-unreachable", says: []string{"127.0.0.1:1", "does not answer"}, do: func(w *world) visit {
			return visit{kubeconfig: w.kubeconfigOf("https://127.0.0.1:1", "none"), provider: "digitalocean"}
		}},
		{name: "API server refuses the token", finds: "api-server-unreachable", says: []string{"provide credentials", "renew the token"}, do: func(w *world) visit {
			return visit{kubeconfig: w.kubeconfigOf(w.URL(), "expired"), provider: "digitalocean"}
		}},
		{name: "no kubeconfig", finds: "api-server-unreachable", says: []string{"/does/not/exist"}, do: func(*world) visit {
			return visit{kubeconfig: "/does/not/exist", provider: "digitalocean"}
		}},
		{name: "a setting is missing", finds: "settings-invalid", says: []string{"DO_ACCESS_TOKEN"}, do: func(*world) visit {
			return visit{env: []string{"DO_ACCESS_TOKEN="}}
		}},
		{name: "a mistyped setting", finds: "settings-invalid", level: warning, says: []string{"DO_CLUSTER_VPC_DI is set", "did you mean DO_CLUSTER_VPC_ID?"}, do: func(*world) visit {
			return visit{env: []string{"DO_CLUSTER_VPC_DI=none"}}
		}},
		{name: "a provider that ended", finds: "settings-invalid", says: []string{"packet is not a provider here", "Equinix Metal"}, do: func(w *world) visit {
			w.flags("--cloud-provider=packet")
			return visit{}
		}},
		{name: "F18 clock", finds: "clock-skew", says: []string{"behind the cloud", "NTP"}, do: func(w *world) visit {
			return visit{env: []string{"DO_OVERRIDE_URL=" + w.proxy(func(r *http.Response) {
				r.Header.Set("Date", time.Now().Add(10*time.Minute).UTC().Format(http.TimeFormat))
			})}}
		}},
		{name: "F22 flags of removed clouds", finds: "control-plane-flags", says: []string{"--cloud-provider=aws", "does not start with it", "kube-controller-manager-0", "only external"}, do: func(w *world) visit {
			for _, name := range []string{"kube-apiserver", "kube-controller-manager"} {
				w.swap(name+"-0", map[string]string{"component": name}, func(p *corev1.Pod) {
					p.Spec.Containers[0].Command = []string{name, "--cloud-provider=aws"}
				}, running)
			}
			return visit{}
		}},
		{name: "a webhook without endpoints", finds: "webhook-dead", says: []string{"policy.example.com", "nodes", "shop/policy", "failurePolicy"}, do: func(w *world) visit {
			return w.webhooks(webhook)
		}},
		{name: "webhooks without endpoints that are asked about other things", finds: "webhook-dead", level: ok, do: func(w *world) visit {
			return w.webhooks(elsewhereWebhooks)
		}},
		{name: "a webhook without endpoints with conditions", finds: "webhook-dead", level: warning, says: []string{"doubtful.example.com", "may be asked about nodes", "matchConditions"}, do: func(w *world) visit {
			return w.webhooks(doubtfulWebhook)
		}},
	}
}

// webhooks makes a configuration of webhooks until the test's end.
func (w *world) webhooks(manifest string) visit {
	w.t.Helper()
	w.must(w.ApplyManifest(w.ctx(), []byte(manifest)))
	w.t.Cleanup(func() {
		_ = w.admin().AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(w.ctx(), "policy", metav1.DeleteOptions{})
	})
	return visit{}
}

// elsewhereWebhooks are not asked about anything that the controller manager writes.
const elsewhereWebhooks = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: config.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: shop, name: policy}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
- name: new-nodes.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: shop, name: policy}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [nodes, services]}]
- name: one-namespace.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: shop, name: policy}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-public}}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: [services, events, leases]}]
- name: chosen-objects.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: shop, name: policy}}
  objectSelector: {matchLabels: {policy.example.com/check: "true"}}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"]}]
`

// doubtfulWebhook is asked about some Nodes; which, an expression says.
const doubtfulWebhook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: doubtful.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 1
  clientConfig: {service: {namespace: shop, name: policy}}
  matchConditions: [{name: one, expression: "object.metadata.name == 'elsewhere'"}]
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]
`

const webhook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: policy.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 1
  clientConfig: {service: {namespace: shop, name: policy}, caBundle: ""}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]
- name: of-pods.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: shop, name: others}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods/ephemeralcontainers]}]
`

// managerInjections are about how the controller manager runs.
func managerInjections() []injection {
	pending := func(says string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodPending
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: says}}
		}
	}
	nowhere := func(p *corev1.Pod) { p.Spec.NodeName = "" }
	waiting := func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodPending
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}}
	}
	return []injection{
		{name: "F1 taint that is not tolerated", finds: "manager-unscheduled", says: []string{"untolerated taint", "dedicated:NoSchedule", "tolerations"}, do: func(w *world) visit {
			w.patchNode(w.droplets[0].Name, `{"spec":{"taints":[{"key":"dedicated","value":"infra","effect":"NoSchedule"}]}}`, `{"spec":{"taints":null}}`)
			w.manager(nowhere, pending("0/3 nodes are available: 3 node(s) had untolerated taint {dedicated: infra}"))
			return visit{}
		}},
		{name: "F2 waits for the network", finds: "manager-waits-for-network", says: []string{"not on the host network", w0}, also: []string{"manager-not-running"}, do: func(w *world) visit {
			w.condition(w.droplets[0].Name, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady", Message: "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"})
			w.manager(func(p *corev1.Pod) { p.Spec.HostNetwork = false }, waiting)
			return visit{}
		}},
		{name: "F3 waits for the cluster's DNS", finds: "manager-waits-for-dns", says: []string{"ClusterFirstWithHostNet", "dnsPolicy"}, also: []string{"manager-not-running"}, do: func(w *world) visit {
			w.swap("coredns-0", map[string]string{"k8s-app": "kube-dns"}, nowhere, pending("0/3 nodes are available: 3 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}"))
			w.manager(func(p *corev1.Pod) { p.Spec.DNSPolicy = corev1.DNSClusterFirstWithHostNet }, waiting)
			return visit{}
		}},
		{name: "F11 port in use", finds: "manager-port-in-use", says: []string{"0.0.0.0:10258", "ss -ltnp", w0}, do: func(w *world) visit {
			w.manager(nil, func(p *corev1.Pod) {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{
					Name: "main", RestartCount: 4,
					State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 1m20s restarting failed container"}},
					LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "failed to create listener: failed to listen on 0.0.0.0:10258: listen tcp 0.0.0.0:10258: bind: address already in use"}},
				}}
			})
			return visit{}
		}},
		{name: "F11 port in use, says the scheduler", finds: "manager-port-in-use", says: []string{"free ports"}, do: func(w *world) visit {
			w.manager(nowhere, pending("0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports"))
			return visit{}
		}},
		{name: "image that is not there", finds: "manager-not-running", says: []string{"ImagePullBackOff"}, do: func(w *world) visit {
			w.manager(nil, func(p *corev1.Pod) {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"}}}}
			})
			return visit{}
		}},
		{name: "F10 second CCM, of k3s", finds: "manager-twice", says: []string{"k3s-cloud-controller-manager", "server-1", "--disable-cloud-controller"}, do: func(w *world) visit {
			leases := w.admin().CoordinationV1().Leases("kube-system")
			_, err := leases.Create(w.ctx(), &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: "k3s-cloud-controller-manager"},
				Spec:       coordinationv1.LeaseSpec{HolderIdentity: new("server-1_1"), LeaseDurationSeconds: new(int32(3600)), RenewTime: new(metav1.NowMicro())},
			}, metav1.CreateOptions{})
			w.must(err)
			w.t.Cleanup(func() { _ = leases.Delete(w.ctx(), "k3s-cloud-controller-manager", metav1.DeleteOptions{}) })
			return visit{}
		}},
		{name: "F10 second CCM, upstream's", finds: "manager-twice", says: []string{"Deployment kube-system/digitalocean-cloud-controller-manager"}, do: func(w *world) visit {
			w.deployment("kube-system", "digitalocean-cloud-controller-manager", "digitalocean/digitalocean-cloud-controller-manager:v0.1.60", "--leader-elect=false")
			return visit{}
		}},
		{name: "F12 CIDR that is none", finds: "settings-invalid", says: []string{"10.244.0.0/33"}, do: func(w *world) visit {
			w.flags("--cluster-cidr=10.244.0.0/33")
			return visit{}
		}},
		{name: "F12 CIDR of another network", finds: "routes-cidr", says: []string{"10.128.7.0/24", "outside of --cluster-cidr=10.244.0.0/16"}, do: func(w *world) visit {
			w.flags("--cluster-cidr=10.244.0.0/16")
			w.join(controlplane.NodeOptions{Name: "other-range", ProviderID: "elsewhere://1", Initialized: true, Ready: true, PodCIDRs: []string{"10.128.7.0/24"}})
			return visit{}
		}},
		{name: "F13 no right to the lease", finds: "rights-election", says: []string{"may not update leases", "rbac.create"}, also: []string{"rights-missing"}, do: func(w *world) visit {
			w.account("without-rights", "")
			return visit{}
		}},
		{name: "F14 no right to delete Nodes", finds: "rights-missing", says: []string{"may not delete nodes", "nodes without a machine"}, do: func(w *world) visit {
			w.account("cannot-delete", "delete")
			return visit{}
		}},
		{name: "nobody has led", finds: "leader-missing", says: []string{"no controller manager has led yet"}, do: func(w *world) visit {
			w.flags("--leader-elect-resource-name=another")
			return visit{args: []string{"install"}}
		}, also: []string{"manager-twice", "rights-election"}},
	}
}

// w0 is the name of a Node in order.
const w0 = "node-0"

// nodeInjections are about Nodes.
func nodeInjections() []injection {
	return []injection{
		{name: "F5 kubelet without the flag", finds: "node-kubelet-flag", says: []string{"flagless", "--cloud-provider=external"}, do: func(w *world) visit {
			w.join(controlplane.NodeOptions{Name: "flagless", Initialized: true, Ready: true})
			return visit{}
		}},
		{name: "F6 no machine of that name", finds: "node-machine-unknown", says: []string{"no machine of this name", "worker-ab", "--hostname-override"}, also: []string{"node-not-initialised"}, do: func(w *world) visit {
			w.Cloud.Droplets.Seed(1, renamed("worker-ab"))
			w.join(controlplane.NodeOptions{Name: "worker-ba"})
			return visit{}
		}},
		{name: "F6 two machines of that name", finds: "node-machine-unknown", says: []string{"2 machines have this name"}, also: []string{"node-not-initialised"}, do: func(w *world) visit {
			w.Cloud.Droplets.Seed(2, renamed("twin"))
			w.join(controlplane.NodeOptions{Name: "twin"})
			return visit{}
		}},
		{name: "F8 --node-ip that the cloud does not know", finds: "node-address-unknown", says: []string{"198.51.100.7", "InternalIP 10."}, also: []string{"node-not-initialised"}, do: func(w *world) visit {
			d := w.Cloud.Droplets.Seed(1)[0]
			w.join(controlplane.NodeOptions{Name: d.Name, ProvidedNodeIP: "198.51.100.7"})
			return visit{}
		}},
		{name: "F9 provider-ID of k3s", finds: "node-provider-id-foreign", says: []string{"k3s://server-2", "part of k3s"}, do: func(w *world) visit {
			w.join(controlplane.NodeOptions{Name: "server-2", ProviderID: "k3s://server-2", Initialized: true, Ready: true})
			return visit{}
		}},
		{name: "F9 provider-ID of another cloud, machine here", finds: "node-provider-id-foreign", says: []string{"proxmox://node/7", "has a machine of its name"}, do: func(w *world) visit {
			d := w.Cloud.Droplets.Seed(1)[0]
			w.join(controlplane.NodeOptions{Name: d.Name, ProviderID: "proxmox://node/7", Initialized: true, Ready: true})
			return visit{}
		}},
		{name: "F9 provider-ID that cannot be read", finds: "node-provider-id-foreign", says: []string{"digitalocean://seven"}, do: func(w *world) visit {
			w.join(controlplane.NodeOptions{Name: "seven", ProviderID: "digitalocean://seven", Initialized: true, Ready: true})
			return visit{}
		}},
		{name: "F9 machine made anew", finds: "node-provider-id-foreign", says: []string{"made anew"}, also: []string{"node-machine-elsewhere"}, do: func(w *world) visit {
			d := w.Cloud.Droplets.Seed(1)[0]
			o := settled(d)
			o.ProviderID = "digitalocean://424242"
			w.join(o)
			return visit{}
		}},
		{name: "machine of another account", finds: "node-machine-elsewhere", level: warning, says: []string{"stranger", "multicloud-ccm.io/unmanaged=true"}, do: func(w *world) visit {
			w.join(controlplane.NodeOptions{Name: "stranger", ProviderID: "digitalocean://31337", Initialized: true, Ready: true})
			return visit{}
		}},
		{name: "machine that was resized", finds: "node-label-outdated", level: warning, says: []string{" → c-32: kubectl label node " + w0 + " --overwrite node.kubernetes.io/instance-type=c-32"}, do: func(w *world) visit {
			size := func(name string) {
				w.must(w.Cloud.Droplets.Edit(w.droplets[0].ID, func(d *digitalocean.Droplet) { d.Size = name }))
			}
			size("c-32")
			w.t.Cleanup(func() { size(w.droplets[0].Size) })
			return visit{}
		}},
		{name: "kubelet's certificate that nobody approves", finds: "node-certificate-waiting", level: warning, says: []string{"approves none", "waits for", "kubectl certificate approve"}, do: func(w *world) visit {
			name := w.droplets[0].Name
			client, err := kubelet.Client(w.ControlPlane, name)
			w.must(err)
			csr, err := kubelet.Ask(w.ctx(), client, kubelet.Template(name))
			w.must(err)
			w.t.Cleanup(func() {
				w.must(w.Client().CertificatesV1().CertificateSigningRequests().Delete(w.ctx(), csr.Name, metav1.DeleteOptions{}))
			})
			return visit{}
		}},
		{name: "F21 no route", finds: "node-route-missing", says: []string{"RouteController failed", "has no routes"}, do: func(w *world) visit {
			w.condition(w.droplets[1].Name, corev1.NodeCondition{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionTrue, Reason: "NoRouteCreated", Message: "RouteController failed to create a route", LastTransitionTime: metav1.Now()})
			w.t.Cleanup(func() {
				w.condition(w.droplets[1].Name, corev1.NodeCondition{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionFalse, Reason: "RouteCreated"})
			})
			return visit{}
		}},
	}
}

// serviceInjections are about Services.
func serviceInjections() []injection {
	return []injection{
		{name: "F15 no node may be a target", finds: "service-without-address", says: []string{"default/nowhere", "node"}, do: func(w *world) visit {
			w.service("nowhere", func(s *corev1.Service) {
				s.Annotations = map[string]string{"multicloud-ccm.io/node-selector": "pool=none"}
			})
			return visit{}
		}},
		{name: "change that is refused", finds: "service-change-missing", says: []string{"default/web", "\"foo\" is not possible", "event "}, also: []string{"service-annotation-invalid"}, do: func(w *world) visit {
			const key = "multicloud-ccm.io/source-ranges"
			w.annotate("web", key, "10.0.0.0/8,foo")
			w.t.Cleanup(func() { w.annotate("web", key, "") })
			return visit{}
		}},
		{name: "F16 protocol that the cloud has not", finds: "service-field-unsupported", says: []string{"default/sctp", "SCTP"}, do: func(w *world) visit {
			w.service("sctp", func(s *corev1.Service) { s.Spec.Ports[0].Protocol = corev1.ProtocolSCTP })
			return visit{}
		}},
		{name: "F17 nothing answers health checks", finds: "service-health-check", level: warning, says: []string{"10256", "127.0.0.1"}, do: func(w *world) visit {
			for _, d := range w.droplets {
				before, err := w.admin().CoreV1().Nodes().Get(w.ctx(), d.Name, metav1.GetOptions{})
				w.must(err)
				addresses, err := json.Marshal(before.Status.Addresses)
				w.must(err)
				w.patchStatus(d.Name, `{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}]}}`)
				w.t.Cleanup(func() { w.patchStatus(d.Name, `{"status":{"addresses":`+string(addresses)+`}}`) })
			}
			return visit{}
		}},
		{name: "Service of a class that nobody serves", finds: "service-contested", says: []string{"default/classed", "example.com/metal"}, do: func(w *world) visit {
			w.service("classed", func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("example.com/metal") })
			return visit{}
		}},
		{name: "Service that another controller serves", finds: "service-contested", says: []string{"default/web", "MetalLB", "192.0.2.7"}, each: func(w *world) {
			w.writeIngress("metallb-controller", `[{"ip":"192.0.2.7"}]`)
		}, do: func(w *world) visit {
			before, err := w.admin().CoreV1().Services("default").Get(w.ctx(), "web", metav1.GetOptions{})
			w.must(err)
			ingress, err := json.Marshal(before.Status.LoadBalancer.Ingress)
			w.must(err)
			w.t.Cleanup(func() {
				w.writeIngress("cloud-controller-manager", "[]")
				w.writeIngress("cloud-controller-manager", string(ingress))
			})
			return visit{}
		}},
		{name: "annotation with an impossible value", finds: "service-annotation-invalid", says: []string{"default/typo", "node-selector"}, do: func(w *world) visit {
			w.service("typo", func(s *corev1.Service) {
				s.Annotations = map[string]string{"multicloud-ccm.io/node-selector": "!!", "multicloud-ccm.io/node-selecter": "a=b"}
			})
			return visit{}
		}},
		{name: "F20 Service that is not deleted", finds: "service-stuck", says: []string{"default/leaving", "load-balancer-cleanup"}, do: func(w *world) visit {
			w.leaving()
			return visit{}
		}},
		{name: "Service whose finalizer somebody took away", finds: "service-gone", level: warning, says: []string{"default/stripped is gone", "multicloud-ccm.io/adopt"}, do: func(w *world) visit {
			w.stripped()
			return visit{}
		}},
		{name: "F20 before the uninstallation", finds: "service-left-behind", says: []string{"default/web", "--no-hooks"}, do: func(*world) visit {
			return visit{args: []string{"--before-uninstall"}}
		}},
	}
}

// cloudInjections are about the cloud and the credentials.
func cloudInjections() []injection {
	return []injection{
		{name: "F3 name not resolved", finds: "cloud-name-unresolved", says: []string{"DNS servers of the node"}, do: func(*world) visit {
			return visit{env: []string{"DO_OVERRIDE_URL=http://api.multicloud-ccm.invalid"}}
		}},
		{name: "F18 certificate that is not trusted", finds: "cloud-tls", says: []string{"proxy intercepts TLS"}, do: func(w *world) visit {
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = nil
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
			server.StartTLS()
			w.t.Cleanup(server.Close)
			return visit{env: []string{"DO_OVERRIDE_URL=" + server.URL}}
		}},
		{name: "cloud not reached", finds: "cloud-unreachable", says: []string{"check proxy and firewall"}, do: func(*world) visit {
			return visit{env: []string{"DO_OVERRIDE_URL=http://127.0.0.1:1"}}
		}},
		{name: "a proxy's page", finds: "cloud-failing", says: []string{"something else answers"}, do: func(w *world) visit {
			page := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>please log in</html>") }))
			w.t.Cleanup(page.Close)
			return visit{env: []string{"DO_OVERRIDE_URL=" + page.URL}}
		}},
		{name: "F19 throttled", finds: "cloud-throttled", says: []string{"rate limit is used up"}, do: func(w *world) visit {
			busy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Type", "application/json")
				out.WriteHeader(http.StatusTooManyRequests)
				fmt.Fprint(out, `{"id":"too_many_requests","message":"API rate limit exceeded"}`)
			}))
			w.t.Cleanup(busy.Close)
			return visit{env: []string{"DO_OVERRIDE_URL=" + busy.URL}}
		}},
		{name: "expired token", finds: "credentials-refused", says: []string{"401", "renew"}, do: func(*world) visit {
			return visit{env: []string{"DO_ACCESS_TOKEN=expired-secret"}}
		}},
		{name: "token that only reads", finds: "credentials-read-only", says: []string{"default/refused", "rights to change"}, also: []string{"service-without-address"}, do: func(w *world) visit {
			id := w.Cloud.AddFault(fault.Fault{Method: http.MethodPost, Path: "/v2/load_balancers", Status: http.StatusForbidden, Body: `{"id":"forbidden","message":"You are not authorized to perform this operation"}`})
			w.t.Cleanup(func() { w.Cloud.RemoveFault(id) })
			w.service("refused", nil)
			w.t.Cleanup(func() {
				w.must(w.admin().CoreV1().Events("default").DeleteCollection(w.ctx(), metav1.DeleteOptions{}, metav1.ListOptions{}))
			})
			return visit{}
		}},
		{name: "F7 another account", finds: "credentials-other-account", says: []string{"another account than the one"}, also: []string{"node-machine-elsewhere"}, do: func(w *world) visit {
			w.Cloud.SetToken("of-another-account", "another")
			w.Cloud.In("another").Droplets.Seed(2, renamed("alien"))
			return visit{env: []string{"DO_ACCESS_TOKEN=of-another-account"}}
		}},
		{name: "deletion brake", finds: "deletion-brake", level: warning, says: []string{"engaged", "release-brake"}, also: []string{"node-machine-gone"}, do: func(w *world) visit {
			many := w.Cloud.Droplets.Seed(5)
			var ids []int
			for _, d := range many {
				w.join(settled(d))
				ids = append(ids, d.ID)
			}
			w.must(w.Cloud.Droplets.Delete(ids...))
			for _, d := range many {
				w.must(w.SetReady(w.ctx(), d.Name, false, "NodeStatusUnknown"))
			}
			return visit{}
		}},
	}
}

func (w *world) kubeconfigOf(server, bearer string) string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "kubeconfig")
	w.must(os.WriteFile(path, []byte(fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %q}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, server, bearer)), 0o600))
	return path
}

// proxy stands before the cloud and changes its answers.
func (w *world) proxy(change func(*http.Response)) string {
	w.t.Helper()
	target, err := url.Parse(w.Cloud.URL())
	w.must(err)
	reverse := httputil.NewSingleHostReverseProxy(target)
	reverse.ModifyResponse = func(r *http.Response) error { change(r); return nil }
	server := httptest.NewServer(reverse)
	w.t.Cleanup(server.Close)
	return server.URL
}

func (w *world) patchNode(name, patch, back string) {
	w.t.Helper()
	write := func(text string) {
		_, err := w.admin().CoreV1().Nodes().Patch(w.ctx(), name, "application/merge-patch+json", []byte(text), metav1.PatchOptions{})
		w.must(err)
	}
	write(patch)
	w.t.Cleanup(func() { write(back) })
}

func (w *world) patchStatus(name, patch string) {
	w.t.Helper()
	_, err := w.admin().CoreV1().Nodes().Patch(w.ctx(), name, "application/merge-patch+json", []byte(patch), metav1.PatchOptions{}, "status")
	w.must(err)
}

func (w *world) writeIngress(manager, ingress string) {
	w.t.Helper()
	_, err := w.admin().CoreV1().Services("default").Patch(w.ctx(), "web", "application/merge-patch+json", []byte(`{"status":{"loadBalancer":{"ingress":`+ingress+`}}}`), metav1.PatchOptions{FieldManager: manager}, "status")
	w.must(err)
}

// condition sets a condition of a Node; that it is Ready comes back with the test's end.
func (w *world) condition(name string, c corev1.NodeCondition) {
	w.t.Helper()
	text, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{c}}})
	w.must(err)
	_, err = w.admin().CoreV1().Nodes().Patch(w.ctx(), name, "application/strategic-merge-patch+json", text, metav1.PatchOptions{}, "status")
	w.must(err)
	if c.Type == corev1.NodeReady {
		w.t.Cleanup(func() { w.must(w.SetReady(w.ctx(), name, true, "")) })
	}
}

// flags gives the controller manager's Deployment more flags.
func (w *world) flags(more ...string) {
	w.t.Helper()
	w.edit("", more...)
}

// account gives the controller manager's Deployment a service account with all rights, or with those of
// the CCM except one verb on Nodes; "" for none at all.
func (w *world) account(name, except string) {
	w.t.Helper()
	_, err := w.ServiceAccountKubeconfig(w.ctx(), lab.Namespace, name)
	w.must(err)
	if except != "" {
		rbac := w.admin().RbacV1()
		role, err := rbac.ClusterRoles().Get(w.ctx(), "multicloud-ccm", metav1.GetOptions{})
		w.must(err)
		role.ObjectMeta = metav1.ObjectMeta{Name: name}
		rules := role.Rules[:0:0]
		for _, rule := range role.Rules {
			if rule.Resources[0] != "nodes" || rule.Verbs[0] != except {
				rules = append(rules, rule)
			}
		}
		role.Rules = rules
		_, err = rbac.ClusterRoles().Create(w.ctx(), role, metav1.CreateOptions{})
		w.must(err)
		w.t.Cleanup(func() { _ = rbac.ClusterRoles().Delete(w.ctx(), name, metav1.DeleteOptions{}) })
		w.must(w.ApplyManifest(w.ctx(), []byte(fmt.Sprintf(bindings, name, lab.Namespace))))
		w.t.Cleanup(func() {
			_ = rbac.ClusterRoleBindings().Delete(w.ctx(), name, metav1.DeleteOptions{})
			_ = rbac.RoleBindings(lab.Namespace).Delete(w.ctx(), name, metav1.DeleteOptions{})
			_ = rbac.RoleBindings(lab.Namespace).Delete(w.ctx(), name+"-reader", metav1.DeleteOptions{})
		})
	}
	w.edit(name)
}

const bindings = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}
subjects: [{kind: ServiceAccount, name: %[1]s, namespace: %[2]s}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: %[1]s, namespace: %[2]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: multicloud-ccm}
subjects: [{kind: ServiceAccount, name: %[1]s, namespace: %[2]s}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: %[1]s-reader, namespace: %[2]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}
subjects: [{kind: ServiceAccount, name: %[1]s, namespace: %[2]s}]
`

// edit changes the Deployment of the controller manager, which nobody carries out, until the test's end.
func (w *world) edit(account string, more ...string) {
	w.t.Helper()
	deployments := w.admin().AppsV1().Deployments(lab.Namespace)
	d, err := deployments.Get(w.ctx(), "multicloud-ccm", metav1.GetOptions{})
	w.must(err)
	before := d.Spec.Template.DeepCopy()
	if account != "" {
		d.Spec.Template.Spec.ServiceAccountName = account
	}
	d.Spec.Template.Spec.Containers[0].Args = append(d.Spec.Template.Spec.Containers[0].Args, more...)
	_, err = deployments.Update(w.ctx(), d, metav1.UpdateOptions{})
	w.must(err)
	w.t.Cleanup(func() {
		d, err := deployments.Get(w.ctx(), "multicloud-ccm", metav1.GetOptions{})
		w.must(err)
		d.Spec.Template = *before
		_, err = deployments.Update(w.ctx(), d, metav1.UpdateOptions{})
		w.must(err)
	})
}

// leaving makes a Service that cannot be deleted because the cloud fails.
func (w *world) leaving() {
	w.t.Helper()
	w.service("leaving", nil)
	svc, err := w.WaitService(w.ctx(), "default", "leaving", func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return fmt.Errorf("no address")
		}
		return nil
	})
	w.must(err)
	id := w.Cloud.AddFault(fault.Fault{Method: http.MethodDelete, Path: "/v2/load_balancers/*", Status: http.StatusInternalServerError})
	w.t.Cleanup(func() {
		w.Cloud.RemoveFault(id)
		_ = w.Cloud.LoadBalancers.Delete(svc.Annotations["kubernetes.digitalocean.com/load-balancer-id"]) // unless the controller manager did
	})
	w.must(w.admin().CoreV1().Services("default").Delete(w.ctx(), "leaving", metav1.DeleteOptions{}))
	w.t.Cleanup(func() {
		w.must(w.admin().CoreV1().Events("default").DeleteCollection(w.ctx(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	})
}

// stripped makes a Service that is deleted without its finalizer, while the cloud does not delete its balancer. Beside that there is a
// balancer of a Service of another cluster.
func (w *world) stripped() {
	w.t.Helper()
	w.service("stripped", nil)
	svc, err := w.WaitService(w.ctx(), "default", "stripped", func(svc *corev1.Service) error {
		if svc == nil || len(svc.Status.LoadBalancer.Ingress) == 0 {
			return fmt.Errorf("no address")
		}
		return nil
	})
	w.must(err)
	id := svc.Annotations["kubernetes.digitalocean.com/load-balancer-id"]
	fault := w.Cloud.AddFault(fault.Fault{Method: http.MethodDelete, Path: "/v2/load_balancers/*", Status: http.StatusInternalServerError})
	w.forget("stripped")
	other := w.Cloud.LoadBalancers.Add(digitalocean.Balancer{Name: "other", Tags: []string{"ccm-cluster:other", "ccm-service:default:stripped:" + string(svc.UID)}})
	w.t.Cleanup(func() {
		w.Cloud.RemoveFault(fault)
		w.must(w.Cloud.LoadBalancers.Delete(other))
		_ = w.Cloud.LoadBalancers.Delete(id) // unless the controller manager did
		w.must(w.admin().CoreV1().Events("default").DeleteCollection(w.ctx(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	})
}

func renamed(name string) func(*digitalocean.Droplet) {
	return func(d *digitalocean.Droplet) { d.Name = name }
}
