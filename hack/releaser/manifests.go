package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

const (
	project = "https://github.com/multicloud-ccm/multicloud-ccm"
	summary = "Check what a cloud controller manager does"
	// kubectl calls a plugin by what follows "kubectl-" in the program's name.
	plugin = "ccm"
)

// runManifests writes what package managers read: krew's manifest and Homebrew's formula.
func runManifests(args []string) error {
	flags := flag.NewFlagSet("manifests", flag.ContinueOnError)
	version := flags.String("version", "", "the version, such as v0.2.0")
	sums := flags.String("checksums", "", "the file of checksums that names the archives")
	out := flags.String("out", "", "folder to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := checkVersion(*version); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("-out is not set")
	}
	archives, err := readArchives(*sums, *version)
	if err != nil {
		return err
	}
	manifest, err := krewManifest(*version, archives)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(*out, plugin+".yaml"), manifest, 0o644); err != nil {
		return fmt.Errorf("writing the manifest for krew: %w", err)
	}
	if err := os.WriteFile(filepath.Join(*out, "multicloud-ccm.rb"), formula(*version, archives), 0o644); err != nil {
		return fmt.Errorf("writing the formula for Homebrew: %w", err)
	}
	return nil
}

// address is where a release on GitHub has a file.
func address(version, name string) string {
	return project + "/releases/download/" + version + "/" + name
}

type (
	krewPlugin struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   map[string]string `json:"metadata"`
		Spec       krewSpec          `json:"spec"`
	}
	krewSpec struct {
		Version          string         `json:"version"`
		Homepage         string         `json:"homepage"`
		ShortDescription string         `json:"shortDescription"`
		Description      string         `json:"description"`
		Caveats          string         `json:"caveats"`
		Platforms        []krewPlatform `json:"platforms"`
	}
	krewPlatform struct {
		Selector map[string]map[string]string `json:"selector"`
		URI      string                       `json:"uri"`
		Sha256   string                       `json:"sha256"`
		Bin      string                       `json:"bin"`
		Files    []krewFile                   `json:"files"`
	}
	krewFile struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
)

func krewManifest(version string, archives []packed) ([]byte, error) {
	spec := krewSpec{
		Version: version, Homepage: project, ShortDescription: summary,
		Description: "Says what is wrong with the Nodes and the Services of type LoadBalancer of a cluster and its cloud (doctor),\n" +
			"why a Node or a Service is as it is (explain), what would be changed (plan), and what a switch from the cloud's\n" +
			"own cloud controller manager would do (adopt). It changes nothing.\n",
		Caveats: "It reads the kubeconfig as kubectl does, and needs credentials of the cloud for what only the cloud knows:\n" +
			project + "/blob/" + version + "/docs/reference/doctor.md\n",
	}
	for _, a := range archives {
		program := a.program("kubectl-" + plugin)
		spec.Platforms = append(spec.Platforms, krewPlatform{
			Selector: map[string]map[string]string{"matchLabels": {"os": a.os, "arch": a.arch}},
			URI:      address(version, a.name), Sha256: a.sum, Bin: program,
			Files: []krewFile{{From: a.folder() + "/" + program, To: "."}, {From: a.folder() + "/LICENSE", To: "."}},
		})
	}
	content, err := yaml.Marshal(krewPlugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2", Kind: "Plugin",
		Metadata: map[string]string{"name": plugin}, Spec: spec,
	})
	if err != nil {
		return nil, fmt.Errorf("writing the manifest for krew: %w", err)
	}
	return content, nil
}

// formula is a class in Ruby that `brew install` evaluates. Homebrew has no Windows.
func formula(version string, archives []packed) []byte {
	var text strings.Builder
	fmt.Fprintf(&text, `class MulticloudCcm < Formula
  desc "%s"
  homepage "%s"
  version "%s"
  license "Apache-2.0"

`, summary, project, strings.TrimPrefix(version, "v"))
	for _, system := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		fmt.Fprintf(&text, "  on_%s do\n", system[1])
		for _, a := range archives {
			if a.os != system[0] {
				continue
			}
			processor := map[string]string{"amd64": "intel", "arm64": "arm"}[a.arch]
			fmt.Fprintf(&text, "    on_%s do\n      url \"%s\"\n      sha256 \"%s\"\n    end\n", processor, address(version, a.name), a.sum)
		}
		text.WriteString("  end\n\n")
	}
	text.WriteString(`  def install
    bin.install "cloud-controller-manager"
    bin.install "kubectl_complete-ccm"
    bin.install_symlink "cloud-controller-manager" => "kubectl-ccm"
    bash_completion.install "completion/cloud-controller-manager.bash" => "cloud-controller-manager"
    fish_completion.install "completion/cloud-controller-manager.fish"
    zsh_completion.install "completion/cloud-controller-manager.zsh" => "_cloud-controller-manager"
  end

  test do
    assert_match "v#{version}", shell_output("#{bin}/cloud-controller-manager version")
  end
end
`)
	return []byte(text.String())
}
