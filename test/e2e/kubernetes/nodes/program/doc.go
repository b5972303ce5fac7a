// Package program is what the programs with Kubernetes' own end-to-end tests have in common: flags, the
// preparation of the suite, and the hooks of the runner that starts them.
package program
