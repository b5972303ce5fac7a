package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// mostBytes is the size of a Kubernetes object: a ConfigMap holds no larger file.
const mostBytes = 1 << 20

// reader collects what is wrong with a file, and where.
type reader struct {
	problems []string
	warnings []string
	// internal are the places of the internalIPs, names those of the names.
	internal, names map[string]string
}

// parse reads a file. The error names every mistake in one line.
func parse(content []byte) (*inventory, error) {
	r := &reader{internal: map[string]string{}, names: map[string]string{}}
	i := r.file(content)
	if len(r.problems) > 0 {
		return nil, errors.New("inventory: " + strings.Join(first(r.problems), "; "))
	}
	i.index()
	i.warnings = first(append(r.warnings, i.hidden()...))
	return i, nil
}

// most is how many problems and warnings are told.
const most = 50

func first(all []string) []string {
	if len(all) <= most {
		return all
	}
	return append(all[:most:most], fmt.Sprintf("and %d more", len(all)-most))
}

// refuse notes what is wrong at a place.
func (r *reader) refuse(place, format string, args ...any) {
	r.problems = append(r.problems, place+": "+fmt.Sprintf(format, args...))
}

func (r *reader) file(content []byte) *inventory {
	i := &inventory{}
	if len(content) > mostBytes {
		r.refuse("the file", "has %d bytes, want at most %d", len(content), mostBytes)
		return i
	}
	top, err := document(content)
	if err != nil {
		r.refuse("the file", "%s", cloud.Shorten(strings.ReplaceAll(err.Error(), "\n", " "), cloud.MostOfValue))
		return i
	}
	r.known("", cloud.InventoryTop, top)
	r.exactly(top, "apiVersion", cloud.InventoryVersion)
	r.exactly(top, "kind", cloud.InventoryKind)
	i.region, i.zone = r.labelValue("", top, "region"), r.labelValue("", top, "zone")
	i.others = r.boolean(top, "others")
	for n, entry := range list(r, "", top, "machines") {
		r.machine(i, n, entry)
	}
	if len(i.machines) == 0 && !i.others {
		r.warnings = append(r.warnings, "machines: there are none, and others is not true: every new Node waits")
	}
	return i
}

// document returns the only document of a file.
func document(content []byte) (map[string]any, error) {
	var found map[string]any
	for documents := utilyaml.NewYAMLReader(newLines(content)); ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		value, err := decode(text)
		switch object, is := value.(map[string]any); {
		case err != nil:
			return nil, err
		case value == nil: // comments alone
		case !is:
			return nil, errors.New("is no YAML object, want one of kind Inventory")
		case found != nil:
			return nil, errors.New("has several documents, want one")
		default:
			found = object
		}
	}
	if found == nil {
		return nil, errors.New("is empty, want an object of kind Inventory")
	}
	return found, nil
}

// decode reads YAML as JSON has it, and refuses a key that is there twice.
func decode(text []byte) (any, error) {
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, fmt.Errorf("is no YAML: %w", err)
	}
	var value any
	numbers := json.NewDecoder(bytes.NewReader(converted))
	numbers.UseNumber() // shown as it is
	err = numbers.Decode(&value)
	return value, err
}

// known refuses keys that are not declared.
func (r *reader) known(place, section string, object map[string]any) {
	var names []string
	for _, k := range cloud.InventoryKeys() {
		if k.Section == section {
			names = append(names, k.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(names, key) {
			r.refuse(place+cloud.Shorten(key, cloud.MostOfValue), "no such key%s", meant(key, names))
		}
	}
}

// meant is the question for the name that another one resembles most, "" where it resembles none.
func meant(given string, names []string) string {
	const slip = 2
	best, distance := "", slip+1
	for _, name := range names {
		switch d := annotation.Distance(given, name); {
		case strings.EqualFold(given, name):
			return ", did you mean " + name + "?"
		case d < distance && d < len(given):
			best, distance = name, d
		}
	}
	if best == "" {
		return ", want one of " + strings.Join(names, ", ")
	}
	return ", did you mean " + best + "?"
}

func (r *reader) machine(i *inventory, n int, entry any) {
	place := fmt.Sprintf("machines[%d]", n)
	object, is := entry.(map[string]any)
	if !is {
		r.refuse(place, "is %s, want an object with name, names or selector", shown(entry))
		return
	}
	place += "."
	r.known(place, cloud.InventoryMachine, object)
	m := machine{}
	r.whose(place, object, &m)
	m.InventoryEntry = cloud.InventoryEntry{
		Region: r.labelValue(place, object, "region"), Zone: r.labelValue(place, object, "zone"), Type: r.labelValue(place, object, "type"),
		Labels: r.labels(place, object),
	}
	m.InternalIPs, m.ExternalIPs = r.addresses(place, object, "internalIPs"), r.addresses(place, object, "externalIPs")
	r.internalOnce(place, &m)
	if m.Region == "" {
		m.Region = i.region
	}
	if m.Zone == "" {
		m.Zone = i.zone
	}
	if m.name != "" || m.names != "" || m.selector != nil {
		m.Entry = m.place(n)
	}
	i.machines = append(i.machines, m)
}

// text returns the value of a key, "" where it is missing or wrong. Numbers and booleans are refused: YAML makes true of yes, 1.1 of 1.10
// and 10 of 012, and what is written to a Node stays.
func (r *reader) text(place string, object map[string]any, key string) string {
	switch value := object[key].(type) {
	case nil:
		return ""
	case string:
		return value
	case json.Number, bool:
		r.refuse(place+key, "is %v, want a text: put it in quotes, as it is to be", value)
		return ""
	default:
		r.refuse(place+key, "is %s, want a text", shown(value))
		return ""
	}
}

func (r *reader) boolean(object map[string]any, key string) bool {
	switch value := object[key].(type) {
	case nil:
		return false
	case bool:
		return value
	default:
		r.refuse(key, "is %s, want true or false", shown(value))
		return false
	}
}

func (r *reader) exactly(object map[string]any, key, want string) {
	if given := r.text("", object, key); given != want {
		r.refuse(key, "is %q, want %s", cloud.Shorten(given, cloud.MostOfValue), want)
	}
}

func list(r *reader, place string, object map[string]any, key string) []any {
	switch value := object[key].(type) {
	case nil:
		return nil
	case []any:
		return value
	default:
		r.refuse(place+key, "is %s, want a list", shown(value))
		return nil
	}
}

// shown is a value as people see it.
func shown(value any) string {
	switch value.(type) {
	case nil:
		return "empty"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("%q", cloud.Shorten(fmt.Sprint(value), cloud.MostOfValue))
}
