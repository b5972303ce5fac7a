package aws_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// EC2 says of an instance of another region that it does not exist, the account is the right one
// and our own machines are there: the proof of absence is complete. So the Node of another region
// must not get that far: it is foreign, costs no request and is never judged.
func TestNodeOfAnotherRegionIsForeign(t *testing.T) {
	t.Parallel()
	here := lab.NewWorld(t, lab.WorldOptions{Region: "eu-west-1", Zones: 1})
	there := here.Abroad(t, "us-east-1")
	through := here.Proxy(t)
	made, err := aws.New(t.Context(), here.Config(t, lab.ConfigOptions{Proxy: through, Declared: aws.Descriptor().Settings}))
	if err != nil {
		t.Fatal(err)
	}
	ours := regionNode("ours", "aws:///eu-west-1a/"+here.Boot(t, lab.MachineOptions{})[0], corev1.ConditionTrue)
	theirs := regionNode("theirs", "aws:///us-east-1a/"+there, corev1.ConditionFalse)
	cloud := run.Decorate(made, run.Options{Descriptor: aws.Descriptor(), Annotations: aws.Annotations()})
	inventory := instance.New(instance.Options{
		Cloud:  cloud,
		Nodes:  func() []*corev1.Node { return []*corev1.Node{ours, theirs} },
		Policy: instance.Policy{Grace: time.Nanosecond, ConfirmGap: 10 * time.Millisecond, StateMaxAge: time.Nanosecond, Coalesce: time.Millisecond},
	})
	if exists, err := inventory.Exists(t.Context(), ours); !exists || err != nil {
		t.Fatalf("our own node exists: %t, %v", exists, err)
	}
	before, _ := through.Counts()
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		exists, err := inventory.Exists(t.Context(), theirs)
		if err == nil && !exists {
			t.Fatal("the node of another region is judged gone")
		}
		if exists {
			break
		}
	}
	if off, err := inventory.Shutdown(t.Context(), theirs); off || err != nil {
		t.Errorf("it is shut down: %t, %v", off, err)
	}
	if reads, writes := through.Counts(); reads != before || writes != 0 {
		t.Errorf("it cost %d reads and %d writes", reads-before, writes)
	}
	if owner := instance.Owner(theirs, cloud.Concerns); owner != instance.Foreign {
		t.Errorf("it is %s", owner)
	}
}

func regionNode(name, providerID string, ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}},
	}
}
