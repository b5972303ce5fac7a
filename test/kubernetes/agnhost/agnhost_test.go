package agnhost

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func TestNameIsThatOfTheSource(t *testing.T) {
	manifest := `
	initRegistry = RegistryList{
		PrivateRegistry:          "gcr.io/k8s-authenticated-test",
		PromoterE2eRegistry:      "registry.example/e2e",
	}
	configs[AgnhostPrev] = Config{list.PromoterE2eRegistry, "agnhost", "2.55"}
	configs[Agnhost] = Config{list.PromoterE2eRegistry, "agnhost", "2.66.1"}
	configs[AgnhostPrivate] = Config{list.PrivateRegistry, "agnhost", "2.6"}
`
	name, err := nameIn(manifest)
	if want := "registry.example/e2e/agnhost:2.66.1"; name != want || err != nil {
		t.Errorf("the name is %q (%v), want %q", name, err, want)
	}
	if name, err := nameIn("package image"); err == nil {
		t.Errorf("without a list the name is %q", name)
	}
}

func TestLibrariesAreThoseOfLdd(t *testing.T) {
	files, err := librariesIn("\tlinux-vdso.so.1 (0x00007fcf)\n" +
		"\tlibbsd.so.0 => /lib/x86_64-linux-gnu/libbsd.so.0 (0x00007fce)\n" +
		"\t/lib64/ld-linux-x86-64.so.2 (0x00007fcd)\n")
	if err != nil {
		t.Fatal(err)
	}
	bsd, loader := "/lib/x86_64-linux-gnu/libbsd.so.0", "/lib64/ld-linux-x86-64.so.2"
	if want := []file{{path: bsd, from: bsd}, {path: loader, from: loader}}; !reflect.DeepEqual(files, want) {
		t.Errorf("libraries %+v, want %+v", files, want)
	}
	if _, err := librariesIn("\tlibbsd.so.0 => not found\n"); err == nil || !strings.Contains(err.Error(), "libbsd.so.0") {
		t.Errorf("a library that is not there: %v", err)
	}
}

// A program's own file comes before the link to busybox of the same name, and a library comes once.
func TestFirstFileOfAPathStays(t *testing.T) {
	files := once([]file{{path: "/bin/wget", from: "wget"}, {path: "/lib/c", from: "c"}, {path: "/lib/c", from: "c"}, {path: "/bin/wget", link: busybox}})
	if want := []file{{path: "/bin/wget", from: "wget"}, {path: "/lib/c", from: "c"}}; !reflect.DeepEqual(files, want) {
		t.Errorf("files %+v, want %+v", files, want)
	}
}

func TestArchiveIsAnImage(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("machine code"), 0o600); err != nil {
		t.Fatal(err)
	}
	image := Image{Name: "registry.example/e2e/agnhost:2.66.1", Path: filepath.Join(dir, "agnhost.tar")}
	err := image.write([]file{
		{path: "/agnhost", from: program},
		{path: "/etc/wgetrc", text: "tries = 1\n"},
		{path: "/bin/cat", link: busybox},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := unpack(t, image.Path)
	want := map[string]string{
		"tmp": "d1777 ", "agnhost": "-755 machine code", "etc/wgetrc": "-755 tries = 1\n", "bin/cat": "l755 " + busybox,
		"run": "/agnhost pause",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the image has %q, want %q", got, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("%s is left", left)
	}
}

func TestArchiveOfAFileThatIsNotThere(t *testing.T) {
	image := Image{Name: "registry.example/e2e/agnhost:1", Path: filepath.Join(t.TempDir(), "agnhost.tar")}
	if err := image.write([]file{{path: "/agnhost", from: image.Path}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(image.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is an archive all the same (%v)", err)
	}
}

// unpack returns what the files of an archive of one image are, and as "run" what is run.
func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{"run": strings.Join(append(config.Config.Entrypoint, config.Config.Cmd...), " ")}
	files := mutate.Extract(image)
	defer files.Close()
	for archive := tar.NewReader(files); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = describe(t, header, archive)
	}
}

func describe(t *testing.T, header *tar.Header, content io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	kind := map[byte]string{tar.TypeReg: "-", tar.TypeDir: "d", tar.TypeSymlink: "l"}[header.Typeflag]
	return kind + strconv.FormatInt(header.Mode, 8) + " " + header.Linkname + string(text)
}
