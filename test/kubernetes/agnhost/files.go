package agnhost

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// file is one of the image: a copy, a text or a link.
type file struct {
	path string
	from string // on this machine
	text string
	link string
}

// tools are what the tests call in pods, by the path in the image: programs of this machine. nc has to be OpenBSD's,
// and wget GNU's: the tests give them options that others do not have.
var tools = []struct{ path, program string }{
	{"/bin/sh", "dash"}, // and not busybox, whose shell runs its own nc and wget whatever is in PATH
	{"/bin/curl", "curl"},
	{"/bin/nc", "nc.openbsd"},
	{"/bin/wget", "wget"},
	{busybox, "busybox"}, // everything else
}

const busybox = "/bin/busybox"

// Missing says in one line what this machine lacks to build the image, nil when nothing.
func Missing() error {
	var missing []string
	for _, tool := range tools {
		if _, err := exec.LookPath(tool.program); err != nil {
			missing = append(missing, tool.program)
		}
	}
	if _, err := exec.LookPath("ldd"); err != nil {
		missing = append(missing, "ldd")
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: not installed; on Debian `hack/node-deps.sh kubernetes` does that", strings.Join(missing, ", "))
	}
	return nil
}

// contents are all files of the image, each path once.
func contents(ctx context.Context, binary string) ([]file, error) {
	files := []file{
		{path: "/agnhost", from: binary},
		{path: "/etc/passwd", text: "root:x:0:0:root:/root:/bin/sh\n"},
		{path: "/etc/group", text: "root:x:0:\n"},
		{path: "/etc/nsswitch.conf", text: "hosts: files dns\n"},
		// By default GNU wget tries 20 times. A check that something cannot be reached would take minutes.
		{path: "/etc/wgetrc", text: "tries = 1\n"},
	}
	for _, tool := range tools {
		from, err := exec.LookPath(tool.program)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: tool.path, from: from})
		needed, err := libraries(ctx, from)
		if err != nil {
			return nil, err
		}
		files = append(files, needed...)
	}
	links, err := applets(ctx)
	if err != nil {
		return nil, err
	}
	return once(append(files, links...)), nil
}

// once leaves out paths that there were already: libraries of several programs, programs that busybox has too.
func once(files []file) []file {
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(f file) bool {
		before := seen[f.path]
		seen[f.path] = true
		return before
	})
}

// applets are links to busybox under the names of the programs that it stands for.
func applets(ctx context.Context) ([]file, error) {
	names, err := exec.CommandContext(ctx, "busybox", "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the programs of busybox: %w", err)
	}
	var links []file
	for _, name := range strings.Fields(string(names)) {
		links = append(links, file{path: "/bin/" + name, link: busybox})
	}
	return links, nil
}

// libraries are what a program loads at its start, under the paths where it looks for them.
func libraries(ctx context.Context, program string) ([]file, error) {
	binary, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", program, err)
	}
	defer func() { _ = binary.Close() }()
	loaded := func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }
	if !slices.ContainsFunc(binary.Progs, loaded) {
		return nil, nil
	}
	said, err := exec.CommandContext(ctx, "ldd", program).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the libraries of %s: %w", program, err)
	}
	return librariesIn(string(said))
}

var libraryPath = regexp.MustCompile(`(/\S+) \(0x`)

// librariesIn reads the output of ldd, such as "libc.so.6 => /lib/libc.so.6 (0x7fe0)" and, for the loader,
// "/lib64/ld-linux-x86-64.so.2 (0x7fe1)".
func librariesIn(ldd string) ([]file, error) {
	var files []file
	for line := range strings.Lines(ldd) {
		if strings.Contains(line, "not found") {
			return nil, fmt.Errorf("a library is not installed: %s", strings.TrimSpace(line))
		}
		if match := libraryPath.FindStringSubmatch(line); match != nil {
			files = append(files, file{path: match[1], from: match[1]})
		}
	}
	return files, nil
}

// archive puts the files into a tar archive, with a /tmp in which everybody may write. All files can be executed,
// which does no harm to those that are not programs.
func archive(files []file) ([]byte, error) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	if err := writer.WriteHeader(&tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777}); err != nil {
		return nil, err
	}
	for _, f := range files {
		header := &tar.Header{Name: strings.TrimPrefix(f.path, "/"), Typeflag: tar.TypeReg, Mode: 0o755}
		content := []byte(f.text)
		switch {
		case f.link != "":
			header.Typeflag, header.Linkname = tar.TypeSymlink, f.link
		case f.from != "":
			var err error
			if content, err = os.ReadFile(f.from); err != nil {
				return nil, err
			}
		}
		header.Size = int64(len(content))
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(content); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return buffer.Bytes(), err
}
