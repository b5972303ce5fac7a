package framework

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typedcertificates "k8s.io/client-go/kubernetes/typed/certificates/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	netutils "k8s.io/utils/net"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// KubeletCertificates are the settings of the controller kubelet-serving-certificate. The zero value has the defaults.
type KubeletCertificates struct {
	// Networks are those of which no cloud knows the addresses, and of which a kubelet may have one in its certificate.
	Networks []netip.Prefix
	// Reserved are names, addresses, networks and servers that no kubelet gets.
	Reserved []string
	// MostLife is the longest life of a certificate that a kubelet may ask for; a year when 0.
	MostLife time.Duration
	// Deny has requests denied that contradict the cloud.
	Deny bool
}

// Problem says what is wrong with the settings.
func (k KubeletCertificates) Problem() error {
	_, err := judge.Reserve(k.Reserved...)
	return err
}

// waitingPeriod is how often it is measured how long the oldest request waits.
const waitingPeriod = 15 * time.Second

// startCertificates starts the approver of kubelets' serving certificates. See docs/adr/0080-serving-certificates-of-kubelets.md.
func startCertificates(ctx context.Context, e environment) (bool, error) {
	switch {
	case e.options.Mode.ReadOnly():
		klog.InfoS("No certificates of kubelets are approved in a dry run")
		return false, nil
	case e.cloud.Descriptor.Offline:
		klog.InfoS("No API says whose an address is: no certificates of kubelets are approved", "cloud", e.cloud.Name)
		return false, nil
	}
	client, settings := e.CompletedConfig.ClientBuilder.ClientOrDie(e.client), e.options.KubeletCertificates
	api := &apiServer{client: client, own: e.Kubeconfig.Host, services: e.Services}
	approver, err := certificate.New(certificate.Options{
		Cloud: e.cloud, Machines: listedMachines{e.inventory}, Requests: client.CertificatesV1().CertificateSigningRequests(),
		Nodes: e.allNodes,
		Node: func(ctx context.Context, name string) (*corev1.Node, error) {
			return client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		},
		Reserve: settings.Reserved, Reserved: api.reserved, Report: e.reportCertificate,
		Networks: settings.Networks, MostLife: settings.MostLife, Deny: settings.Deny,
	})
	if err != nil {
		return false, err
	}
	shared := e.SharedInformers.Core().V1()
	synced := []cache.InformerSynced{shared.Nodes().Informer().HasSynced, shared.Services().Informer().HasSynced}
	source := servingRequests(client.CertificatesV1().CertificateSigningRequests())
	go cache.NewReflector(source, &certificatesv1.CertificateSigningRequest{}, trimmed{approver}, 0).RunWithContext(ctx)
	go e.measureCertificates(ctx, approver)
	go func() {
		if !cache.WaitForCacheSync(ctx.Done(), synced...) {
			return
		}
		klog.InfoS("Judging the serving certificates that kubelets ask for", "cloud", e.cloud.Name)
		approver.Run(ctx)
	}()
	return true, nil
}

// servingRequests lists and watches the requests for serving certificates of kubelets. The list is for API servers that do not stream it:
// what is not kept of requests may be large, so each page is trimmed before the next one is read.
func servingRequests(requests typedcertificates.CertificateSigningRequestInterface) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			var all certificatesv1.CertificateSigningRequestList
			var err error
			all.ListMeta, err = certificate.EachServing(ctx, requests, func(csr *certificatesv1.CertificateSigningRequest) {
				kept, _ := certificate.Trim(csr) // it never fails
				all.Items = append(all.Items, *kept.(*certificatesv1.CertificateSigningRequest))
			})
			return &all, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return requests.Watch(ctx, certificate.Serving(o))
		},
	}
}

// trimmed keeps of requests only which ones they are, also of those that the API server streams at first.
type trimmed struct{ *certificate.Approver }

func (trimmed) Transformer() cache.TransformFunc { return certificate.Trim }

// listedMachines are the machines of the inventory.
type listedMachines struct{ *instance.Inventory }

// Trust implements certificate.Machines.
func (m listedMachines) Trust(ctx context.Context, part string) error {
	if part != "" {
		return fmt.Errorf("of %s it cannot be proved which account is seen", part)
	}
	return m.Inventory.Trust(ctx)
}

// reportCertificate tells what became of a request.
func (c *Cloud) reportCertificate(o certificate.Outcome) {
	decision, name := string(o.Reason), c.cloud.Name
	if o.Denied {
		decision = "denied"
	}
	Metrics().Add(metric.Certificates, 1, name, decision)
	switch {
	case o.Reason == judge.Approved:
		Metrics().Observe(metric.CertificateSeconds, o.Waited.Seconds(), name)
		klog.InfoS("Approved a kubelet's serving certificate", "node", klog.KObj(o.Node), "request", o.Request)
	case o.Denied:
		klog.InfoS("Denied a kubelet's serving certificate", "node", klog.KObj(o.Node), "request", o.Request, "why", o.Message)
	case o.Reason == judge.Overtaken:
		klog.V(2).InfoS("A kubelet's request for a serving certificate is not judged", "node", klog.KObj(o.Node), "request", o.Request, "why", o.Message)
	case o.New:
		klog.InfoS("A kubelet's request for a serving certificate waits", "node", klog.KObj(o.Node), "request", o.Request, "reason", o.Reason, "why", o.Message)
		if o.Node != nil {
			c.recorder.Record(event.About("Node", o.Node), event.CertificateWaits, event.Plain(o.String()))
		}
	default:
		klog.V(2).InfoS("A kubelet's request for a serving certificate waits", "node", klog.KObj(o.Node), "request", o.Request, "reason", o.Reason, "why", o.Message)
	}
}

// measureCertificates measures how long the oldest request waits, until ctx ends.
func (c *Cloud) measureCertificates(ctx context.Context, approver *certificate.Approver) {
	ticker := time.NewTicker(waitingPeriod)
	defer ticker.Stop()
	for {
		Metrics().Set(metric.CertificateWaiting, approver.Oldest(time.Now()).Seconds(), c.cloud.Name)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// apiServer knows where the API server is reached, and at which addresses of the cluster Services are.
type apiServer struct {
	client kubernetes.Interface
	// own is the server that this process talks to.
	own      string
	services func() []*corev1.Service
}

// The objects that say where the API server is reached. It writes the first one itself, kubeadm the second one
// (https://kubernetes.io/docs/reference/setup-tools/kubeadm/implementation-details/).
const (
	apiEndpoints    = "kubernetes"
	clusterInfo     = "cluster-info"
	clusterInfoFile = "kubeconfig"
)

// reserved are the addresses at which the API server is reached now, and those of the cluster at which Services are.
func (a *apiServer) reserved(ctx context.Context) ([]string, error) {
	all := clusterAddresses(a.services())
	if a.own != "" { // "" is a server on this machine
		all = append(all, a.own)
	}
	endpoints, err := a.client.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).Get(ctx, apiEndpoints, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading the endpoints of the API server: %w", err)
	}
	for _, endpoint := range endpoints.Endpoints {
		all = append(all, endpoint.Addresses...)
	}
	servers, err := a.published(ctx)
	return append(all, servers...), err
}

// clusterAddresses are those that the API server has given to Services. What else is on a Service is its author's, who may name the
// machines of others to keep their kubelets waiting: spec.externalIPs, spec.loadBalancerIP, and by an annotation also a host name in
// the status.
func clusterAddresses(services []*corev1.Service) []string {
	var all []string
	for _, svc := range services {
		for _, text := range svc.Spec.ClusterIPs {
			// An old API server wrote 010.0.0.1. "None" is no address.
			if ip := netutils.ParseIPSloppy(text); ip != nil {
				all = append(all, ip.String())
			}
		}
	}
	return all
}

// published are the servers that new machines are told of, none where the cluster tells them nothing.
func (a *apiServer) published(ctx context.Context) ([]string, error) {
	info, err := a.client.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(ctx, clusterInfo, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ConfigMap %s/%s: %w", metav1.NamespacePublic, clusterInfo, err)
	}
	config, err := clientcmd.Load([]byte(info.Data[clusterInfoFile]))
	if err != nil {
		return nil, errors.New("the ConfigMap " + metav1.NamespacePublic + "/" + clusterInfo + " has no kubeconfig that can be read")
	}
	var servers []string
	for _, cluster := range config.Clusters {
		servers = append(servers, cluster.Server)
	}
	return slices.DeleteFunc(servers, func(server string) bool { return server == "" }), nil
}
