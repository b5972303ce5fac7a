package app

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// planTimeout bounds one run of `plan`.
const planTimeout = 5 * time.Minute

// The parts of a plan, in the order of execution.
const (
	scopeAll      = "all"
	scopeNodes    = "nodes"
	scopeRoutes   = "routes"
	scopeService  = "service"
	scopeServices = "services"
	scopeFirewall = "firewall"
)

// planning is one run of `plan`.
type planning struct {
	perspective
	file, colour string
	format       *string
}

const planLong = `It reads the cluster and the cloud, as the controller manager would, and prints what it would do now, each
step with its reason, in the order of execution. It changes nothing and takes no lease, so it works beside any running
controller manager, of this project or another, from a laptop as well as in the pod. There the flags of the running
controller manager count; elsewhere give those that it has, or will have. Lines are as long as the terminal is wide, or as COLUMNS
says.`

const planExample = `  # What the controller manager would do now, in its own pod.
  kubectl -n kube-system exec deployment/multicloud-ccm -- /cloud-controller-manager plan
  # What it would do in a cluster where it does not run yet.
  DO_ACCESS_TOKEN=… cloud-controller-manager plan --cloud-provider=digitalocean --cluster-name=prod
  # One Service, and what would become of it after an edit.
  cloud-controller-manager plan service shop/web --cloud-provider=digitalocean
  cloud-controller-manager plan service -f web.yaml --cloud-provider=digitalocean
  # In a pipeline.
  cloud-controller-manager plan -o json --cloud-provider=digitalocean | jq .summary`

func newPlanCommand() *cobra.Command {
	p := &planning{}
	cmd := newCommand(subcommand{
		use: "plan [service [NAMESPACE/]NAME | nodes | routes | firewall | all]", short: "Say what would be done now, and change nothing",
		long: planLong, example: planExample,
		args: func(args []string) error { return p.checkArgs(planArgs(args)) },
	})
	completeSubject(cmd, planArgs, scopeAll, scopeFirewall, scopeNodes, scopeRoutes, scopeService)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return p.run(cmd, planArgs(args)) }
	fs := cmd.Flags()
	p.flags(fs)
	p.namespaceFlag(fs)
	fs.StringVarP(&p.file, "filename", "f", "", "Path of a Service in YAML or JSON that is planned as if it were applied; - reads it from the standard input.")
	colourFlag(fs, &p.colour)
	p.format = outputFlag(cmd)
	return cmd
}

func (p *planning) checkArgs(args []string) error {
	what := scopeOf(args)
	switch {
	case !slices.Contains([]string{scopeAll, scopeNodes, scopeRoutes, scopeService, scopeFirewall}, what):
		return usagef("plan %s: want service NAMESPACE/NAME, nodes, routes, firewall or all%s", what, kindMeant(args, scopeService, scopeNodes, scopeRoutes, scopeFirewall, scopeAll))
	case what == scopeService && p.file == "" && len(args) != 2:
		return usagef("plan service: want one NAMESPACE/NAME, or -f with a file")
	case what == scopeService && p.file != "" && len(args) != 1, what != scopeService && len(args) > 1:
		return usagef("plan %s: %q is one argument too many", what, args[1])
	case what != scopeService && p.file != "":
		return usagef("--filename=%s is for plan service", p.file)
	case what != scopeService && p.namespace != corev1.NamespaceDefault:
		return usagef("--namespace=%s is for plan service NAME", p.namespace)
	}
	if err := checkColour(p.colour); err != nil {
		return err
	}
	return checkOutput(*p.format)
}

// planArgs is subjectArgs, but for all Nodes and all routes, which are parts of the plan.
func planArgs(args []string) []string {
	switch args = subjectArgs(args); scopeOf(args) {
	case scopeNode:
		return append([]string{scopeNodes}, args[1:]...)
	case "route":
		return append([]string{scopeRoutes}, args[1:]...)
	}
	return args
}

func scopeOf(args []string) string {
	if len(args) == 0 {
		return scopeAll
	}
	return args[0]
}

func (p *planning) run(cmd *cobra.Command, args []string) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), planTimeout)
	defer cancel()
	report, err := p.report(ctx, cmd, args)
	if err != nil {
		return err
	}
	if *p.format != "" {
		err = writeValue(cmd.OutOrStdout(), *p.format, report)
	} else {
		err = report.Text(cmd.OutOrStdout(), (&paging{colour: p.colour}).page(cmd.OutOrStdout()))
	}
	switch {
	case err != nil:
		return err
	case report.Failed():
		return &codeError{code: exitFailure}
	case report.Differs():
		return &codeError{code: exitDifferent}
	}
	return nil
}

func (p *planning) report(ctx context.Context, cmd *cobra.Command, args []string) (plan.Report, error) {
	given, err := p.given()
	if err != nil {
		return plan.Report{}, err
	}
	seen, err := p.look(ctx, cmd.Flags(), cmd.ErrOrStderr())
	if err != nil {
		return plan.Report{}, err
	}
	var scope []string
	var entries []plan.Entry
	if what := scopeOf(args); what == scopeService {
		entry, err := p.service(ctx, seen, args, given)
		if err != nil {
			return plan.Report{}, err
		}
		scope, entries = []string{scopeServices}, []plan.Entry{entry}
	} else {
		if scope, entries = everything(ctx, seen.inspector(), what); len(scope) == 0 {
			return plan.Report{}, fmt.Errorf("plan %s: nothing was looked at: %s", what, p.nothing(seen, what))
		}
	}
	return plan.NewReport(seen.Cloud.Name, scope, entries), nil
}

// everything plans all parts, or the one that is named. A part that does not exist, such as the
// routes of a cloud without them, is not in the scope.
func everything(ctx context.Context, i *inspect.Inspector, what string) (scope []string, entries []plan.Entry) {
	if (what == scopeAll || what == scopeNodes) && i.HasNodes() {
		scope, entries = append(scope, scopeNodes), append(entries, i.Nodes(ctx)...)
	}
	if what == scopeAll || what == scopeRoutes {
		if entry, ok := i.Routes(ctx); ok {
			scope, entries = append(scope, scopeRoutes), append(entries, entry)
		}
	}
	if what == scopeAll && i.HasBalancers() {
		scope, entries = append(scope, scopeServices), append(entries, i.Services(ctx)...)
	}
	if what == scopeAll || what == scopeFirewall {
		if entry, ok := i.Firewall(ctx); ok {
			scope, entries = append(scope, scopeFirewall), append(entries, entry)
		}
	}
	return scope, entries
}

// nothing says why there is nothing to look at.
func (p *planning) nothing(seen *sight, what string) string {
	controllers := map[string]string{scopeNodes: names.CloudNodeController, scopeRoutes: names.NodeRouteController, scopeFirewall: controller.CloudFirewall}
	routes := what == scopeRoutes
	switch {
	case routes && seen.Cloud.Routes == nil:
		return "cloud " + seen.Cloud.Name + " has no routes"
	case routes && !p.configureRoutes:
		return "--configure-cloud-routes=false makes none"
	case what == scopeAll || !seen.Enabled[controllers[what]]:
		return "--controllers=" + strings.Join(p.controllers, ",") + " runs no controller for it"
	case routes:
		return "--cluster-cidr is not set; give it the pod networks, as the controller manager has them"
	}
	return "the configuration of cloud " + seen.Cloud.Name + " asks for none"
}

// given reads the Service in the file, nil when no file was given.
func (p *planning) given() (*corev1.Service, error) {
	if p.file == "" {
		return nil, nil
	}
	content, err := readFile(p.file)
	if err != nil {
		return nil, usagef("--filename: %v", err)
	}
	svc, err := inspect.ParseService(content)
	if err != nil {
		return nil, usagef("--filename=%s: %v", p.file, err)
	}
	return svc, nil
}

// service plans one Service, from the cluster or the one that was given.
func (p *planning) service(ctx context.Context, seen *sight, args []string, given *corev1.Service) (plan.Entry, error) {
	if given != nil {
		return p.unapplied(ctx, seen, given)
	}
	svc, err := seen.service(args[1])
	if err != nil {
		return plan.Entry{}, err
	}
	return seen.inspector().Service(ctx, svc), nil
}

// unapplied plans a Service as if it were applied.
func (p *planning) unapplied(ctx context.Context, seen *sight, given *corev1.Service) (plan.Entry, error) {
	if err := seen.balancers(); err != nil {
		return plan.Entry{}, err
	}
	svc, invented := inspect.Applied(given, seen.Cluster.Service(given.Namespace, given.Name))
	seen.Cluster = seen.Cluster.With(svc)
	entry := seen.inspector().Service(ctx, svc)
	if invented && svc.Spec.Type == corev1.ServiceTypeLoadBalancer {
		entry.Notes = append(entry.Notes, "the Service is not applied yet: its node ports, and a name made from its UID, are examples")
	}
	return entry, nil
}

func readFile(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}

// parseCIDRs reads --cluster-cidr.
func parseCIDRs(text string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("--cluster-cidr=%s: %q is no network, want one such as 10.244.0.0/16", text, part)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}
