package examples

import (
	"regexp"
	"strings"
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"sigs.k8s.io/yaml"
)

// announced is the Secret that the comment says is to be made.
var announced = regexp.MustCompile(`the Secret kube-system/([\w-]+), key ([\w-]+),`)

func announcedIn(t *testing.T, file string) secrets {
	t.Helper()
	match := announced.FindStringSubmatch(string(read(t, folder, file)))
	if match == nil {
		t.Fatalf("%s announces no Secret", file)
	}
	return secrets{match[1]: {match[2]}}
}

func TestArgoCD(t *testing.T) {
	const file = "argocd/application.yaml"
	app := strict[application](t, read(t, folder, file))
	checkApplication(t, app)
	checkRelease(t, file, providers[file], text(t, app.Spec.Source.Helm.ValuesObject), announcedIn(t, file))
}

func checkApplication(t *testing.T, app application) {
	t.Helper()
	if app.APIVersion != "argoproj.io/v1alpha1" || app.Kind != "Application" || app.Spec.Destination.Namespace != "kube-system" {
		t.Errorf("it is a %s of %s for %s", app.Kind, app.APIVersion, app.Spec.Destination.Namespace)
	}
	if len(app.Finalizers) > 0 {
		t.Error("deleting it would delete the CCM before its load balancers")
	}
	source := app.Spec.Source
	checkSource(t, app.Name, "oci://"+source.RepoURL, source.Chart, source.TargetRevision)
}

func TestFlux(t *testing.T) {
	const file = "flux/helmrelease.yaml"
	objects := documents(t, file)
	repo, release := strict[sourcev1.HelmRepository](t, objects[0]), strict[helmv2.HelmRelease](t, objects[1])
	if repo.APIVersion != sourcev1.GroupVersion.String() || repo.Kind != sourcev1.HelmRepositoryKind || repo.Spec.Type != sourcev1.HelmRepositoryTypeOCI {
		t.Errorf("it is a %s of %s, type %s", repo.Kind, repo.APIVersion, repo.Spec.Type)
	}
	checkHelmRelease(t, release)
	ref := release.Spec.Chart.Spec.SourceRef
	if ref.Kind != repo.Kind || ref.Name != repo.Name || release.Namespace != repo.Namespace {
		t.Errorf("the chart is from %v, the repository is %s/%s", ref, repo.Namespace, repo.Name)
	}
	checkSource(t, file, repo.Spec.URL, release.Spec.Chart.Spec.Chart, release.Spec.Chart.Spec.Version)
	checkRelease(t, file, providers[file], string(release.Spec.Values.Raw), announcedIn(t, file))
}

func checkHelmRelease(t *testing.T, release helmv2.HelmRelease) {
	t.Helper()
	if release.APIVersion != helmv2.GroupVersion.String() || release.Kind != helmv2.HelmReleaseKind {
		t.Errorf("it is a %s of %s", release.Kind, release.APIVersion)
	}
	if release.GetReleaseName() != name || release.GetReleaseNamespace() != "kube-system" {
		t.Errorf("the release is %s/%s", release.GetReleaseNamespace(), release.GetReleaseName())
	}
}

func text(t *testing.T, values map[string]any) string {
	t.Helper()
	content, err := yaml.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var blocks = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// The page about GitOps has other forms of both.
func TestGitOpsPage(t *testing.T) {
	kinds := map[string]func([]byte){
		"kind: Application\n": func(content []byte) {
			app := strict[application](t, content)
			checkApplication(t, app)
			checkRelease(t, "Argo CD", "digitalocean", text(t, app.Spec.Source.Helm.ValuesObject), secrets{"digitalocean": {"access-token"}})
		},
		"kind: OCIRepository\n": func(content []byte) {
			repo := strict[sourcev1.OCIRepository](t, content)
			url := strings.TrimSuffix(repo.Spec.URL, "/"+name)
			checkSource(t, "Flux", url, name, repo.Spec.Reference.SemVer)
		},
		"kind: HelmRelease\n": func(content []byte) {
			release := strict[helmv2.HelmRelease](t, content)
			checkHelmRelease(t, release)
			checkRelease(t, "Flux", "digitalocean", string(release.Spec.Values.Raw), secrets{"digitalocean": {"access-token"}})
		},
	}
	found := 0
	for _, block := range blocks.FindAllStringSubmatch(string(read(t, top, "docs/how-to/gitops.md")), -1) {
		for object := range strings.SplitSeq(block[1], "---\n") {
			for kind, check := range kinds {
				if strings.Contains(object, "\n"+kind) {
					found++
					check([]byte(object))
				}
			}
		}
	}
	if found != len(kinds) {
		t.Errorf("%d objects found, want %d", found, len(kinds))
	}
}
