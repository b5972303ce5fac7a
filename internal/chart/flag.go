package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// owned are the flags that templates set without a value of the same meaning, and those
// that would contradict what else is rendered.
var owned = []string{
	"cloud-provider", "cloud-config", "controllers", "configure-cloud-routes", "leader-elect",
	"dry-run", "webhook-secure-port", "authorization-always-allow-paths", "use-service-account-credentials",
}

// flagEntry is one line of files/flags.yaml.
type flagEntry struct {
	Flag    string `json:"flag"`
	Value   string `json:"value,omitempty"`
	Default string `json:"default,omitempty"`
	Integer bool   `json:"integer,omitempty"`
	Always  bool   `json:"always,omitempty"`
	Empty   bool   `json:"empty,omitempty"`
	// What the templates refuse: they see the numbers that --set makes texts of, and some pipelines
	// skip the schema.
	Duration bool    `json:"duration,omitempty"`
	Least    float64 `json:"least,omitempty"`
	Most     float64 `json:"most,omitempty"`
	Pattern  string  `json:"pattern,omitempty"`
	Want     string  `json:"want,omitempty"`
}

// complete fills in types, and what values leave to their flags.
func complete(values []Value, flags *pflag.FlagSet) error {
	for i := range values {
		v := &values[i]
		if err := complete(v.Fields, flags); err != nil {
			return err
		}
		if len(v.Fields) > 0 && v.Type == "" {
			v.Type = Group
		}
		if v.Type == Group {
			continue
		}
		if v.Flag != "" {
			if err := fromFlag(v, flags.Lookup(v.Flag)); err != nil {
				return err
			}
		}
		if v.Type == "" {
			v.Type = Text
		}
		if v.Default == nil {
			v.Default = zero(v.Type)
		}
	}
	return nil
}

func fromFlag(v *Value, flag *pflag.Flag) error {
	if flag == nil {
		return fmt.Errorf("value %s: the binary has no flag --%s", v.Name, v.Flag)
	}
	if v.Doc == "" {
		v.Doc = flag.Usage
	}
	var value any = flagDefault(flag)
	var err error
	switch flag.Value.Type() {
	case "bool":
		v.Type = Bool
		value, err = strconv.ParseBool(flag.DefValue)
	case "duration":
		v.Type = Duration
	case "float64", "float32":
		v.Type = Number
		value, err = strconv.ParseFloat(flag.DefValue, 64)
	case "int", "int32", "int64", "Level":
		v.Type = Integer
		value, err = strconv.Atoi(flag.DefValue)
	}
	if err != nil {
		return fmt.Errorf("default of --%s: %w", v.Flag, err)
	}
	if v.Default == nil {
		v.Default = value
	}
	return nil
}

// flagDefault is the default of a flag as values.yaml writes it: 45m, not 45m0s, and a list as
// it is given, not in brackets.
func flagDefault(flag *pflag.Flag) string {
	text := flag.DefValue
	switch flag.Value.Type() {
	case "duration":
	case "stringSlice", "stringToString":
		return strings.Trim(text, "[]")
	default:
		return text
	}
	if minutes, whole := strings.CutSuffix(text, "m0s"); whole {
		text = minutes + "m"
	}
	if hours, whole := strings.CutSuffix(text, "h0m"); whole {
		text = hours + "h"
	}
	return text
}

// choice is a value that must be one of some texts, see files/choices.yaml.
type choice struct {
	Value   string   `json:"value"`
	Choices []string `json:"choices"`
}

// choices returns the values that must be one of some texts, for the templates: some pipelines skip the schema.
func choices(values []Value) []choice {
	var list []choice
	walk(values, "", func(path string, v Value) {
		if len(v.Enum) > 0 {
			list = append(list, choice{path, v.Enum})
		}
	})
	return list
}

// flagEntries returns the flags that values are passed as, and the owned ones without.
func flagEntries(values []Value, flags *pflag.FlagSet) []flagEntry {
	var entries []flagEntry
	walk(values, "", func(path string, v Value) {
		if v.Flag != "" {
			entries = append(entries, flagEntry{
				Flag: v.Flag, Value: path, Default: flagDefault(flags.Lookup(v.Flag)), Integer: v.Type == Integer, Always: v.Always, Empty: v.Empty,
				Duration: v.Type == Duration, Least: v.Min, Most: v.Max, Pattern: v.Pattern, Want: v.Want,
			})
		}
	})
	for _, name := range owned {
		entries = append(entries, flagEntry{Flag: name})
	}
	return entries
}
