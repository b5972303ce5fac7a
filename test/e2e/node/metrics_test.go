package node_test

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

var listAll = metav1.ListOptions{}

// scraper is an account that may read metrics, as a Prometheus would have.
const scraper = "prometheus"

// metrics reads the process's metrics the way a Prometheus does: with a ServiceAccount
// token that the process has the API server check.
func (s *site) metrics(p *ccm.Process) string {
	s.t.Helper()
	ctx, client := s.within(patience), s.Client()
	_, err := client.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: scraper}}, metav1.CreateOptions{})
	s.mustOrExists(err)
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: scraper},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:monitoring"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: scraper}},
	}, metav1.CreateOptions{})
	s.mustOrExists(err)
	answer, err := client.CoreV1().ServiceAccounts("default").CreateToken(ctx, scraper, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	s.must(err)
	var text string
	s.must(controlplane.Eventually(ctx, func(ctx context.Context) error {
		text, err = p.Get(ctx, "/metrics", answer.Status.Token)
		return err
	}))
	return text
}

func (s *site) mustOrExists(err error) {
	s.t.Helper()
	if !apierrors.IsAlreadyExists(err) {
		s.must(err)
	}
}
