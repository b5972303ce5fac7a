package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// releaseTimeout bounds the command.
const releaseTimeout = 30 * time.Second

// release are the flags of `release-brake`.
type release struct {
	server
	by, leaseNamespace, leaseName string
}

func newReleaseCommand() *cobra.Command {
	r := &release{}
	cmd := newCommand(subcommand{
		use: "release-brake", short: "Let the Nodes go that the deletion brake holds back",
		long: `It says that the machines which are missing now are really gone: their Nodes may be deleted as soon as
the rest of the proof is there, and deletions until now are not counted any more. It writes two
annotations on the leader's lease, which the running leader sees within seconds.`,
		example: `  # See what is missing, then say that it was meant.
  kubectl get events --field-selector reason=DeletionBrakeEngaged
  cloud-controller-manager release-brake --by=alice`,
		run: func(_ []string, out io.Writer) error { return r.run(out) },
	})
	fs := cmd.Flags()
	r.flags(fs)
	leaseFlags(fs, &r.leaseNamespace, &r.leaseName)
	fs.StringVar(&r.by, "by", "", "Who releases, as it is recorded. The name the API server knows when empty.")
	return cmd
}

func (r *release) run(out io.Writer) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	return r.release(ctx, client, out)
}

func (r *release) release(ctx context.Context, client kubernetes.Interface, out io.Writer) error {
	by, at := cmp.Or(r.by, who(ctx, client)), time.Now().UTC().Format(time.RFC3339)
	leases := client.CoordinationV1().Leases(r.leaseNamespace)
	var counted int
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		lease, err := leases.Get(ctx, r.leaseName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		counted = 0
		for annotation, record := range lease.Annotations {
			if strings.HasPrefix(annotation, safety.AnnotationNodes) {
				counted += safety.Deletions(record, time.Now(), safety.DefaultBrake().Window)
			}
		}
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, safety.AnnotationReleasedBy, by)
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, safety.AnnotationReleasedAt, at)
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("releasing the brake on lease %s/%s: %w", r.leaseNamespace, r.leaseName, err)
	}
	fmt.Fprintf(out, "Released by %s at %s, on lease %s/%s.\n", by, at, r.leaseNamespace, r.leaseName)
	fmt.Fprintf(out, "Deletions of Nodes that are not counted any more: %d.\n", counted)
	if nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err == nil {
		fmt.Fprintln(out, candidates(nodes.Items))
	}
	return nil
}

// who returns the user's name as the API server knows it.
func who(ctx context.Context, client kubernetes.Interface) string {
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err == nil && review.Status.UserInfo.Username != "" {
		return review.Status.UserInfo.Username
	}
	return cmp.Or(os.Getenv("USER"), "unknown")
}

// candidates names the Nodes that may go: no other is ever deleted.
func candidates(nodes []corev1.Node) string {
	const most = 20
	var names []string
	for n := range nodes {
		if !isReady(&nodes[n]) {
			names = append(names, nodes[n].Name)
		}
	}
	if len(names) == 0 {
		return "All Nodes are Ready; a Ready Node is never deleted."
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Sprintf("Nodes that are not Ready now: %d. Of these only those may be deleted whose machines the cloud does not have: %s%s",
		len(names), strings.Join(names[:min(most, len(names))], ", "), more)
}

func isReady(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
