package config

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Environment variables, named as the upstream CCM named them.
const (
	EnvRegional   = "OS_CCM_REGIONAL"
	envCloudsFile = "OS_CLIENT_CONFIG_FILE"
	envCloud      = "OS_CLOUD"
	envWaitSteps  = "OCCM_WAIT_LB_ACTIVE_STEPS"
)

// Declared are the declarations of the environment variables.
func Declared() []cloud.Setting {
	return []cloud.Setting{
		{Name: EnvRegional, Default: "false", Type: cloud.SettingBool, Value: "regionalProviderID", Doc: "Write the region into provider-IDs too, such as openstack://RegionOne/id."},
		{Name: envCloudsFile, Doc: "Path of the clouds.yaml, where [Global] use-clouds is on and clouds-file is not set."},
		{Name: envCloud, Doc: "Entry of the clouds.yaml, where [Global] cloud is not set. No other OS_ variable is read."},
		{Name: envWaitSteps, Doc: "Accepted for compatibility and ignored: nothing waits for a balancer here, it is looked at again."},
	}
}

// settings are the environment variables.
type settings struct {
	Regional   bool
	cloudsFile string
	cloud      string
}

func readSettings(lookup func(string) string) (settings, error) {
	r := cloud.SettingReader{Lookup: lookup}
	return settings{Regional: r.Bool(EnvRegional), cloudsFile: lookup(envCloudsFile), cloud: lookup(envCloud)}, r.Err()
}
