package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"
	"github.com/moby/buildkit/util/system"
)

// The only copy the last stage may make: the tree that `image rootfs` wrote.
const (
	rootfsStage = "build"
	rootfsDir   = "/rootfs/"
)

// arguments are build arguments; it is the shell.EnvGetter of their expansion.
type arguments map[string]string

func (a arguments) Get(key string) (string, bool) { value, ok := a[key]; return value, ok }
func (a arguments) Keys() []string                { return slices.Sorted(maps.Keys(a)) }

// configOf returns what the last stage of a Dockerfile makes of an image. It refuses what
// it does not understand, so that an instruction can't take effect in one of the two ways
// of building only.
func configOf(dockerfile io.Reader, given arguments) (v1.Config, error) {
	stage, defaults, err := lastStage(dockerfile)
	if err != nil {
		return v1.Config{}, err
	}
	// What BuildKit gives every image that starts from scratch.
	config := v1.Config{WorkingDir: "/", Env: []string{"PATH=" + system.DefaultPathEnvUnix}}
	scope := arguments{}
	for _, command := range stage.Commands {
		if err := apply(command, &config, scope, declared(defaults, given)); err != nil {
			return v1.Config{}, fmt.Errorf("the Dockerfile's line %d: %w", command.Location()[0].Start.Line, err)
		}
	}
	return config, nil
}

func lastStage(dockerfile io.Reader) (instructions.Stage, []instructions.ArgCommand, error) {
	parsed, err := parser.Parse(dockerfile)
	if err != nil {
		return instructions.Stage{}, nil, fmt.Errorf("parsing the Dockerfile: %w", err)
	}
	stages, defaults, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return instructions.Stage{}, nil, fmt.Errorf("parsing the Dockerfile: %w", err)
	}
	if len(stages) == 0 {
		return instructions.Stage{}, nil, errors.New("the Dockerfile has no FROM")
	}
	last := stages[len(stages)-1]
	if last.BaseName != "scratch" {
		return instructions.Stage{}, nil, fmt.Errorf("the Dockerfile's last stage starts from %q; it must be scratch", last.BaseName)
	}
	return last, defaults, nil
}

// declared returns the arguments declared before the first stage, with the given values
// before the defaults.
func declared(defaults []instructions.ArgCommand, given arguments) arguments {
	all := arguments{}
	for _, command := range defaults {
		for _, arg := range command.Args {
			if arg.Value != nil {
				all[arg.Key] = *arg.Value
			}
		}
	}
	maps.Copy(all, given)
	return all
}

// apply gives one instruction its effect on the image.
func apply(command instructions.Command, config *v1.Config, scope, outer arguments) error {
	if err := expand(command, scope); err != nil {
		return err
	}
	switch c := command.(type) {
	case *instructions.ArgCommand:
		return declare(c, scope, outer)
	case *instructions.CopyCommand:
		return refuseOtherCopies(c)
	case *instructions.UserCommand:
		config.User = c.User
	case *instructions.EntrypointCommand:
		if c.PrependShell {
			return fmt.Errorf("%s: the image has no shell, write ENTRYPOINT as a list", c)
		}
		config.Entrypoint = c.CmdLine
	case *instructions.LabelCommand:
		if config.Labels == nil {
			config.Labels = map[string]string{}
		}
		for _, label := range c.Labels {
			config.Labels[label.Key] = label.Value
		}
	default:
		return fmt.Errorf("%s is not one of ARG, COPY, USER, ENTRYPOINT and LABEL, which hack/image understands", command.Name())
	}
	return nil
}

// expand replaces $NAME in the words of an instruction.
func expand(command instructions.Command, scope arguments) error {
	expandable, ok := command.(instructions.SupportsSingleWordExpansion)
	if !ok {
		return nil
	}
	lex := shell.NewLex('\\')
	return expandable.Expand(func(word string) (string, error) {
		value, unset, err := lex.ProcessWord(word, scope)
		if err == nil && len(unset) > 0 {
			err = fmt.Errorf("%q uses an argument the stage does not declare", word)
		}
		return value, err
	})
}

func refuseOtherCopies(c *instructions.CopyCommand) error {
	if c.From != rootfsStage || !slices.Equal(c.SourcePaths, []string{rootfsDir}) || c.DestPath != "/" || c.Chown+c.Chmod != "" {
		return fmt.Errorf("%s: the only copy may be COPY --from=%s %s /", c, rootfsStage, rootfsDir)
	}
	return nil
}

func declare(command *instructions.ArgCommand, scope, outer arguments) error {
	for _, arg := range command.Args {
		if arg.Value != nil {
			return fmt.Errorf("ARG %s: declare its default before the first FROM", arg.Key)
		}
		value, ok := outer[arg.Key]
		if !ok {
			return fmt.Errorf("ARG %s has neither a value nor a default before the first FROM", arg.Key)
		}
		scope[arg.Key] = value
	}
	return nil
}
