package object

import (
	"testing"

	"github.com/digitalocean/godo"
)

// TestRequestOf: a request shares nothing with the balancer it was made of that making it writes to.
func TestRequestOf(t *testing.T) {
	lb := &godo.LoadBalancer{DisableLetsEncryptDNSRecords: godo.PtrTo(true)}
	request := requestOf(lb)
	if got := request.DisableLetsEncryptDNSRecords; got == nil || !*got || got == lb.DisableLetsEncryptDNSRecords {
		t.Errorf("%v of %v: not a copy of its value", got, lb.DisableLetsEncryptDNSRecords)
	}
}
