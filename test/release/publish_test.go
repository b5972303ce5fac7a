package release_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/registry"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

var imageLine = regexp.MustCompile(`(?m)^\s*image: "?([^"\s]+)"?$`)

func TestFromAnEmptyRegistryToAnInstallation(t *testing.T) {
	p := newRegistry(t)
	only := []string{"VARIANTS=" + variant}
	p.mustScript(t, only, "images", "chart", "push")
	c := p.pull(t)

	t.Run("the chart says what it is", func(t *testing.T) { testMetadata(t, p, c) })
	t.Run("every image that the chart names is one the release builds", func(t *testing.T) { testNames(t, p, c) })
	t.Run("so it is by default", func(t *testing.T) { testNames(t, published{dist: p.dist}, c) })
	t.Run("the image is there and runs", func(t *testing.T) { testImage(t, p) })
	t.Run("helm installs it", func(t *testing.T) { testInstall(t, p) })
	t.Run("the same again changes nothing", func(t *testing.T) {
		before := p.digests(t)
		p.mustScript(t, only, "images", "chart", "push")
		for name, digest := range p.digests(t) {
			if before[name] != digest {
				t.Errorf("%s was %s and is %s", name, before[name], digest)
			}
		}
	})
	t.Run("what is published stays", func(t *testing.T) {
		out, err := p.script(t, []string{only[0], "COMMIT=another"}, "images", "push")
		if err == nil || !strings.Contains(err.Error(), "published already") {
			t.Errorf("another image under the same tag: %v\n%s", err, out)
		}
	})
}

// pull pulls the chart from the registry, and compares its digest with the one the script wrote.
func (p published) pull(t *testing.T) *chart.Chart {
	t.Helper()
	client, err := registry.NewClient(registry.ClientOptPlainHTTP(), registry.ClientOptWriter(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	reference := p.host + "/multicloud-ccm/charts/multicloud-ccm:" + number
	pulled, err := client.Pull(reference)
	if err != nil {
		t.Fatal(err)
	}
	if digest := p.digests(t)[reference]; digest != pulled.Manifest.Digest {
		t.Errorf("digests.txt says %q of the chart, the registry %s", digest, pulled.Manifest.Digest)
	}
	c, err := loader.LoadArchive(strings.NewReader(string(pulled.Chart.Data)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func testMetadata(t *testing.T, p published, c *chart.Chart) {
	m := c.Metadata
	if m.Version != number || m.AppVersion != number {
		t.Errorf("version %s, appVersion %s; both have to be %s", m.Version, m.AppVersion, number)
	}
	if m.Icon == "" {
		t.Error("it has no icon")
	}
	for annotation, has := range map[string]string{
		"artifacthub.io/images":     p.image + ":" + version + "-" + variant,
		"artifacthub.io/changes":    "kind: added",
		"artifacthub.io/prerelease": "true",
		"artifacthub.io/license":    "Apache-2.0",
	} {
		if !strings.Contains(m.Annotations[annotation], has) {
			t.Errorf("annotation %s is %q, without %q", annotation, m.Annotations[annotation], has)
		}
	}
}

func testNames(t *testing.T, p published, c *chart.Chart) {
	built := p.names(t)
	if len(built) < 2 {
		t.Fatalf("the script builds only %v", built)
	}
	for _, one := range built {
		_, provider, slim := strings.Cut(one, version+"-")
		values := map[string]any{"provider": provider, "clusterName": "c", "image": p.values(), "doctor": map[string]any{"uninstallGuard": map[string]any{"enabled": true}}}
		if !slim {
			values["provider"] = variant
			values["image"].(map[string]any)["variant"] = "all"
		}
		top, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: "r", Namespace: "kube-system"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		files, err := engine.Render(c, top)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for file, content := range files {
			if strings.HasSuffix(file, ".yaml") {
				all.WriteString(content)
			}
		}
		named := imageLine.FindAllStringSubmatch(all.String(), -1)
		if len(named) < 2 {
			t.Errorf("%s: the chart names only %v", one, named)
		}
		for _, match := range named {
			if match[1] != one {
				t.Errorf("the chart names %s, the release builds %s", match[1], one)
			}
		}
	}
}

// values are those of the chart that name this registry, none for the release's own.
func (p published) values() map[string]any {
	if p.host == "" {
		return map[string]any{}
	}
	return map[string]any{"registry": p.host, "repository": "multicloud-ccm/multicloud-ccm"}
}

func testImage(t *testing.T, p published) {
	tag, err := name.NewTag(p.image + ":" + version + "-" + variant)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(tag)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if want := p.digests(t)[tag.String()]; digest.String() != want {
		t.Errorf("the registry has %s, digests.txt says %q", digest, want)
	}
	image, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), extract(t, image), "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), version) {
		t.Errorf("the binary in the image says %q (%v), not %s", out, err, version)
	}
}

// extract writes the program of an image to a file.
func extract(t *testing.T, image v1.Image) string {
	t.Helper()
	reader := mutate.Extract(image)
	defer reader.Close()
	files := tar.NewReader(reader)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("the image has no cloud-controller-manager")
		}
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(header.Name) != "cloud-controller-manager" {
			continue
		}
		content, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "cloud-controller-manager")
		if err := os.WriteFile(path, content, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// testInstall is `helm install oci://…` on a real API server.
func testInstall(t *testing.T, p published) {
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	cp, err := controlplane.Start(ctx, controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cp.Stop() }()
	client, err := registry.NewClient(registry.ClientOptPlainHTTP(), registry.ClientOptWriter(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	settings := cli.New()
	settings.KubeConfig, settings.RepositoryCache = cp.AdminKubeconfig(), t.TempDir()
	actions := new(action.Configuration)
	if err := actions.Init(settings.RESTClientGetter(), "kube-system", "secret", func(string, ...any) {}); err != nil {
		t.Fatal(err)
	}
	install := action.NewInstall(actions)
	install.SetRegistryClient(client)
	install.ReleaseName, install.Namespace, install.Version, install.PlainHTTP = "ccm", "kube-system", number, true
	path, err := install.LocateChart(p.charts+"/multicloud-ccm", settings)
	if err != nil {
		t.Fatal(err)
	}
	c, err := loader.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	release, err := install.RunWithContext(ctx, c, map[string]any{"provider": variant, "clusterName": "c", "image": p.values()})
	if err != nil {
		t.Fatal(err)
	}
	deployments, err := cp.Client().AppsV1().Deployments("kube-system").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var images []string
	for _, d := range deployments.Items {
		images = append(images, d.Spec.Template.Spec.Containers[0].Image)
	}
	want := p.image + ":" + version + "-" + variant
	if !slices.Equal(images, []string{want}) {
		t.Errorf("the cluster runs %v, not %s", images, want)
	}
	if !strings.Contains(release.Info.Notes, want) {
		t.Errorf("the notes do not name %s:\n%s", want, release.Info.Notes)
	}
}
