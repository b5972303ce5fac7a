package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

// values let a young Node be judged, and sooner; the proof that its machine is gone stays. And
// they refuse to uninstall too early.
var values = []string{"--set", "doctor.uninstallGuard.enabled=true,safety.nodeDeletion.grace=1s,safety.nodeDeletion.confirmGap=2s,controllers.nodeLifecycle.period=500ms"}

// install is the way of a user: nobody helps the pod to get onto a node that is neither
// initialised nor ready, to find the cloud and to initialise its own node.
func (s *story) install(t *testing.T) {
	out, err := s.helm.Install(within(t, patience), s.cloud, append(values, "--wait", "--timeout=2m")...)
	must(t, err)
	t.Logf("helm install\n%s", out)
	pods, err := install.Pods(within(t, patience), s.Cluster)
	must(t, err)
	if len(pods) != 1 {
		t.Fatalf("there are %d pods", len(pods))
	}
	if err := podReady(pods[0]); err != nil {
		t.Errorf("helm has not waited: %v", err)
	}
	for _, n := range s.Nodes() {
		node := initialised(t, s.Cluster, n.Name())
		if ready(node) {
			t.Errorf("%s is ready without a pod network", n.Name())
		}
		m := s.cloud.Machines[n.Name()]
		if want := "sim://" + m.Zone + "/" + m.ID; node.Spec.ProviderID != want {
			t.Errorf("%s has provider-ID %s, want %s", n.Name(), node.Spec.ProviderID, want)
		}
		for label, want := range map[string]string{
			corev1.LabelTopologyZone: m.Zone, corev1.LabelTopologyRegion: m.Region, corev1.LabelInstanceTypeStable: m.Type,
		} {
			if got := node.Labels[label]; got != want {
				t.Errorf("%s has %s=%s, want %s", n.Name(), label, got, want)
			}
		}
	}
}

// initialised waits until a node has lost the taint.
func initialised(t *testing.T, c *cluster.Cluster, name string) *corev1.Node {
	t.Helper()
	node, err := c.WaitNode(within(t, patience), name, func(node *corev1.Node) error {
		if node == nil || tainted(node) {
			return errors.New("the node is not initialised")
		}
		return nil
	})
	must(t, err)
	return node
}

// lack shows for each thing that a new cluster needs what becomes of the release without it:
// proof that the test would notice.
func (s *story) lack(t *testing.T) {
	for _, lack := range []struct {
		of   string
		args []string
		// sign is met when the pod has got as far as it can.
		sign func(context.Context, corev1.Pod) error
	}{
		{"tolerations", []string{"--post-renderer=sed", "--post-renderer-args=s/node.cloudprovider.kubernetes.io.uninitialized/something.else/"},
			func(_ context.Context, pod corev1.Pod) error { return unschedulable(pod) }},
		{"control-plane affinity", []string{"--post-renderer=sed", "--post-renderer-args=s/node-role.kubernetes.io.control-plane$/&-node/"},
			func(_ context.Context, pod corev1.Pod) error { return unmatched(pod) }},
		{"hostNetwork", []string{"--set", "hostNetwork=false"}, s.withoutNetwork},
		{"dnsPolicy", []string{"--set", "dnsPolicy=ClusterFirstWithHostNet"}, s.withoutName},
	} {
		t.Run(lack.of, func(t *testing.T) {
			_, err := s.helm.Install(within(t, patience), s.cloud, lack.args...)
			must(t, err)
			eventually(t, func(ctx context.Context) error {
				pods, err := install.Pods(ctx, s.Cluster)
				if err != nil || len(pods) != 1 {
					return fmt.Errorf("%d pods: %w", len(pods), err)
				}
				return lack.sign(ctx, pods[0])
			})
			for _, n := range s.Nodes() {
				node, err := s.Client().CoreV1().Nodes().Get(within(t, patience), n.Name(), metav1.GetOptions{})
				must(t, err)
				if !tainted(node) {
					t.Errorf("%s is initialised", n.Name())
				}
			}
			_, err = s.helm.Run(within(t, patience), "uninstall", install.Release, "--wait")
			must(t, err)
			eventually(t, func(ctx context.Context) error {
				pods, err := install.Pods(ctx, s.Cluster)
				if err == nil && len(pods) > 0 {
					err = fmt.Errorf("pod %s is still there", pods[0].Name)
				}
				return err
			})
		})
	}
}

// unmatched is met by a pod that the scheduler has looked at, and whose affinity no node meets.
func unmatched(pod corev1.Pod) error {
	if c := condition(pod, corev1.PodScheduled); !strings.Contains(c.Message, "node affinity") {
		return fmt.Errorf("pod %s is %s: %s", pod.Name, pod.Status.Phase, c.Message)
	}
	return nil
}

// withoutNetwork is met when the kubelet does not start the pod for want of a pod network.
func (s *story) withoutNetwork(ctx context.Context, pod corev1.Pod) error {
	events, err := s.Client().CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.SelectorFromSet(fields.Set{"involvedObject.uid": string(pod.UID), "reason": "NetworkNotReady"}).String(),
	})
	if err == nil && len(events.Items) == 0 {
		err = fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
	}
	return err
}

// withoutName is met when the program has started and does not find the cloud's name.
func (s *story) withoutName(ctx context.Context, pod corev1.Pod) error {
	log, err := podLog(ctx, s.Cluster, pod)
	if err == nil && !strings.Contains(log, "lookup "+cluster.MachineName) {
		err = fmt.Errorf("the log has nothing about the name:\n%s", log)
	}
	return err
}

func podLog(ctx context.Context, c *cluster.Cluster, pod corev1.Pod) (string, error) {
	log, err := c.Client().CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{TailLines: new(int64(30))}).DoRaw(ctx)
	return string(log), err
}

// podLogs is what there is to know about the pods of the release.
func podLogs(t *testing.T, c *cluster.Cluster) string {
	pods, err := install.Pods(within(t, patience), c)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, pod := range pods {
		log, err := podLog(within(t, patience), c, pod)
		fmt.Fprintf(&b, "==> %v\n%s%v\n", podReady(pod), log, err)
	}
	return b.String()
}
