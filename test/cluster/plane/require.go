package plane

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// required are the programs that a data plane needs.
var required = []string{"nft", "conntrack", "sysctl", "ip", "unshare"}

// Missing says in one line what this machine lacks for a data plane, nil when nothing. It needs root.
func Missing() error {
	var missing []string
	for _, name := range required {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: not installed; on Debian `make node-deps` does that", strings.Join(missing, ", "))
	}
	return kernel(func(table string) error {
		// In a network namespace of its own, so that nothing of the machine is touched.
		cmd := exec.Command("unshare", "-n", "nft", "-f", "-")
		cmd.Stdin = strings.NewReader(table)
		out, err := cmd.CombinedOutput()
		if err != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			return errors.New(first)
		}
		return nil
	})
}

// abilities are what the table needs of the kernel, each with a table that needs only it and what to do where it is missing.
var abilities = []struct{ name, table, advice string }{
	{"nf_tables", "table ip probe {}", "a kernel with CONFIG_NF_TABLES, or `modprobe nf_tables`"},
	{"address translation (nft_nat, nft_masq)", "table ip probe { chain c { type nat hook postrouting priority 100; masquerade; }; }",
		"a kernel with CONFIG_NFT_NAT and CONFIG_NFT_MASQ, or `modprobe nft_masq`"},
	{"the choice of a target (nft_numgen, nft_hash)", "table ip probe { chain c { meta mark set numgen inc mod 2; meta mark set jhash ip saddr mod 2; }; }",
		"a kernel with CONFIG_NFT_NUMGEN and CONFIG_NFT_HASH, or `modprobe -a nft_numgen nft_hash`"},
	{"refusals before routing (Linux 5.9)", "table ip probe { chain c { type filter hook prerouting priority 0; meta l4proto tcp reject with tcp reset; }; }",
		"Linux 5.9 or newer"},
}

// kernel tries each ability and names the first that is missing.
func kernel(load func(table string) error) error {
	for _, a := range abilities {
		if err := load(a.table); err != nil {
			return fmt.Errorf("this kernel lacks %s, for load balancers that carry traffic; it takes %s: %w", a.name, a.advice, err)
		}
	}
	return nil
}
