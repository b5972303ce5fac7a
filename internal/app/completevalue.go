package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

const (
	// completionTimeout bounds what is asked of the API server while somebody waits at the prompt.
	completionTimeout = 3 * time.Second
	// mostCompleted is how many objects the API server is asked for at most.
	mostCompleted = 1000
)

// lister lists what can stand in a place of a command line. The command has the flags that were given so far. A shell can show
// nothing but words, so where they cannot be had there are none.
type lister func(cmd *cobra.Command, beginning string) []string

func fixed(words ...string) lister {
	return func(*cobra.Command, string) []string { return words }
}

// completeFlags has the shell complete the values of flags, for the command and for those below it. Values of other flags are
// files, as far as a shell knows.
func completeFlags(cmd *cobra.Command) error {
	values := map[string]lister{
		"adoption":       fixed(string(safety.AdoptUnowned), string(safety.AdoptOwn), string(safety.AdoptAny)),
		"cloud-provider": fixed(registry.Names()...),
		"color":          fixed(colours...),
		"context":        contexts,
		"from":           fixed(replaceable(registry.All())...),
		"namespace":      namespaces,
		"output":         fixed(outputFormats...),
	}
	if cmd.Name() == "doctor" {
		values["output"] = fixed(reportFormats...)
	}
	for name, list := range values {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		err := cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, beginning string) ([]string, cobra.ShellCompDirective) {
			return beginningWith(beginning, list(cmd, beginning))
		})
		if err != nil {
			return fmt.Errorf("completing --%s of %s: %w", name, cmd.Name(), err)
		}
	}
	for _, below := range cmd.Commands() {
		if err := completeFlags(below); err != nil {
			return err
		}
	}
	return nil
}

// completeSubject has the shell complete the arguments of a command: one of the words, and after "node" and "service" the name of
// one. parse brings arguments into the form of subjectArgs.
func completeSubject(cmd *cobra.Command, parse func(args []string) []string, words ...string) {
	named := map[string]lister{scopeNode: nodeNames, scopeService: serviceNames}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, beginning string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return beginningWith(beginning, words)
		}
		var found []string
		if args = parse(args); len(args) == 1 && named[args[0]] != nil && slices.Contains(words, args[0]) {
			found = named[args[0]](cmd, beginning)
		}
		return beginningWith(beginning, found)
	}
}

// beginningWith are the words that begin like that, sorted. Files are no alternative.
func beginningWith(beginning string, words []string) ([]string, cobra.ShellCompDirective) {
	words = slices.DeleteFunc(slices.Sorted(slices.Values(words)), func(word string) bool { return !strings.HasPrefix(word, beginning) })
	return words, cobra.ShellCompDirectiveNoFileComp
}

// serverOf is the API server that the flags given so far name.
func serverOf(cmd *cobra.Command) *server {
	return &server{kubeconfig: valueOf(cmd.Flags(), "kubeconfig"), context: valueOf(cmd.Flags(), "context")}
}

// valueOf is the text of a flag, "" where there is no such flag.
func valueOf(fs *pflag.FlagSet, name string) string {
	if flag := fs.Lookup(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

// contexts are those of the kubeconfig.
func contexts(cmd *cobra.Command, _ string) []string {
	file, err := serverOf(cmd).rules().Load()
	if err != nil {
		return nil
	}
	return slices.Collect(maps.Keys(file.Contexts))
}

// ask lets a function read from the API server, for a short time.
func ask(cmd *cobra.Command, read func(ctx context.Context, client kubernetes.Interface) ([]string, error)) []string {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	client, err := serverOf(cmd).client()
	if err != nil {
		return nil
	}
	found, err := read(ctx, client)
	if err != nil {
		return nil
	}
	return found
}

func namespaces(cmd *cobra.Command, _ string) []string {
	return ask(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string, err error) {
		list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{Limit: mostCompleted})
		for _, namespace := range list.Items {
			names = append(names, namespace.Name)
		}
		return names, err
	})
}

func nodeNames(cmd *cobra.Command, _ string) []string {
	return ask(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string, err error) {
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: mostCompleted})
		for _, node := range list.Items {
			names = append(names, node.Name)
		}
		return names, err
	})
}

// serviceNames are the Services of type LoadBalancer: by name in the namespace that was given, else with their namespaces.
func serviceNames(cmd *cobra.Command, beginning string) []string {
	namespace, _, named := strings.Cut(beginning, "/")
	short := cmd.Flags().Changed("namespace")
	switch {
	case short:
		namespace = valueOf(cmd.Flags(), "namespace")
	case !named:
		namespace = metav1.NamespaceAll
	}
	chosen := metav1.ListOptions{Limit: mostCompleted, FieldSelector: fields.OneTermEqualSelector("spec.type", string(corev1.ServiceTypeLoadBalancer)).String()}
	return ask(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string, err error) {
		list, err := client.CoreV1().Services(namespace).List(ctx, chosen)
		for _, svc := range list.Items {
			if short {
				names = append(names, svc.Name)
			} else {
				names = append(names, svc.Namespace+"/"+svc.Name)
			}
		}
		return names, err
	})
}
