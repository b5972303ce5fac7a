package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// providerEntry is one provider in files/providers.yaml.
type providerEntry struct {
	Title        string          `json:"title"`
	Schemes      []string        `json:"schemes"`
	Secret       string          `json:"secret"`
	Capabilities map[string]bool `json:"capabilities"`
	Credentials  []credential    `json:"credentials,omitempty"`
	Settings     []setting       `json:"settings,omitempty"`
	Notes        []string        `json:"notes,omitempty"`

	// Inventory is nil for a provider that reads no such file.
	Inventory *inventoryFile `json:"inventory,omitempty"`
}

// credential is a key of the provider's Secret. Env is empty for the file of --cloud-config.
type credential struct {
	Name     string `json:"name"`
	Env      string `json:"env,omitempty"`
	Key      string `json:"key"`
	Required bool   `json:"required,omitempty"`
	// Needs is the Name of another credential without which this one is of no use.
	Needs string `json:"needs,omitempty"`
	// Public says that nothing in it is a secret, so that it may be in the release.
	Public bool `json:"public,omitempty"`
}

type setting struct {
	Value    string `json:"value"`
	Env      string `json:"env"`
	Default  string `json:"default"`
	Required bool   `json:"required,omitempty"`
}

// capability names, as files/controllers.yaml uses them.
const (
	capBalancers = "loadBalancers"
	capRoutes    = "routes"
	capFirewall  = "firewall"
	capTags      = "tags"
)

func newProviderEntry(d cloud.Descriptor) providerEntry {
	entry := providerEntry{
		Title: d.Title, Schemes: d.ProviderIDSchemes, Secret: d.Secret, Credentials: credentials(d), Notes: d.Notes, Inventory: newInventoryFile(d),
		Capabilities: map[string]bool{
			capBalancers: d.Capabilities.Balancers, capRoutes: d.Capabilities.Routes, capFirewall: d.Capabilities.Firewalls,
			capTags: d.Capabilities.Tags,
		},
	}
	for _, s := range d.Settings {
		if s.Secret || s.Value == "" {
			continue
		}
		entry.Settings = append(entry.Settings, setting{Value: s.Value, Env: s.Name, Default: defaultText(s), Required: s.Required})
	}
	return entry
}

func credentials(d cloud.Descriptor) []credential {
	values := map[string]string{}
	for _, s := range d.Settings {
		values[s.Name] = s.Value
	}
	var all []credential
	for _, s := range d.Settings {
		if s.Secret && s.Value != "" {
			all = append(all, credential{Name: s.Value, Env: s.Name, Key: s.Key, Required: s.Required, Needs: values[s.Needs], Public: s.Public})
		}
	}
	if c := d.ConfigFile; c != nil && !c.Inventory {
		all = append(all, credential{Name: c.Value, Key: c.Key, Required: c.Required, Public: !c.Secret()})
	}
	return all
}

// block returns the values of a provider.
func block(d cloud.Descriptor) (Value, error) {
	v := Value{Name: d.Name, Doc: d.Title + ".", Fields: credentialValues(d)}
	if c := d.ConfigFile; c != nil && c.Inventory {
		value, err := inventoryValue(d.Name, *c)
		if err != nil {
			return v, fmt.Errorf("provider %s: %w", d.Name, err)
		}
		v.Fields = append(v.Fields, value)
	}
	for _, s := range d.Settings {
		if s.Value == "" || s.Secret {
			if s.Value == "" && s.Required {
				return v, fmt.Errorf("provider %s: setting %s is required and has no name in the chart", d.Name, s.Name)
			}
			continue
		}
		value, err := settingValue(s)
		if err != nil {
			return v, fmt.Errorf("provider %s: %w", d.Name, err)
		}
		v.Fields = insert(v.Fields, strings.Split(s.Value, "."), value)
	}
	return v, nil
}

// insert puts a value at its path, below groups that are made where they are missing.
func insert(fields []Value, path []string, value Value) []Value {
	if len(path) == 1 {
		value.Name = path[0]
		return append(fields, value)
	}
	i := slices.IndexFunc(fields, func(v Value) bool { return v.Name == path[0] })
	if i < 0 {
		fields, i = append(fields, Value{Name: path[0]}), len(fields)
	}
	fields[i].Fields = insert(fields[i].Fields, path[1:], value)
	return fields
}

func credentialValues(d cloud.Descriptor) []Value {
	all := credentials(d)
	if len(all) == 0 {
		return nil
	}
	docs := map[string]string{}
	for _, s := range d.Settings {
		docs[s.Name] = s.Doc
	}
	if d.ConfigFile != nil {
		docs[""] = d.ConfigFile.Doc
	}
	keys := Value{Name: "keys", Doc: "Keys of the Secret. A key that is \"\" is not used."}
	inline := Value{Name: "inline", Doc: "In place of a key of the Secret. It ends up in the release, so use existingSecret for what is secret."}
	for _, c := range all {
		key := Value{Name: c.Name, Doc: docs[c.Env]}
		if c.Required {
			key.Default = c.Key
		} else {
			key.Doc += " Set it when the Secret has it, usually as " + c.Key + "."
		}
		keys.Fields = append(keys.Fields, key)
		text := Value{Name: c.Name, Doc: docs[c.Env]}
		if c.Public {
			text.Doc += " It holds no secret."
		}
		inline.Fields = append(inline.Fields, text)
	}
	return []Value{{Name: "credentials", Doc: "Mounted as files and read again when they change.", Fields: []Value{
		{Name: "existingSecret", Default: d.Secret, Doc: "Name of a Secret in the release's namespace."}, keys, inline,
	}}}
}

func settingValue(s cloud.Setting) (Value, error) {
	v := Value{Doc: s.Doc + " Variable " + s.Name + ".", Default: s.Default, Enum: s.Enum}
	var err error
	switch s.Type {
	case cloud.SettingText:
		v.Type = Text
	case cloud.SettingNumber:
		v.Type = Number
		v.Default, err = strconv.ParseFloat(defaultText(s), 64)
	case cloud.SettingBool:
		v.Type = Bool
		v.Default, err = strconv.ParseBool(defaultText(s))
	case cloud.SettingList:
		v.Type = Texts
		v.Default = nil
		if s.Default != "" {
			v.Default = strings.Split(s.Default, ",")
		}
	default:
		err = fmt.Errorf("there is no type %q", s.Type)
	}
	if err != nil {
		return v, fmt.Errorf("setting %s: %w", s.Name, err)
	}
	return v, nil
}

// defaultText is the text of the value that means the variable is not set.
func defaultText(s cloud.Setting) string {
	switch {
	case s.Default != "":
		return s.Default
	case s.Type == cloud.SettingNumber:
		return "0"
	case s.Type == cloud.SettingBool:
		return "false"
	default:
		return ""
	}
}
