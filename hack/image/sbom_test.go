package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"
)

func TestSBOMNamesEverythingInTheImage(t *testing.T) {
	var out bytes.Buffer
	if err := buildFake(t, fake("linux", "amd64", "slim,sim"), fake("linux", "arm64", "slim,sim")).writeSBOM(&out); err != nil {
		t.Fatal(err)
	}
	document, err := spdxjson.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(document); err != nil {
		t.Error(err)
	}
	if document.SPDXVersion != "SPDX-2.3" {
		t.Errorf("%s, want SPDX-2.3", document.SPDXVersion)
	}
	var got, ids []string
	for _, p := range document.Packages {
		ids = append(ids, string(p.PackageSPDXIdentifier))
		for _, ref := range p.PackageExternalReferences {
			got = append(got, ref.Locator)
		}
	}
	roots, err := rootsVersion()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"pkg:golang/example.com/ccm@v1.2.3-sim", "pkg:golang/stdlib@1.26.0",
		"pkg:golang/example.com/alpha@v0.1.0", "pkg:golang/example.com/fork@v1.0.1",
		"pkg:golang/" + rootsModule + "@" + roots,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != len(ids) {
		t.Errorf("identifiers are not unique: %v", ids)
	}
}
