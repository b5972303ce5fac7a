package aws_test

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/iam"
)

// permitted are the actions that the policies of config/iam allow, and the one that needs none.
func permitted() map[string]bool {
	actions := map[string]bool{"sts:GetCallerIdentity": true}
	for _, policy := range iam.Policies() {
		for _, statement := range policy.Statements {
			for _, action := range statement.Actions {
				actions[action] = true
			}
		}
	}
	return actions
}

// checkPermissions fails the test where the driver has called what no policy allows.
func (s *site) checkPermissions() {
	allowed := permitted()
	for _, call := range s.proxy.Calls() {
		if !allowed[call.Permission()] {
			s.Errorf("%s was called, and no policy of config/iam allows it", call.Permission())
		}
	}
}
