package chart

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// inventoryFile is where the values have the file of a cloud.Inventory, in files/providers.yaml. It holds no secret, so that it is
// no credential: it is in a ConfigMap of the release.
type inventoryFile struct {
	Value string `json:"value"`
	Key   string `json:"key"`
	// Head is what the file says of itself, where the values leave it out.
	Head map[string]string `json:"head"`
}

func inventoryHead() map[string]string {
	return map[string]string{"apiVersion": cloud.InventoryVersion, "kind": cloud.InventoryKind}
}

// newInventoryFile returns nil for a provider that reads no such file.
func newInventoryFile(d cloud.Descriptor) *inventoryFile {
	if d.ConfigFile == nil || !d.ConfigFile.Inventory {
		return nil
	}
	return &inventoryFile{Value: d.ConfigFile.Value, Key: d.ConfigFile.Key, Head: inventoryHead()}
}

// inventoryValue returns the value that is the file.
func inventoryValue(provider string, c cloud.ConfigFile) (Value, error) {
	fields, err := recordFields(c.Keys, cloud.InventoryTop)
	return Value{
		Name: c.Value, Type: Record, Fields: fields,
		Doc: c.Doc + " The keys are those of the file, see docs/reference/providers/" + provider + ".md; apiVersion and kind may be left out. It becomes a ConfigMap, so put no secret into it. A change restarts no Pod.",
	}, err
}

// recordFields returns the keys of one section of a file as values.
func recordFields(keys []cloud.ConfigKey, section string) ([]Value, error) {
	head := inventoryHead()
	var fields []Value
	for _, k := range keys {
		if k.Section != section {
			continue
		}
		v := Value{Name: k.Name, Doc: k.Doc}
		var err error
		switch k.Type {
		case "text":
			v.Type = Text
		case "bool":
			v.Type = Bool
		case "list of IP addresses":
			v.Type = Texts
		case "labels":
			v.Type = TextMap
		case "list":
			v.Type, v.OneOf = Records, cloud.InventoryWhose()
			v.Fields, err = recordFields(keys, k.Name+"[]")
		default:
			err = fmt.Errorf("key %s of the inventory: there is no type %q", k.Name, k.Type)
		}
		if err != nil {
			return nil, err
		}
		if only, ok := head[k.Name]; ok && section == cloud.InventoryTop {
			v.Pattern, v.Want = "^("+strings.ReplaceAll(regexp.QuoteMeta(only), `\.`, "[.]")+")?$", only+", or leave it out"
		}
		fields = append(fields, v)
	}
	return fields, nil
}
