package cloud_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestFamilies(t *testing.T) {
	internal, external := cloud.AddressInternalIP, cloud.AddressExternalIP
	for name, test := range map[string]struct {
		addresses []cloud.Address
		v4, v6    bool
	}{
		"IPv4":           {[]cloud.Address{{Type: internal, Address: "10.0.0.1"}}, true, false},
		"IPv6":           {[]cloud.Address{{Type: external, Address: "2001:db8::1"}}, false, true},
		"both":           {[]cloud.Address{{Type: internal, Address: "fd00::1"}, {Type: external, Address: "192.0.2.1"}}, true, true},
		"mapped":         {[]cloud.Address{{Type: internal, Address: "::ffff:10.0.0.1"}}, true, false},
		"another type":   {[]cloud.Address{{Type: cloud.AddressHostname, Address: "10.0.0.1"}}, false, false},
		"not an address": {[]cloud.Address{{Type: internal, Address: "node.example"}}, false, false},
		"nothing":        {nil, false, false},
	} {
		if v4, v6 := (cloud.Target{Addresses: test.addresses}).Families(internal, external); v4 != test.v4 || v6 != test.v6 {
			t.Errorf("%s: IPv4 %t, IPv6 %t, want %t, %t", name, v4, v6, test.v4, test.v6)
		}
	}
}

// What is preserved is what Fields then says, and a field nobody manages stays so.
func TestPin(t *testing.T) {
	b := cloud.Balancer{Name: "new", Scope: cloud.ScopeInternal, DualStack: true, ProviderFields: map[string]string{"tier": "big"}}
	preserved := map[string]string{cloud.FieldName: "old", cloud.FieldScope: "external", cloud.FieldDualStack: "false", "tier": "small"}
	b.Preserve(preserved)
	b.Preserve(map[string]string{"subnet": "a"})
	fields := b.Fields()
	for field, value := range preserved {
		if fields[field] != value {
			t.Errorf("%s = %q, want %q", field, fields[field], value)
		}
	}
	if !maps.Equal(b.ProviderFields, map[string]string{"tier": "small"}) {
		t.Errorf("extras %v", b.ProviderFields)
	}
}

func TestNoAnswer(t *testing.T) {
	for _, err := range []error{
		context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF, &net.DNSError{IsTimeout: true}, &net.OpError{Op: "dial", Err: errors.New("refused")},
	} {
		if !cloud.NoAnswer(fmt.Errorf("listing machines: %w", err)) {
			t.Errorf("%v counts as an answer", err)
		}
	}
	for _, err := range []error{nil, errors.New("EOF"), &cloud.Invalid{}} {
		if cloud.NoAnswer(err) {
			t.Errorf("%v does not count as an answer", err)
		}
	}
}

func TestNoSense(t *testing.T) {
	var number int
	for _, answer := range []string{"<html>", `"text"`} {
		if err := json.Unmarshal([]byte(answer), &number); !cloud.NoSense(fmt.Errorf("reading: %w", err)) {
			t.Errorf("%v makes sense", err)
		}
	}
	if err := fmt.Errorf("reading: %w", &url.Error{Err: errors.New("bad")}); !cloud.NoSense(err) {
		t.Errorf("%v makes sense", err)
	}
	for _, err := range []error{nil, errors.New("no"), &cloud.Invalid{}, io.EOF} {
		if cloud.NoSense(err) {
			t.Errorf("%v makes no sense", err)
		}
	}
}
