package api

import (
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The same failure of two actions has the same text, with its code and message, and its class.
func TestFailedActions(t *testing.T) {
	var texts []string
	for _, id := range []int64{4711, 4712} {
		err := Goes(&hcloud.Action{ID: id, Status: hcloud.ActionStatusError, ErrorCode: "resource_limit_exceeded", ErrorMessage: "too many"})
		if err == nil || Classify(err).Class != cloud.FailureQuota || !strings.Contains(err.Error(), "too many") {
			t.Fatalf("error %v", err)
		}
		texts = append(texts, err.Error())
	}
	if texts[0] != texts[1] {
		t.Errorf("two texts: %q", texts)
	}
	err := Goes(&hcloud.Action{ID: 1, Command: "add_target", Status: hcloud.ActionStatusError})
	if err == nil || Classify(err).Class != cloud.FailureTransient || !strings.Contains(err.Error(), "add_target") {
		t.Errorf("without a code: %v", err)
	}
}
