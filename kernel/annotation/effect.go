package annotation

import "slices"

// yield takes away the values of keys that have others above them, and says so.
func (s Set) yield(values Values) []Problem {
	var problems []Problem
	for _, key := range s {
		value, given := values[key.Name]
		above := slices.IndexFunc(key.Yields, func(name string) bool { return values[name] != "" })
		if !given || above < 0 {
			continue
		}
		delete(values, key.Name)
		problems = append(problems, Problem{Key: key.Name, Value: value, Warning: true, Idle: key.Yields[above] + " is there, which wins"})
	}
	return problems
}

// enable gives keys the value that portable ones switch on, and says where another value that is
// given keeps a portable key from having an effect. portably says which keys are spelled as their Name,
// also beside another spelling.
func (s Set) enable(values Values, portably map[string]bool) []Problem {
	var problems []Problem
	for _, key := range s {
		on := key.Enables
		value, given := values[key.Name]
		if on.Key == "" || !given || !portably[key.Name] {
			continue
		}
		switch present, there := values[on.Key]; {
		case !there:
			values[on.Key] = on.Value
		case present != on.Value && !key.Defaults:
			problems = append(problems, Problem{Key: key.Name, Value: value, Warning: true, Idle: on.Key + " is " + present + ", which wins"})
		}
	}
	return problems
}
