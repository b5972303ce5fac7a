package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

const (
	// startLimit includes a build of Kubernetes, waitLimit bounds the wait for one thing.
	startLimit = 30 * time.Minute
	waitLimit  = 3 * time.Minute
)

// show is a cluster with the chart installed, step by step, until Ctrl-C; with
// QUICKSTART_EXIT=1 only as long as something has to happen.
func show(ctx context.Context, opts cluster.Options, provider string) (err error) {
	if err := lacks(); err != nil {
		return err
	}
	started, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	opts.Balancers = true
	c, err := cluster.Start(started, opts)
	if err != nil {
		return err
	}
	defer func() { //nolint:contextcheck // cleaning up goes on after ctx's end
		fmt.Fprintln(os.Stderr, "\nremoving everything")
		err = errors.Join(err, c.Stop())
	}()
	cloud, err := install.Open(ctx, provider, c)
	if err != nil {
		return err
	}
	defer cloud.Close()
	helm, err := install.NewHelm(c.AdminKubeconfig())
	if err != nil {
		return err
	}
	carrying, stop := context.WithCancel(ctx)
	var carried sync.WaitGroup
	carried.Go(func() { err = errors.Join(err, install.Carry(carrying, c, cloud)) })
	shown := look(ctx, c, helm, cloud)
	stop()
	carried.Wait()
	return errors.Join(err, shown)
}

// lacks says what this machine lacks for a cluster and for what is shown on it.
func lacks() error {
	if err := cluster.Missing(); err != nil {
		return err
	}
	for _, name := range []string{"curl", "nc.openbsd"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s: not installed; on Debian `make node-deps` does that", name)
		}
	}
	return plane.Missing()
}

// look goes through the steps, and then waits for Ctrl-C.
func look(ctx context.Context, c *cluster.Cluster, helm *install.Helm, cloud install.Cloud) error {
	if err := steps(ctx, c, helm, cloud); err != nil {
		return err
	}
	if os.Getenv("QUICKSTART_EXIT") == "1" {
		return nil
	}
	fmt.Printf(`
logs  %[1]s
try   export KUBECONFIG=%[2]s PATH=%[3]s:%[4]s:$PATH
      kubectl get nodes,services -o wide
      kubectl -n %[5]s logs deployment/%[6]s
      helm -n %[5]s test %[6]s --logs
end   Ctrl-C
`, c.Dir(), c.AdminKubeconfig(), filepath.Dir(c.Binaries().Kubectl), filepath.Dir(helm.Path()), install.Namespace, install.Release)
	<-ctx.Done()
	return nil
}

// steps are what a user does, and what has to come of it.
func steps(ctx context.Context, c *cluster.Cluster, helm *install.Helm, cloud install.Cloud) error {
	if err := install.LabelControlPlane(ctx, c); err != nil {
		return err
	}
	if err := install.LoadImage(ctx, c, helm, cloud); err != nil {
		return err
	}
	if err := describeNodes(ctx, c, "before"); err != nil {
		return err
	}
	fmt.Printf("\nthe nodes have the image that was just built, which other flags name, as others name the cluster\n$ helm install %s charts/multicloud-ccm %s --wait\n",
		install.Release, strings.Join(cloud.Arguments(), " "))
	out, err := helm.Install(ctx, cloud, "--wait")
	if err != nil {
		return err
	}
	fmt.Println(out)
	if err := waitNodes(ctx, c); err != nil {
		return err
	}
	if err := describeNodes(ctx, c, "after"); err != nil {
		return err
	}
	return expose(ctx, c, cloud)
}

// waitNodes waits until all nodes are initialised.
func waitNodes(ctx context.Context, c *cluster.Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	for _, n := range c.Nodes() {
		_, err := c.WaitNode(ctx, n.Name(), func(node *corev1.Node) error {
			if node == nil || node.Spec.ProviderID == "" || len(node.Spec.Taints) > 0 {
				return errors.New("it is not initialised")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func describeNodes(ctx context.Context, c *cluster.Cluster, when string) error {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	fmt.Printf("\nnodes %s\n", when)
	for _, node := range nodes.Items {
		var taints []string
		for _, t := range node.Spec.Taints {
			taints = append(taints, t.Key)
		}
		fmt.Printf("  %s  provider-ID %q  taints %v\n", node.Name, node.Spec.ProviderID, taints)
	}
	return nil
}

const echo = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: echo}
spec:
  replicas: 2
  selector: {matchLabels: {app: echo}}
  template:
    metadata: {labels: {app: echo}}
    spec:
      containers:
        - name: echo
          image: ` + cluster.EchoImage + `
          imagePullPolicy: Never
          env:
            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
            - {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
---
apiVersion: v1
kind: Service
metadata: {name: echo}
spec:
  type: LoadBalancer
  selector: {app: echo}
  ports:
    - {name: http, port: 80, targetPort: 8080}
`

// udp is a port of the Service where the cloud has UDP.
const udp = `    - {name: datagrams, port: 53, targetPort: 8080, protocol: UDP}
`

// expose gives a Service an address, and asks there where the cloud's load balancers carry traffic.
func expose(ctx context.Context, c *cluster.Cluster, cloud install.Cloud) error {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	manifest, hasUDP := echo, install.CarriesUDP(cloud)
	if hasUDP {
		manifest += udp
	}
	if err := c.ApplyManifest(ctx, []byte(manifest)); err != nil {
		return err
	}
	address := ""
	err := controlplane.Eventually(ctx, func(ctx context.Context) error {
		service, err := c.Client().CoreV1().Services(metav1.NamespaceDefault).Get(ctx, "echo", metav1.GetOptions{})
		if err == nil && len(service.Status.LoadBalancer.Ingress) == 0 {
			err = errors.New("the Service echo has no address")
		}
		if err == nil {
			address = service.Status.LoadBalancer.Ingress[0].IP
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nService echo has the address %s\n", address)
	if len(cloud.LoadBalancers()) == 0 {
		fmt.Println("the load balancers of this cloud carry no traffic here")
		return nil
	}
	ask := func(ctx context.Context) error {
		return asClient(ctx, c, "", "curl", "-sS", "--max-time", "2", "http://"+address+"/")
	}
	if err := controlplane.Eventually(ctx, ask); err != nil || !hasUDP {
		return err
	}
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		return asClient(ctx, c, "hello", "nc.openbsd", "-u", "-w", "1", address, "53")
	})
}

// asClient runs a program outside of the cluster and shows it with its output, which must not be empty.
func asClient(ctx context.Context, c *cluster.Cluster, input string, args ...string) error {
	runtime.LockOSThread() // the program ends with the thread
	defer runtime.UnlockOSThread()
	cmd := c.ClientCommand(ctx, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err == nil && len(out) == 0 {
		err = errors.New("no answer")
	}
	if err != nil {
		return fmt.Errorf("running %s: %w: %s", strings.Join(args, " "), err, out)
	}
	if input != "" {
		input = "echo " + input + " | "
	}
	fmt.Printf("$ %s%s\n%s\n", input, strings.Join(args, " "), out)
	return nil
}
