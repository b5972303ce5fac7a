package doctor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// empty is a cluster without Nodes, in which no controller manager has run.
func empty(t *testing.T) *world {
	t.Helper()
	w := &world{Lab: cluster, Cloud: sky, t: t}
	w.must(w.admin().CoreV1().Nodes().DeleteCollection(w.ctx(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	_ = w.admin().CoordinationV1().Leases(lab.Namespace).Delete(w.ctx(), "cloud-controller-manager", metav1.DeleteOptions{})
	sky.Reset()
	sky.SetToken(token, "default")
	return w
}

// The wrong account shows before any Node is initialised.
func TestWrongAccountBeforeAnyNode(t *testing.T) {
	w := empty(t)
	at := visit{provider: "digitalocean"}
	if got := w.doctor(at)["credentials-other-account"]; got.Level != warning || !strings.Contains(got.Message, "has no machine") {
		t.Errorf("no Node and no machine: %s", got)
	}
	w.Cloud.Droplets.Seed(2, renamed("somebody-elses"))
	if got := w.doctor(at)["credentials-other-account"]; got.Level != ok {
		t.Errorf("no Node yet: %s", got)
	}
	w.join(controlplane.NodeOptions{Name: "control-plane-1"})
	got := w.doctor(at)["credentials-other-account"]
	if all := got.String(); got.Level != failure || !strings.Contains(all, "control-plane-1") || !strings.Contains(all, "somebody-elses") || !strings.Contains(all, "digitalocean account ") {
		t.Errorf("a Node that resembles no machine: %s", all)
	}
	if got := w.doctor(at)["leader-missing"]; got.Level != failure {
		t.Errorf("nobody has led: %s", got)
	}
}

// Routes without a pod network.
func TestRoutesWithoutNetwork(t *testing.T) {
	w := empty(t)
	got := w.doctor(visit{provider: "sim", args: []string{"--configure-cloud-routes=true"}})["routes-cidr"]
	if got.Level != failure || !strings.Contains(got.Message, "--cluster-cidr") {
		t.Errorf("%s", got)
	}
}

// A full run with 1,000 Nodes takes less than 10 s and no more calls to the cloud than the list's pages and 20.
func TestThousandNodes(t *testing.T) {
	const nodes, perPage, calls, most = 1000, 200, 20, 10 * time.Second
	w := empty(t)
	w.droplets = w.Cloud.Droplets.Seed(nodes)
	var joined []controlplane.NodeOptions
	for _, d := range w.droplets[:nodes-20] {
		joined = append(joined, settled(d))
	}
	for n, d := range w.droplets[nodes-20:] { // those that cost the most: their machines have to be asked for one by one
		o := settled(d)
		if o.Ready = false; n%2 == 0 {
			o.Name, o.ProviderID, o.Initialized = "other-"+d.Name, "", false
		}
		joined = append(joined, o)
	}
	w.must(w.JoinNodes(w.ctx(), joined))
	var gone []int
	for n, d := range w.droplets[nodes-20:] {
		if n%2 == 1 {
			gone = append(gone, d.ID)
		}
	}
	w.must(w.Cloud.Droplets.Delete(gone...))
	for n := range 5 {
		w.service(fmt.Sprintf("waiting-%d", n), nil)
	}
	w.Cloud.ResetTraffic()
	began := time.Now()
	found := w.doctor(visit{provider: "digitalocean"})
	took, traffic := time.Since(began), w.Cloud.Counters()
	t.Logf("%d Nodes, 10 of them without a machine, 10 of another name, 5 Services that wait: %s, %d calls", nodes, took.Round(time.Millisecond), traffic.Total)
	if pages := nodes / perPage; traffic.Total > pages+calls || took > most || traffic.Mutating > 0 {
		t.Errorf("%d calls, want at most %d; %d changes; %s, want at most %s", traffic.Total, pages+calls, traffic.Mutating, took, most)
	}
	for id, level := range map[string]string{"node-not-initialised": failure, "node-machine-unknown": failure, "node-machine-gone": warning, "service-without-address": failure, "credentials-other-account": ok} {
		if found[id].Level != level {
			t.Errorf("want it to be a %s: %s", level, found[id])
		}
	}
}

// A machine is resized. Its Node gets the new label by the command that the doctor names, and keeps it.
func TestResizedMachine(t *testing.T) {
	w := newWorld(t)
	d := w.Cloud.Droplets.Seed(1)[0]
	w.join(controlplane.NodeOptions{Name: d.Name})
	nodes := w.admin().CoreV1().Nodes()
	const old, current = "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"
	has := func(size string) error {
		node, err := nodes.Get(w.ctx(), d.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if node.Labels[old] != size || node.Labels[current] != size {
			return fmt.Errorf("the labels are %v, want %s", node.Labels, size)
		}
		return nil
	}
	w.must(controlplane.Eventually(w.ctx(), func(context.Context) error { return has(d.Size) }))
	w.must(w.SetReady(w.ctx(), d.Name, true, ""))
	w.mended("the Node joined")
	w.must(w.Cloud.Droplets.Edit(d.ID, func(d *digitalocean.Droplet) { d.Size = "c-32" }))
	got := w.doctor(visit{})["node-label-outdated"]
	command := "kubectl label node " + d.Name + " --overwrite "
	_, labels, said := strings.Cut(strings.Join(got.Evidence, "\n"), command)
	if got.Level != warning || !said || !strings.Contains(got.String(), d.Size+" → c-32") {
		t.Fatalf("%s", got)
	}
	values := map[string]string{}
	for _, label := range strings.Fields(labels) {
		key, value, _ := strings.Cut(label, "=")
		values[key] = value
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": values}})
	w.must(err)
	_, err = nodes.Patch(w.ctx(), d.Name, "application/merge-patch+json", patch, metav1.PatchOptions{})
	w.must(err)
	w.mended("the labels were set")
	w.must(has("c-32"))
}
