package flag

import (
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cloud-provider/options"
)

// statusUpdates is the default of a flag whose default upstream writes down twice.
const statusUpdates = "10"

// Defaults replaces upstream's defaults, which initialise 7 nodes a second at best. Call it
// before the command is built.
func Defaults(o *options.CloudControllerManagerOptions) {
	o.Generic.ClientConnection.QPS = 400
	o.Generic.ClientConnection.Burst = 800
	o.NodeController.ConcurrentNodeSyncs = 20
	o.NodeLifecycleController.ConcurrentNodeLifecycleSyncs = 10
	o.ServiceController.ConcurrentServiceSyncs = 5
	// Nobody needs it who did not ask for it.
	o.Generic.Debugging.EnableProfiling = false
	// A standby looks at the lease every 1 to 2.2 periods, and takes over at once when it
	// was released.
	election := &o.Generic.LeaderElection
	election.RetryPeriod.Duration = 500 * time.Millisecond
	// With upstream's 15 s a standby takes over from a killed leader after 16 s and more.
	election.LeaseDuration.Duration = 11 * time.Second
	election.RenewDeadline.Duration = 8 * time.Second
}

// SetDefaults replaces the defaults that upstream sets while it declares the flags. Call
// it after the command is built, with its flags.
func SetDefaults(flags *pflag.FlagSet) error {
	flag := flags.Lookup("concurrent-node-status-updates")
	if flag == nil {
		return nil
	}
	flag.DefValue = statusUpdates
	return flag.Value.Set(statusUpdates)
}
