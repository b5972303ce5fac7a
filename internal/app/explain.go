package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// explainTimeout bounds one run of `explain`.
const explainTimeout = 2 * time.Minute

// explaining is one run of `explain`.
type explaining struct {
	perspective
	paging
	format *string
}

func newExplainCommand() *cobra.Command {
	e := &explaining{}
	cmd := newCommand(subcommand{
		use: "explain {node NAME | service [NAMESPACE/]NAME}", short: "Say what is known of one Node or Service, and why",
		long: `Of a Node: whose it is, by which rule its machine was found, where its addresses come from, what stands between it and its
deletion, and where the controller kubelet-serving-certificate runs, what became of the kubelet's last request. Of a Service: how each annotation was understood, whose the load balancer is and by what evidence, where it
listens and how targets are checked, which nodes are targets and why the others are not, and its last events. Then what
would be done now. It only reads, as plan does, and takes the same flags. Problems come first: "!" marks what somebody has
to look after. Lines are as long as the terminal is wide, or as COLUMNS says. kubectl's words do as well: svc/web -n shop,
no/worker-1.`,
		example: `  kubectl -n kube-system exec deployment/multicloud-ccm -- /cloud-controller-manager explain node worker-1
  cloud-controller-manager explain service shop/web --cloud-provider=digitalocean
  # Only what is wrong.
  cloud-controller-manager explain service shop/web --cloud-provider=digitalocean --problems-only`,
		args: func(args []string) error {
			if args = subjectArgs(args); len(args) != 2 || args[1] == "" || args[0] != scopeNode && args[0] != scopeService {
				return usagef("explain: want node NAME, or service NAMESPACE/NAME%s", cmp.Or(kindMeant(args, scopeNode, scopeService), ", such as: explain service shop/web"))
			}
			return nil
		},
	})
	completeSubject(cmd, subjectArgs, scopeNode, scopeService)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return e.run(cmd, subjectArgs(args))
	}
	e.goesOn = true
	e.perspective.flags(cmd.Flags())
	e.paging.flags(cmd.Flags())
	e.namespaceFlag(cmd.Flags())
	e.format = outputFlag(cmd)
	return cmd
}

func (e *explaining) run(cmd *cobra.Command, args []string) error {
	if err := cmp.Or(checkOutput(*e.format), e.check(*e.format)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), explainTimeout)
	defer cancel()
	seen, err := e.look(ctx, cmd.Flags(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	explanation, err := e.explain(ctx, seen, args)
	if _, absent := errors.AsType[*absentError](err); absent {
		return &codeError{exitAbsent, err}
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if *e.format != "" {
		err = writeValue(out, *e.format, explanation)
	} else {
		err = explanation.Text(out, e.page(out))
	}
	return cmp.Or(err, e.refused)
}

func (e *explaining) explain(ctx context.Context, seen *sight, args []string) (inspect.Explanation, error) {
	if args[0] == scopeService {
		svc, err := seen.service(args[1])
		if err != nil {
			return inspect.Explanation{}, err
		}
		events, eventsErr := e.events(ctx, svc)
		return seen.inspector().ExplainService(ctx, svc, events, eventsErr), nil
	}
	node := seen.Cluster.Node(args[1])
	if node == nil {
		return inspect.Explanation{}, absentf("node %s does not exist%s", args[1], didYouMean(near(args[1], seen.nodes())))
	}
	explanation := seen.inspector().ExplainNode(ctx, node)
	if seen.Enabled[controller.KubeletCertificate] {
		explanation.AddServingRequest(e.servingRequest(ctx, node), time.Now())
	}
	return explanation, nil
}

// events returns the events of a Service. The rights of the controller manager do not include them.
func (e *explaining) events(ctx context.Context, svc *corev1.Service) ([]corev1.Event, error) {
	client, err := e.client()
	if err != nil {
		return nil, err
	}
	allowed, err := mayListEvents(ctx, client, svc.Namespace)
	switch {
	case err != nil:
		return nil, err
	case !allowed:
		return nil, errors.New("kubectl describe service shows them")
	}
	list, err := client.CoreV1().Events(svc.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.kind": "Service", "involvedObject.uid": string(svc.UID)}.String(),
	})
	if err != nil {
		return nil, fmt.Errorf("reading events: %w", err)
	}
	return list.Items, nil
}
