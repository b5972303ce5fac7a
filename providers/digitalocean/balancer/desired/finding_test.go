package desired

import "testing"

// After a change the balancer has the type and the stack that the answer shows, and its certificate is the one that was found before.
func TestFindingsAfterAChange(t *testing.T) {
	before := Findings{Type: "REGIONAL", Stack: "IPV4", Certificate: "c-1", CertificatesForbidden: true}
	want := Findings{Type: "REGIONAL_NETWORK", Stack: "DUALSTACK", Certificate: "c-1", CertificatesForbidden: true}
	if got := before.On(Findings{Type: "REGIONAL_NETWORK", Stack: "DUALSTACK"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
