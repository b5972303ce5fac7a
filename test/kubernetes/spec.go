package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// Outcome is how a spec ended.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
	// Interrupted is one that the run ended before its end, or before its beginning.
	Interrupted Outcome = "interrupted"
)

// Spec is a spec of a suite.
type Spec struct {
	// Name is its full text, with the labels in brackets.
	Name string
	// Slow is set where it takes a quarter of an hour.
	Slow bool
}

// Short is the name without what all have in common and without labels.
func (s Spec) Short() string {
	name := labels.ReplaceAllString(s.Name, "")
	for _, prefix := range []string{"[sig-network] LoadBalancers ", "[sig-cloud-provider] "} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.TrimSpace(strings.Join(strings.Fields(name), " "))
}

var labels = regexp.MustCompile(`\[(Feature|Slow|Serial|Disruptive|Conformance|FeatureGate|LinuxOnly)[^\]]*\]`)

// newSpec says what of a spec can be told by its name.
func newSpec(name string) Spec {
	return Spec{Name: name, Slow: strings.Contains(name, "rolling update")}
}

// Result is how one spec ended.
type Result struct {
	Spec    Spec
	Outcome Outcome
	// Message says why it failed or was skipped.
	Message string
	Took    time.Duration
	// Kubernetes is the version of the spec.
	Kubernetes string
}

// report is what of ginkgo's JSON report matters.
type report []struct {
	SpecReports []struct {
		ContainerHierarchyTexts []string
		LeafNodeText            string
		LeafNodeType            string
		State                   string
		Failure                 struct{ Message string }
		AdditionalFailures      []struct {
			Failure struct{ Message string }
		}
	}
	SpecialSuiteFailureReasons []string
}

func readReport(path string) (r report, err error) {
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the report of a spec: %w", err)
	}
	return r, nil
}

// specs returns all specs that were not filtered out, of a dry run.
func (r report) specs() (list []Spec) {
	for _, suite := range r {
		for _, s := range suite.SpecReports {
			if s.LeafNodeType == "It" && s.State == "passed" {
				list = append(list, newSpec(strings.Join(append(s.ContainerHierarchyTexts, s.LeafNodeText), " ")))
			}
		}
	}
	return list
}

// outcome returns how the one spec ended that ran. Everything else that failed, such as what is done before or after all specs, fails it.
func (r report) outcome(name string) (Outcome, string, error) {
	outcome, messages := Outcome(""), []string(nil)
	for _, suite := range r {
		messages = append(messages, suite.SpecialSuiteFailureReasons...)
		for _, s := range suite.SpecReports {
			full := strings.TrimSpace(strings.Join(append(s.ContainerHierarchyTexts, s.LeafNodeText), " "))
			switch {
			case s.LeafNodeType == "It" && full == name && s.State == "passed":
				outcome = Passed
			case s.LeafNodeType == "It" && full == name && s.State == "skipped":
				return Skipped, s.Failure.Message, nil
			case s.LeafNodeType == "It" && full != name, s.State == "passed":
			default:
				outcome = Failed
				messages = append(messages, s.State+": "+s.Failure.Message)
				for _, more := range s.AdditionalFailures {
					messages = append(messages, more.Failure.Message)
				}
			}
		}
	}
	switch {
	case outcome == "":
		return Failed, "", errors.New("the report has no spec of that name: " + name)
	case len(messages) > 0:
		outcome = Failed
	}
	return outcome, strings.Join(messages, "\n"), nil
}
