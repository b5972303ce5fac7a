package hcloud_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

func TestManagedCertificatesAreIssuedOrFail(t *testing.T) {
	a := start(t, hcloud.Options{IssueDelay: -1})
	opts := sdk.CertificateCreateOpts{Name: "site", Type: sdk.CertificateTypeManaged, DomainNames: []string{"example.com", "*.example.com"}, Labels: map[string]string{"a": "b"}}
	made, _, err := a.Certificate.CreateCertificate(t.Context(), opts)
	if err != nil || made.Action == nil || made.Action.Status != sdk.ActionStatusRunning || made.Certificate.Status.Issuance != sdk.CertificateStatusTypePending {
		t.Fatalf("%+v %v", made, err)
	}
	if _, _, err := a.Certificate.CreateCertificate(t.Context(), opts); code(err) != sdk.ErrorCodeUniquenessError {
		t.Errorf("a second one: %v", err)
	}
	a.refused("action/locked", "DELETE", fmt.Sprintf("/certificates/%d", made.Certificate.ID), nil)
	a.FinishActions()
	got, _, err := a.Certificate.GetByID(t.Context(), made.Certificate.ID)
	if err != nil || got.Status.Issuance != sdk.CertificateStatusTypeCompleted || got.Status.Renewal != sdk.CertificateStatusTypeScheduled || got.Fingerprint == "" || len(got.DomainNames) != 2 {
		t.Errorf("%+v %v", got, err)
	}

	if err := a.FailActions(hcloud.ActionFault{Command: "create_certificate", Code: "dns_zone_not_found", Message: "no zone", Times: 1}); err != nil {
		t.Fatal(err)
	}
	opts.Name = "bad"
	made, _, err = a.Certificate.CreateCertificate(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	a.FinishActions()
	failed, _, err := a.Action.GetByID(t.Context(), made.Action.ID)
	if err != nil || failed.ErrorCode != "dns_zone_not_found" {
		t.Errorf("the action: %+v %v", failed, err)
	}
	bad, _, err := a.Certificate.GetByName(t.Context(), "bad")
	if err != nil || !bad.Status.IsFailed() || bad.Status.Error.Code != sdk.ErrorCodeDNSZoneNotFound {
		t.Errorf("the certificate: %+v %v", bad.Status, err)
	}
	if _, _, err := a.Certificate.RetryIssuance(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	a.FinishActions()
	if bad, _, _ = a.Certificate.GetByName(t.Context(), "bad"); bad.Status.Issuance != sdk.CertificateStatusTypeCompleted {
		t.Errorf("after the retry: %+v", bad.Status)
	}
	a.refused("certificate/retry", "POST", fmt.Sprintf("/certificates/%d/actions/retry", bad.ID), nil)
	renamed, _, err := a.Certificate.Update(t.Context(), bad, sdk.CertificateUpdateOpts{Name: "good"})
	if err != nil || renamed.Name != "good" || renamed.Labels["a"] != "b" {
		t.Errorf("renamed: %+v %v", renamed, err)
	}
	if _, err := a.Certificate.Delete(t.Context(), bad); err != nil {
		t.Error(err)
	}
	all, _, err := a.Certificate.List(t.Context(), sdk.CertificateListOpts{ListOpts: sdk.ListOpts{LabelSelector: "a=b"}})
	if err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}

func TestUploadedCertificates(t *testing.T) {
	a := start(t, hcloud.Options{})
	chain, key := selfSigned(t)
	made, _, err := a.Certificate.Create(t.Context(), sdk.CertificateCreateOpts{Name: "mine", Certificate: chain, PrivateKey: key})
	if err != nil || made.Type != sdk.CertificateTypeUploaded || !slices.Equal(made.DomainNames, []string{"example.com"}) || made.Fingerprint == "" || made.Status != nil {
		t.Errorf("%+v %v", made, err)
	}
	_, other := selfSigned(t)
	good := object{"name": "site", "type": "uploaded", "certificate": chain, "private_key": key}
	for _, row := range []struct {
		rule    string
		changes object
	}{
		{"certificate/name-taken", object{"name": "mine"}},
		{"certificate/type", object{"type": "found"}},
		{"certificate/uploaded", object{"private_key": nil}},
		{"certificate/uploaded", object{"private_key": other}},
		{"certificate/uploaded", object{"domain_names": []string{"example.com"}}},
		{"certificate/managed", object{"type": "managed"}},
		{"certificate/managed", object{"type": "managed", "certificate": nil, "private_key": nil, "domain_names": []string{" a.example.com"}}},
		{"common/name", object{"name": nil}},
	} {
		a.refused(row.rule, "POST", "/certificates", good.with(row.changes))
	}
}

// selfSigned returns a certificate and its key in PEM.
func selfSigned(t *testing.T) (chain, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"example.com"}, NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	chain = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	return chain, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}
