package doctor

import (
	"strings"
	"testing"
)

// Whose rights are missing is said: a binding may name another account than the one that runs.
func TestMissingRightsNameTheirAccount(t *testing.T) {
	f := &facts{}
	f.rights.value = lackingRights{"kube-system/multicloud-ccm", []lackingRight{{right: right{"list", "certificates.k8s.io", "certificatesigningrequests", "", ""}, use: "certificates"}}}
	if o := judgeRights(false)(f); o.Level != Failure || !strings.Contains(o.Message, "account kube-system/multicloud-ccm lacks 1 right") {
		t.Errorf("got %+v", o)
	}
}
