package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// What only one of the two ways of building would do is refused, with the line.
func TestRefusesWhatItDoesNotUnderstand(t *testing.T) {
	tests := []struct{ name, dockerfile, want string }{
		{"another base", "FROM alpine", `starts from "alpine"`},
		{"no stage", "ARG A=1", "has no FROM"},
		{"not a Dockerfile", "FORM scratch", "unknown instruction"},
		{"run", "FROM scratch\nRUN true", "line 2: RUN is not one of"},
		{"env", "FROM scratch\nENV A=1", "line 2: ENV is not one of"},
		{"another copy", "FROM scratch\nCOPY --from=build /bin/sh /", "the only copy"},
		{"a copy from the context", "FROM scratch\nCOPY /rootfs/ /", "the only copy"},
		{"an owner", "FROM scratch\nCOPY --from=build --chown=1 /rootfs/ /", "the only copy"},
		{"a shell", "FROM scratch\nENTRYPOINT cloud-controller-manager", "no shell"},
		{"an argument nobody declared", "FROM scratch\nLABEL a=$VERSION", "does not declare"},
		{"an argument without value", "FROM scratch\nARG NOTHING", "ARG NOTHING has neither"},
		{"a default in the stage", "FROM scratch\nARG A=1", "before the first FROM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := configOf(strings.NewReader(tt.dockerfile), nil)
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestArgumentsReachTheLabels(t *testing.T) {
	dockerfile := "ARG A=default\nARG B=default\nFROM scratch\nARG A B\nLABEL a=$A b=\"<${B}>\""
	got, err := configOf(strings.NewReader(dockerfile), arguments{"B": "given"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "default", "b": "<given>"}
	if diff := cmp.Diff(v1.Config{Labels: want}.Labels, got.Labels); diff != "" {
		t.Error(diff)
	}
}

// The half of the Dockerfile that hack/image does not interpret: it must call the
// Makefile's own targets, with the Go of go.mod.
func TestTheDockerfileBuildsWithTheMakefile(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(repository, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(strings.NewReader(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 2 || stages[0].Name != rootfsStage {
		t.Fatalf("%d stages, want %q and the image", len(stages), rootfsStage)
	}
	var runs []string
	for _, command := range stages[0].Commands {
		if c, ok := command.(*instructions.RunCommand); ok {
			runs = append(runs, strings.Join(c.CmdLine, " "))
		}
	}
	want := []string{
		"GOOS=$TARGETOS GOARCH=$TARGETARCH make build PROVIDERS=$PROVIDERS VERSION=$VERSION COMMIT=$COMMIT BUILD_DATE=$BUILD_DATE",
		"make rootfs ROOTFS=" + strings.TrimSuffix(rootfsDir, "/") + " BUILD_DATE=$BUILD_DATE",
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Error(diff)
	}
	module, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	if !strings.Contains(string(content), "ARG GO_VERSION="+string(version[1])) {
		t.Errorf("the Dockerfile's GO_VERSION is not go.mod's %s", version[1])
	}
}
