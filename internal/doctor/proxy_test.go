package doctor

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestHealthPort(t *testing.T) {
	answers := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(answers.Close)
	_, open, err := net.SplitHostPort(answers.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	_, shut, err := net.SplitHostPort(gone.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	ready := node("a", "fake://a", 0)
	ready.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	ready.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	waiting := ready.DeepCopy()
	waiting.Status.Conditions[0].Status = corev1.ConditionFalse
	balanced := corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	local := balanced
	local.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal
	for name, test := range map[string]struct {
		node     *corev1.Node
		services []corev1.Service
		port     string
		found    bool
	}{
		"nothing answers":        {ready, []corev1.Service{local, balanced}, shut, true},
		"something answers":      {ready, []corev1.Service{balanced}, open, false},
		"nobody asks there":      {ready, []corev1.Service{local, {}}, shut, false},
		"the node is not Ready":  {waiting, []corev1.Service{balanced}, shut, false},
		"no Service of the kind": {ready, nil, shut, false},
	} {
		refused := refusals(t.Context(), []*corev1.Node{test.node}, test.services, test.port)
		if found := len(refused) == 1 && judgeHealthPort(&facts{refused: refused}).Level == Warning; found != test.found {
			t.Errorf("%s: %v, want a warning %v", name, refused, test.found)
		}
	}
}
