package chart

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A provider that the chart could not offer fails the generator, not the user.
func TestFilesRefuses(t *testing.T) {
	readme := []byte(readmeBegin + readmeEnd)
	tests := []struct {
		name     string
		provider cloud.Descriptor
		flags    *pflag.FlagSet
		readme   []byte
		want     string
	}{
		{"a flag the program lacks", cloud.Descriptor{Name: "a"}, &pflag.FlagSet{}, readme, "no flag --"},
		{"required without a name", provider(cloud.Setting{Name: "X", Required: true}), nil, readme, "setting X is required and has no name"},
		{"a default of another type", provider(cloud.Setting{Name: "X", Value: "x", Type: cloud.SettingBool, Default: "perhaps"}), nil, readme, "setting X"},
		{"an unknown type", provider(cloud.Setting{Name: "X", Value: "x", Type: "date"}), nil, readme, `no type "date"`},
		{"a key of an unknown type", cloud.Descriptor{Name: "acme", ConfigFile: &cloud.ConfigFile{Value: "inventory", Inventory: true, Keys: []cloud.ConfigKey{
			{Section: cloud.InventoryTop, Name: "machines", Type: "list"}, {Section: cloud.InventoryMachine, Name: "since", Type: "date"},
		}}}, nil, readme, `key since of the inventory: there is no type "date"`},
		{"named like a value", cloud.Descriptor{Name: "image", Settings: []cloud.Setting{{Name: "X", Value: "x"}}}, nil, readme, "two values image"},
		{"a README without markers", provider(cloud.Setting{Name: "X", Value: "x"}), nil, []byte("# Chart\n"), "README: it lacks"},
	}
	for _, tt := range tests {
		if tt.flags == nil {
			tt.flags = allFlags()
		}
		_, err := Files(Input{Providers: []cloud.Descriptor{tt.provider}, Flags: tt.flags, README: tt.readme})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func provider(s cloud.Setting) cloud.Descriptor {
	return cloud.Descriptor{Name: "acme", Settings: []cloud.Setting{s}}
}

// allFlags declares every flag a value names, as a text.
func allFlags() *pflag.FlagSet {
	flags := &pflag.FlagSet{}
	values := declared(nil, nil, nil)
	var add func([]Value)
	add = func(values []Value) {
		for _, v := range values {
			if v.Flag != "" {
				flags.String(v.Flag, "", "usage")
			}
			add(v.Fields)
		}
	}
	add(values)
	return flags
}

func TestFlagDefault(t *testing.T) {
	for text, want := range map[string]string{"45m0s": "45m", "12h0m0s": "12h", "10s": "10s", "1m30s": "1m30s", "1h30m0s": "1h30m", "0s": "0s"} {
		flags := &pflag.FlagSet{}
		flags.Duration("d", 0, "")
		flag := flags.Lookup("d")
		if flag.DefValue = text; flagDefault(flag) != want {
			t.Errorf("%s: %s, want %s", text, flagDefault(flag), want)
		}
	}
}

// What a hint or a guide says to use is a value of the chart.
func TestUpstreamKeysNameValues(t *testing.T) {
	names := map[string]bool{}
	var add func(values []Value, prefix string)
	add = func(values []Value, prefix string) {
		for _, v := range values {
			names[prefix+v.Name] = true
			add(v.Fields, prefix+v.Name+".")
		}
	}
	add(declared(nil, nil, nil), "")
	for provider, keys := range upstreamKeys() {
		for _, k := range keys {
			if names[k.key] {
				t.Errorf("%s: %s is a value of this chart", provider, k.key)
			}
			for _, use := range k.use {
				if of, _, _ := strings.Cut(use, "."); of != provider && !names[use] {
					t.Errorf("%s: %s leads to %s, which is no value", provider, k.key, use)
				}
			}
			if len(k.use) == 0 && k.why == "" {
				t.Errorf("%s: %s has no hint", provider, k.key)
			}
		}
	}
}
