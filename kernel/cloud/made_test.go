package cloud_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestAnswersCreation(t *testing.T) {
	asked := cloud.NameAndTags{Name: "web", Tags: cloud.LabelTexts(map[string]string{"cluster": "prod", "uid": "1"})}
	for name, test := range map[string]struct {
		answered cloud.NameAndTags
		another  bool
	}{
		"the same":                     {answered: asked},
		"more tags, another order":     {answered: cloud.NameAndTags{Name: "web", Tags: []string{"uid=1", "team=shop", "cluster=prod"}}},
		"its tags, the cloud's name":   {answered: cloud.NameAndTags{Name: "web-1", Tags: asked.Tags}},
		"no tags, its name":            {answered: cloud.NameAndTags{Name: "web"}},
		"neither":                      {},
		"another Service's tags":       {answered: cloud.NameAndTags{Name: "web", Tags: []string{"cluster=prod", "uid=2"}}, another: true},
		"another object's tags":        {answered: cloud.NameAndTags{Name: "web", Tags: []string{"team=shop"}}, another: true},
		"no tags, another one's name":  {answered: cloud.NameAndTags{Name: "api"}, another: true},
		"tags that are not all of its": {answered: cloud.NameAndTags{Name: "web", Tags: []string{"cluster=prod"}}, another: true},
	} {
		if err := cloud.AnswersCreation("lb-1", asked, test.answered); (err != nil) != test.another {
			t.Errorf("%s: %v, want an error: %t", name, err, test.another)
		}
	}
}
