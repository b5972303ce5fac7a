package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	controllernames "k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/rbac"
)

// lackingRight is one that the controller manager needs and does not have.
type lackingRight struct {
	right right
	use   string
	// election says that nothing runs without it.
	election bool
}

func (l lackingRight) String() string { return l.right.String() + ", for " + l.use }

// lackingRights are those that an account lacks, which is named as namespace/name.
type lackingRights struct {
	account string
	rights  []lackingRight
}

// rightsOf asks for everything that the controller manager needs, and returns what it lacks. It asks
// about the service account of its workload; without one about ourselves, if we are a service account.
func rightsOf(ctx context.Context, r *reader, o Options) fact[lackingRights] {
	account, user, err := subject(ctx, r, o)
	if err != nil {
		return missing[lackingRights](err)
	}
	wanted := needed(o)
	lacks := make([]bool, len(wanted))
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for n, want := range wanted {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			allowed, err := allowed(ctx, r, user, want.right)
			mu.Lock()
			defer mu.Unlock()
			lacks[n], failed = !allowed && err == nil, errors.Join(failed, err)
		})
	}
	all.Wait()
	if failed != nil {
		return missing[lackingRights](failed)
	}
	lacking := lackingRights{account: account}
	for n, want := range wanted {
		if lacks[n] {
			lacking.rights = append(lacking.rights, want)
		}
	}
	return fact[lackingRights]{value: lacking}
}

const accountPrefix = "system:serviceaccount:"

// subject returns the service account whose rights count as namespace/name, and its user, "" for our own.
func subject(ctx context.Context, r *reader, o Options) (account, user string, err error) {
	self, err := r.client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", "", fmt.Errorf("asking who the doctor is: %w", err)
	}
	me := self.Status.UserInfo.Username
	if o.Manager.Workload == nil {
		if account, is := strings.CutPrefix(me, accountPrefix); is {
			return strings.Replace(account, ":", "/", 1), "", nil
		}
		return "", "", errors.New("whose rights count is not known: no workload of the controller manager was found, and the doctor is no service account")
	}
	namespace, name := o.Manager.Workload.Account()
	account, user = namespace+"/"+name, accountPrefix+namespace+":"+name
	if user == me {
		return account, "", nil
	}
	return account, user, r.may(ctx, right{"create", "authorization.k8s.io", "subjectaccessreviews", "", ""})
}

func allowed(ctx context.Context, r *reader, user string, want right) (bool, error) {
	if user == "" {
		err := r.may(ctx, want)
		if _, lacks := errors.AsType[*lackError](err); lacks {
			return false, nil
		}
		return err == nil, err
	}
	parts := strings.Split(user, ":")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[2], "system:authenticated"},
		ResourceAttributes: want.attributes(),
	}}
	answer, err := r.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking whether %s may %s: %w", user, want, err)
	}
	return answer.Status.Allowed, nil
}

// needed are the rights that the controller manager needs with its flags and its cloud.
func needed(o Options) []lackingRight {
	var list []lackingRight
	for _, grant := range rbac.Rules(o.Lease.Name) {
		if len(grant.Controllers) > 0 && !slices.ContainsFunc(grant.Controllers, o.runs) {
			continue
		}
		namespace := ""
		if grant.Namespaced {
			namespace = cmp.Or(grant.Namespace, o.Lease.Namespace)
		}
		for _, verb := range grant.Verbs {
			for _, name := range append(grant.Names, make([]string, max(0, 1-len(grant.Names)))...) {
				list = append(list, lackingRight{right{verb, grant.Group, grant.Resource, namespace, name}, grant.For, grant.Group == "coordination.k8s.io"})
			}
		}
	}
	return append(list, lackingRight{
		right{"get", "", "configmaps", metav1.NamespaceSystem, "extension-apiserver-authentication"}, "metrics: whose certificates are trusted", true,
	})
}

// runs reports whether the controller manager runs a controller, for this cloud and with these flags.
func (o Options) runs(name string) bool {
	if o.Cloud == nil {
		return false
	}
	possible := true
	switch name {
	case controllernames.CloudNodeLifecycleController:
		possible = !o.Cloud.Descriptor.Offline
	case controllernames.ServiceLBController:
		possible = o.Cloud.Balancers != nil
	case controllernames.NodeRouteController:
		possible = o.Cloud.Routes != nil && len(o.Manager.ClusterCIDRs) > 0
	case controller.CloudFirewall:
		possible = o.Cloud.Firewalls != nil
	case controller.Tagging:
		possible = o.Manager.Enabled != nil // it does not run by default
	case controller.KubeletCertificate:
		possible = o.Manager.Enabled != nil && !o.Cloud.Descriptor.Offline
	}
	on, known := o.Manager.Enabled[name]
	return possible && (on || !known)
}

func judgeRights(election bool) func(*facts) Outcome {
	return func(f *facts) Outcome {
		if f.rights.err != nil {
			return cannot(f.rights.err)
		}
		var evidence []string
		for _, lack := range f.rights.value.rights {
			if lack.election == election {
				evidence = append(evidence, "may not "+lack.String())
			}
		}
		if len(evidence) > 0 {
			return failure("the controller manager's service account "+f.rights.value.account+" lacks "+plural(len(evidence), "right"), "", bounded(evidence)...)
		}
		return fine("the controller manager has all rights of this kind that it needs")
	}
}
