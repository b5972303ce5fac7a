package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

const (
	unknown     = "NOASSERTION"
	rootsModule = "golang.org/x/crypto/x509roots/fallback"
)

// writeSBOM writes what is in the image as SPDX 2.3: the binary with its modules and the
// standard library, from the build information inside it, and the root certificates.
func (b *built) writeSBOM(w io.Writer) error {
	digest, err := b.index.Digest()
	if err != nil {
		return err
	}
	s := &sbom{document: &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName: b.tag.String(),
		// Names this one content, as SPDX wants it, and is the same for two equal builds.
		DocumentNamespace: "https://" + b.tag.Context().String() + "/spdx/" + digest.Hex,
		CreationInfo: &spdx.CreationInfo{
			Created:  b.created.UTC().Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "multicloud-ccm/hack/image"}},
		},
	}}
	image := s.add(b.tag.Context().String(), b.tag.TagStr(), "CONTAINER", "")
	image.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: digest.Hex}}
	s.relate("DOCUMENT", "DESCRIBES", image)

	info := b.binaries[0].info
	program := s.addModule(info.Main.Path, b.tag.TagStr(), "APPLICATION")
	s.relate(image.PackageSPDXIdentifier, "CONTAINS", program)
	s.relate(program.PackageSPDXIdentifier, "DEPENDS_ON", s.addModule("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "LIBRARY"))
	for _, m := range modules(b.binaries) {
		s.relate(program.PackageSPDXIdentifier, "DEPENDS_ON", s.addModule(m.Path, m.Version, "LIBRARY"))
	}
	roots, err := rootsVersion()
	if err != nil {
		return err
	}
	s.relate(image.PackageSPDXIdentifier, "CONTAINS", s.addModule(rootsModule, roots, "FILE"))
	return spdxjson.Write(s.document, w, spdxjson.Indent("  "))
}

// rootsVersion is the version of the certificates linked into this program.
func rootsVersion() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == rootsModule {
				return m.Version, nil
			}
		}
	}
	return "", fmt.Errorf("this program does not know its version of %s: build it with modules", rootsModule)
}

// sbom is a document that grows package by package, in the order of the calls.
type sbom struct{ document *spdx.Document }

// SPDX allows only these characters in an identifier.
var notInIdentifier = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

// add adds a package; purl is empty or its package URL, by which scanners know it.
func (s *sbom) add(name, version, purpose, purl string) *spdx.Package {
	p := &spdx.Package{
		PackageName: name, PackageVersion: version, PrimaryPackagePurpose: purpose,
		PackageSPDXIdentifier:   common.ElementID("Package-" + notInIdentifier.ReplaceAllString(purpose+"-"+name+"-"+version, "-")),
		PackageDownloadLocation: unknown, PackageLicenseConcluded: unknown, PackageLicenseDeclared: unknown, PackageCopyrightText: unknown,
	}
	if purl != "" {
		p.PackageExternalReferences = []*spdx.PackageExternalReference{
			{Category: "PACKAGE-MANAGER", RefType: "purl", Locator: purl},
		}
	}
	s.document.Packages = append(s.document.Packages, p)
	return p
}

func (s *sbom) addModule(path, version, purpose string) *spdx.Package {
	return s.add(path, version, purpose, "pkg:golang/"+path+"@"+version)
}

func (s *sbom) relate(from common.ElementID, how string, to *spdx.Package) {
	s.document.Relationships = append(s.document.Relationships, &spdx.Relationship{
		RefA: common.MakeDocElementID("", string(from)), Relationship: how,
		RefB: common.MakeDocElementID("", string(to.PackageSPDXIdentifier)),
	})
}
