package dryrun

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

type file struct {
	mode    fs.FileMode
	content []byte
}

// unpack reads an archive. Whatever is no plain file ends the test: krew unpacks no links.
func unpack(t *testing.T, path string) map[string]file {
	t.Helper()
	unpacked, err := readZip(path)
	if strings.HasSuffix(path, ".tar.gz") {
		unpacked, err = readTar(path)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return unpacked
}

func readZip(path string) (map[string]file, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	found := map[string]file{}
	for _, entry := range archive.File {
		reader, err := entry.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		found[entry.Name] = file{mode: entry.Mode(), content: content}
	}
	return found, nil
}

func readTar(path string) (map[string]file, error) {
	packed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	found := map[string]file{}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("%s is no plain file", header.Name)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		found[header.Name] = file{mode: header.FileInfo().Mode(), content: content}
	}
}

// platformOf says from its header what a program is for.
func platformOf(content []byte) string {
	reader := bytes.NewReader(content)
	if program, err := elf.NewFile(reader); err == nil {
		return "linux/" + map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[program.Machine]
	}
	if program, err := macho.NewFile(reader); err == nil {
		return "darwin/" + map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[program.Cpu]
	}
	if program, err := pe.NewFile(reader); err == nil {
		return "windows/" + map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[program.Machine]
	}
	return "no platform that is known"
}

// Every platform has its program under both names, with completion and license, in one folder.
func TestArchives(t *testing.T) {
	release(t)
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			path := archiveOf(t, platform)
			folder := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), ".zip") + "/"
			extension, files := "", 10
			if strings.HasPrefix(platform, "windows/") {
				extension, files = ".exe", 9 // kubectl starts no shell script there
			}
			unpacked := unpack(t, path)
			program, named := unpacked[folder+"cloud-controller-manager"+extension], unpacked[folder+"kubectl-ccm"+extension]
			if got := platformOf(program.content); got != platform {
				t.Errorf("the program is for %s", got)
			}
			if !bytes.Equal(program.content, named.content) {
				t.Error("kubectl-ccm is another program")
			}
			if program.mode != 0o755 || named.mode != 0o755 {
				t.Errorf("the programs have the modes %v and %v", program.mode, named.mode)
			}
			for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "completion/cloud-controller-manager.bash", "completion/cloud-controller-manager.fish",
				"completion/cloud-controller-manager.powershell", "completion/cloud-controller-manager.zsh"} {
				if len(unpacked[folder+name].content) == 0 {
					t.Errorf("%s is not there, or empty", name)
				}
			}
			if len(unpacked) != files {
				t.Errorf("it has %d files", len(unpacked))
			}
			if platform == native {
				startBoth(t, program.content)
			}
		})
	}
}

// startBoth starts a program under both names.
func startBoth(t *testing.T, content []byte) {
	for _, name := range []string{"cloud-controller-manager", "kubectl-ccm"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o755); err != nil {
			t.Fatal(err)
		}
		checkVersion(t, path)
		if out, err := exec.CommandContext(t.Context(), path, "doctor", "--help").CombinedOutput(); err != nil {
			t.Errorf("%s doctor --help: %v: %s", name, err, out)
		}
	}
}
