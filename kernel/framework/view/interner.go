package view

import "sync"

// maxWords bounds an interner: a cluster has some dozen label keys. Whatever comes when it
// is full stays as it is.
const maxWords = 1024

// maxWord is how long a word is that many objects may repeat, such as a zone.
const maxWord = 63

// stringInterner gives equal strings the same memory. Decoding makes a new string for each label
// key of each Node. unique.Make is not for this: it forgets what nobody holds a handle of.
type stringInterner struct {
	mu    sync.Mutex
	words map[string]string
}

// intern returns s, in the memory of the first one that was equal.
func (v *stringInterner) intern(s string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.words[s]
	switch {
	case ok:
		return known
	case len(v.words) < maxWords:
		v.words[s] = s
	}
	return s
}

// all returns a copy of the map with shared keys and, if they are not longer than a word, values. The name of the
// object, which no other has, is in memory once for the object.
func (v *stringInterner) all(m map[string]string, name string) map[string]string {
	if m == nil {
		return nil
	}
	shared := make(map[string]string, len(m))
	for key, value := range m {
		switch {
		case value == name:
			value = name
		case len(value) <= maxWord:
			value = v.intern(value)
		}
		shared[v.intern(key)] = value
	}
	return shared
}
