package annotation

import "strings"

// unknown reports keys under a prefix of the set that no provider key has: most likely a
// typing error.
func (s Set) unknown(annotations map[string]string) []Problem {
	known := map[string]bool{}
	var prefixes []string
	for _, key := range s {
		for _, name := range key.Spellings() {
			known[name] = true
			prefixes = append(prefixes, ownPrefix(name))
		}
	}
	var problems []Problem
	for name, value := range annotations {
		if known[name] || !hasAnyPrefix(name, prefixes) {
			continue
		}
		if _, portable := Portable().Find(name); portable {
			problems = append(problems, Problem{Key: name, Value: value, Warning: true, Idle: "not possible on this cloud"})
			continue
		}
		problems = append(problems, Problem{Key: name, Value: value, Want: "a known key" + suggestion(name, known), Warning: true, Unknown: true})
	}
	return problems
}

// ownPrefix returns the part of a key that no other program's keys share: the domain, or
// with one of Kubernetes' shared domains also the first two words of the name.
func ownPrefix(name string) string {
	domain, rest, _ := strings.Cut(name, "/")
	if !shared(domain) {
		return domain + "/"
	}
	words := strings.SplitN(rest, "-", 3)
	if len(words) < 3 {
		return name
	}
	return domain + "/" + words[0] + "-" + words[1] + "-"
}

// shared reports whether a domain is Kubernetes' own, where everybody has keys.
func shared(domain string) bool {
	return strings.HasSuffix("."+domain, ".kubernetes.io") || strings.HasSuffix("."+domain, ".k8s.io")
}

func hasAnyPrefix(name string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// suggestion names the known key nearest to name, if one is near.
func suggestion(name string, known map[string]bool) string {
	best, distance := "", 6
	for candidate := range known {
		if longer := len(candidate) - len(name); longer > distance || -longer > distance {
			continue // at least that far away; most pairs end here
		}
		if d := Distance(name, candidate); d < distance || d == distance && candidate < best {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// Distance is the Levenshtein distance of two texts, in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitution := diagonal
			if a[i] != b[j] {
				substitution++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, substitution)
		}
	}
	return row[len(b)]
}
