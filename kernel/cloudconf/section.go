// Package cloudconf reads the file of --cloud-config in the format of upstream CCMs: sections
// with keys, as the library gcfg has them. A provider declares each key once, with its doc, its
// default and the variable its value goes to; reading and documentation follow from that.
//
// Whatever upstream accepts is accepted. Keys that nobody reads are warnings, values that are
// not right are errors, and all of them are reported at once, without a secret in the text.
package cloudconf

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Key declares one key of a file, and binds it to where its value goes.
type Key struct {
	Name  string
	Value Value
	// Unset is the value of a key that is not there.
	Unset string
	// Lenient makes a value that is not right a warning, where upstream goes on too.
	Lenient bool
	Doc     string
}

// Section declares the keys of one section. Names of sections and keys have no case.
type Section struct {
	Name string
	Keys []Key
	// Named returns the keys of [Name "name"], for a section that may stand several times. It is
	// called for each line of the section, and with any name for the documentation.
	Named func(name string) []Key
	// Nameless says what is wrong with a section with Named that has no name, "" when that is a
	// name like any other.
	Nameless string
}

// File declares a file.
type File struct {
	Sections []Section
	// Legacy says what became of sections and keys that are still found in files, by
	// "[section]" and "[section] key" in lower case.
	Legacy map[string]string
}

// Keys are the declarations of all keys, for the documentation.
func (f File) Keys() []cloud.ConfigKey {
	var all []cloud.ConfigKey
	for _, s := range f.Sections {
		name, keys := s.Name, s.Keys
		if s.Named != nil {
			name, keys = s.Name+` "name"`, s.Named("name")
		}
		for _, k := range keys {
			all = append(all, cloud.ConfigKey{
				Section: name, Name: k.Name, Type: k.Value.Kind, Default: k.Unset, Secret: k.Value.Secret, Doc: k.Doc,
			})
		}
	}
	return all
}
