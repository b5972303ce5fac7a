package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Columns of the list of expectations.
const nameWidth, seenWidth = 44, 20

// errUnmet says that the report names what was not as expected.
var errUnmet = errors.New("not everything happened as expected")

// report prints how it ended; cause is what ended it early. It returns errUnmet unless all
// expectations are met.
func (q *quickstart) report(cause error) error {
	if _, drawn := q.display.(*screen); !drawn {
		fmt.Fprintln(q.out)
		for _, line := range table(q.board.rows, q.board.snapshot(), nil) {
			fmt.Fprintln(q.out, line)
		}
	}
	fmt.Fprintf(q.out, "\n  %s%s%s\n", pad("EXPECTED OF A CCM", nameWidth), pad(strings.ToUpper(sideNames[without]), seenWidth), strings.ToUpper(sideNames[with]))
	met := 0
	list := q.board.results()
	for _, e := range list {
		fmt.Fprintln(q.out, e.line())
		if e.met() {
			met++
		}
	}
	fmt.Fprintf(q.out, "%d of %d expectations met\n", met, len(list))
	if why := leftOut(q.cloud); why != "" {
		fmt.Fprintln(q.out, why)
	}
	if text := q.board.answer().text; text != "" {
		fmt.Fprintln(q.out, "\nthrough the balancer:", text)
	}
	if cause == nil && met == len(list) {
		return nil
	}
	q.explain(cause, list)
	return errUnmet
}

// line is one expectation with what was seen.
//
//	✓ the Service has an external IP     <pending>     127.77.0.1, after 1.3 s
func (e expectation) line() string {
	ownershipTag := "✗"
	if e.met() {
		ownershipTag = "✓"
	}
	seen := e.seen
	switch {
	case !e.judged:
		seen = [2]string{"not reached", "not reached"}
	case e.holds[with] && e.after > 0:
		seen[with] += fmt.Sprintf("  (%.1f s)", e.after.Seconds())
	}
	return ownershipTag + " " + pad(e.name, nameWidth) + pad(clip(seen[without], seenWidth-1), seenWidth) + seen[with]
}

// explain says for people who have to find out why.
func (q *quickstart) explain(cause error, list []expectation) {
	fmt.Fprintln(q.out)
	if cause != nil {
		fmt.Fprintln(q.out, "ended early:", cause)
	}
	for _, e := range list {
		for i := range e.seen {
			if e.judged && !e.meets(i) {
				fmt.Fprintf(q.out, "✗ %s: %s: last seen: %s\n", sideNames[i], e.name, e.seen[i])
			}
		}
	}
	fmt.Fprintf(q.out, "\nend of the CCM's log:\n%s\n", q.ccm.Tail())
}

// invite says what can be tried now.
func (q *quickstart) invite() {
	kubeconfig := q.clusters[with].AdminKubeconfig()
	fmt.Fprintf(q.out, `
The cluster with the CCM is yours until Ctrl-C, which removes both. In another terminal:

  export KUBECONFIG=%s
  alias kubectl=%s

  kubectl get nodes -o wide
`, kubeconfig, q.binaries.Kubectl)
	if q.cloud.hasBalancers() {
		q.inviteToBalancers()
	}
	binary := q.binary
	if path, err := filepath.Abs(binary); err == nil {
		binary = path
	}
	fmt.Fprint(q.out, commands(binary, q.cloud))
	fmt.Fprintf(q.out, `
Its metrics, for an account that may read them; the certificate is one that the CCM made itself:

  kubectl create serviceaccount prometheus
  kubectl create clusterrolebinding prometheus --clusterrole=system:monitoring --serviceaccount=default:prometheus
  curl --insecure --silent -H "Authorization: Bearer $(kubectl create token prometheus)" %s | grep ^ccm_
`, q.ccm.URL("/metrics"))
	fmt.Fprintf(q.out, "\nLog of the CCM: %s\n", q.ccm.LogPath())
}

// commands are those of the program that say what it knows and would do.
func commands(binary string, c cloud) string {
	var b strings.Builder
	b.WriteString("\nWhat the CCM knows of this cluster, and would do now; these commands change nothing:\n\n")
	for _, variable := range c.env() {
		fmt.Fprintf(&b, "  export %s\n", variable)
	}
	flags := strings.Join(append([]string{"--cloud-provider=" + c.provider()}, c.args()...), " ")
	for _, command := range []string{"explain node " + stopped + " " + grace, "plan", "doctor --leader-elect=false"} {
		fmt.Fprintf(&b, "  %s %s %s\n", binary, command, flags)
	}
	return b.String()
}

func (q *quickstart) inviteToBalancers() {
	fmt.Fprintf(q.out, `  kubectl describe service %s
  kubectl create service loadbalancer second --tcp=8081:80 && kubectl get service second --watch
`, serviceName)
	if door := q.door(); door != "" {
		fmt.Fprintf(q.out, "\nIts balancers carry traffic: curl http://%s/\n(there are no Pods: the simulated nodes answer themselves)\n", door)
	} else {
		fmt.Fprintln(q.out, "\nThe emulator's balancers carry no traffic.")
	}
}
