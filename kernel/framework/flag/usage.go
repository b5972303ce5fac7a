package flag

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// usages are the texts of flags that mean something else here than upstream's texts say.
var usages = map[string]string{
	"allocate-node-cidrs":          "Accepted for compatibility: kube-controller-manager or the network plugin gives Nodes their pod networks.",
	"cidr-allocator-type":          "Accepted for compatibility, as --allocate-node-cidrs is.",
	"cloud-config":                 "Path of the provider's configuration file, where the provider reads one.",
	"cluster-cidr":                 "The pod network: one CIDR, or an IPv4 and an IPv6 one with a comma between. Routes are made to those pod networks of Nodes that are in it. Without it no routes are made.",
	"cluster-name":                 "The cluster's name. It is in the owner marks of everything created in the cloud, unless --cluster-id is given, and on some clouds in names. Two clusters of one account need different ones.",
	"configure-cloud-routes":       "Make routes to the pod networks of Nodes, where the cloud has routes. Needs --cluster-cidr.",
	"external-cloud-volume-plugin": "Accepted for compatibility: no controller here reads it.",
	"node-monitor-period":          "How often it is looked at whether the machines of Nodes that are not Ready are shut down or gone.",
	"webhooks":                     "Accepted for compatibility: there are no webhooks.",
}

// SetUsages replaces upstream's texts that are not true here. providers are the values of --cloud-provider. Call
// it after the command is built, with its flags.
func SetUsages(flags *pflag.FlagSet, providers []string) error {
	texts := map[string]string{"cloud-provider": "The cloud's provider: " + strings.Join(providers, ", ") + ". It has to be given where several are compiled in; the sub-command providers says what each can do."}
	for name, text := range usages {
		texts[name] = text
	}
	for name, text := range texts {
		flag := flags.Lookup(name)
		if flag == nil {
			return fmt.Errorf("there is no flag --%s any more", name)
		}
		flag.Usage = text
	}
	return nil
}
