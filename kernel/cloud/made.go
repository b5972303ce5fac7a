package cloud

import (
	"fmt"
	"slices"
)

// NameAndTags are what tells whose an object is: its name, and its tags or labels, each as one text.
type NameAndTags struct {
	Name string
	Tags []string
}

// AnswersCreation returns why the answer to a creation is not about the object that was asked for, nil when it may be. What a composite
// records of a new balancer is what was asked for, so that nothing else would tell:
//
//	the answer has            it is
//	all tags that were asked  that object
//	tags, but not all         another one
//	no tags, another name     another one
//	neither                   taken as that object
func AnswersCreation(id string, asked, answered NameAndTags) error {
	missing := slices.DeleteFunc(slices.Clone(asked.Tags), func(tag string) bool { return slices.Contains(answered.Tags, tag) })
	switch {
	case len(answered.Tags) > 0 && len(missing) > 0:
		return &Error{Op: "making it", Err: fmt.Errorf("the cloud answered with %s, whose tags lack %q; nothing of it is recorded", id, missing)}
	case len(answered.Tags) == 0 && answered.Name != "" && answered.Name != asked.Name:
		return &Error{Op: "making it", Err: fmt.Errorf("the cloud answered with %s, whose name is %q and not %q; nothing of it is recorded", id, answered.Name, asked.Name)}
	}
	return nil
}

// LabelTexts returns labels as the tags of NameAndTags.
func LabelTexts(labels map[string]string) (texts []string) {
	for key, value := range labels {
		texts = append(texts, key+"="+value)
	}
	slices.Sort(texts)
	return texts
}
