package platform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/scheme"
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/v1beta4"
)

// decode reads a file as kubeadm does; unknown and repeated keys are errors.
func decode(content []byte) (runtime.Object, error) {
	codecs := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict)
	object, _, err := codecs.UniversalDeserializer().Decode(content, nil, nil)
	return object, err
}

func TestKubeadm(t *testing.T) {
	for _, file := range []string{"kubeadm/init.yaml", "kubeadm/join.yaml"} {
		object, err := decode(read(t, folder, file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var args []v1beta4.Arg
		switch object := object.(type) {
		case *v1beta4.InitConfiguration:
			args = object.NodeRegistration.KubeletExtraArgs
		case *v1beta4.JoinConfiguration:
			args = object.NodeRegistration.KubeletExtraArgs
		default:
			t.Fatalf("%s is a %T", file, object)
		}
		if diff := cmp.Diff([]v1beta4.Arg{{Name: "cloud-provider", Value: "external"}}, args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// Without this it could be that everything passes.
func TestKubeadmRefuses(t *testing.T) {
	content := string(read(t, folder, "kubeadm", "init.yaml"))
	for name, change := range map[string][2]string{
		"unknown key":            {"kubeletExtraArgs", "kubeletArgs"},
		"key on the wrong level": {"nodeRegistration", "kubelet"},
		"version that is gone":   {"v1beta4", "v1beta2"},
		"arguments of v1beta3":   {"  - name: cloud-provider\n    value: external", "    cloud-provider: external"},
	} {
		changed := strings.Replace(content, change[0], change[1], 1)
		if _, err := decode([]byte(changed)); changed == content || err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
