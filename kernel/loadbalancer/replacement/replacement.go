// Package replacement has the record of a replacement that has begun, which a Service carries.
package replacement

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// Record is what the annotation Replacement of a Service says. It is written before anything
// is deleted or made, and a condition of the Service before it, so that it survives a crash:
//
//	the new balancer is made first       annotation  id   in the cloud  status  the next run
//	                                     -           old  old           old     writes the annotation
//	                                     yes         old  old           old     makes the new one beside
//	                                     yes         old  both          old     waits for it, then records its id
//	                                     yes         new  both          old     writes the status
//	                                     yes         new  both          new     deletes the old one
//	                                     yes         new  new           new     removes the annotation
//
//	the old balancer is deleted first    annotation  id   in the cloud  status  the next run
//	                                     yes         old  old           old     deletes the old one
//	                                     yes         old  -             old     makes the new one, or the old one again
//	                                     yes         old  new           old     records its id
//	                                     yes         new  new           new     removes the annotation
type Record struct {
	// Request is the fingerprint of the request that it was begun for.
	Request string `json:"request"`
	// Of is the id of the balancer to be replaced.
	Of string `json:"of"`
	// Was are its immutable fields.
	Was map[string]string `json:"was,omitempty"`
	// Refused is why the cloud did not make the new one, so that the old one was made again.
	Refused string `json:"refused,omitempty"`
}

// Of returns the replacement of the Service that has begun, nil when there is none. A text that is
// not ours counts as none: whoever edits the Service writes annotations, and only controllers
// its status.
func Of(svc *corev1.Service) *Record {
	begun, condition := readReplacement(svc.Annotations)
	if condition == nil || !slices.ContainsFunc(svc.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == condition.Type && c.Status == condition.Status && c.Message == condition.Message
	}) {
		return nil
	}
	return begun
}

// conditionType is the type of the condition that goes with the annotation Replacement.
const conditionType = annotation.Prefix + "Replacement"

// Condition returns the condition of the Service that has to be written before these
// annotations, nil when none has. It says all of the replacement that stays the same until its end.
// Where the annotation is removed it is False, so that the old text does not count when somebody
// writes it again.
func Condition(annotations map[string]string) *metav1.Condition {
	if text, ok := annotations[annotation.Replacement.Name]; ok && text == "" {
		return &metav1.Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: "Ended", LastTransitionTime: metav1.Now()}
	}
	_, condition := readReplacement(annotations)
	return condition
}

func readReplacement(annotations map[string]string) (*Record, *metav1.Condition) {
	begun := &Record{}
	if json.Unmarshal([]byte(annotations[annotation.Replacement.Name]), begun) != nil || begun.Of == "" {
		return nil, nil
	}
	message := Record{Request: begun.Request, Of: begun.Of, Was: begun.Was}.Annotation()[annotation.Replacement.Name]
	return begun, &metav1.Condition{
		Type: conditionType, Status: metav1.ConditionTrue, Reason: "Begun", Message: message, LastTransitionTime: metav1.Now(),
	}
}

// Annotation returns the annotation to write.
func (r Record) Annotation() map[string]string {
	text, err := json.Marshal(r)
	if err != nil {
		panic("a replacement cannot be encoded: " + err.Error())
	}
	return map[string]string{annotation.Replacement.Name: string(text)}
}
