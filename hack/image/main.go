// Image packs binaries of the cloud controller manager into container images, without a
// Docker engine and without a registry.
//
//	image rootfs -binary FILE -out DIR     the files of the image, for the Dockerfile
//	image build -out DIR [flags] BINARY…   OCI layout, archive and SBOM, one BINARY per platform
//
// What an image is (user, entry point, labels) is said once, in the last stage of the
// Dockerfile, and read from there; which files it holds is said once, in rootfs.go, and the
// Dockerfile calls it. So both ways give the same content.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say which command: rootfs or build")
	}
	switch args[0] {
	case "rootfs":
		return runRootfs(args[1:])
	case "build":
		return runBuild(args[1:], out)
	default:
		return fmt.Errorf("there is no command %q; there are rootfs and build", args[0])
	}
}

func runRootfs(args []string) error {
	flags := flag.NewFlagSet("rootfs", flag.ContinueOnError)
	binary := flags.String("binary", "", "the cloud-controller-manager to put in")
	dir := flags.String("out", "", "folder to write, must not exist or be empty")
	created := flags.String("created", "", "time of all files, RFC 3339")
	if err := flags.Parse(args); err != nil {
		return err
	}
	when, err := time.Parse(time.RFC3339, *created)
	if err != nil {
		return fmt.Errorf("reading -created: %w", err)
	}
	content, err := os.ReadFile(*binary)
	if err != nil {
		return fmt.Errorf("reading -binary: %w", err)
	}
	return writeTree(*dir, rootfs(content, when))
}

func runBuild(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	var o options
	root := flags.String("root", ".", "the repository: its Dockerfile is read")
	dir := flags.String("out", "dist/image", "folder to write <variant>/, <variant>.tar and <variant>.spdx.json to")
	flags.StringVar(&o.repository, "repository", "", "name of the image without tag")
	flags.StringVar(&o.version, "version", "", "version, the first part of the tag")
	flags.StringVar(&o.commit, "commit", "", "commit the binaries were built from")
	flags.StringVar(&o.created, "created", "", "time of everything in the image, RFC 3339; the commit's, so that two builds are equal")
	if err := flags.Parse(args); err != nil {
		return err
	}
	binaries, err := readBinaries(flags.Args())
	if err != nil {
		return err
	}
	if err := refuseForeignModules(*root, binaries); err != nil {
		return err
	}
	dockerfile, err := os.Open(filepath.Join(*root, "Dockerfile"))
	if err != nil {
		return fmt.Errorf("opening the description of the image: %w", err)
	}
	defer dockerfile.Close()
	image, err := build(dockerfile, binaries, o)
	if err != nil {
		return err
	}
	if err := image.write(*dir); err != nil {
		return err
	}
	return image.report(out)
}
