// Package dryrun has tests of what `make release-dry-run` has left in dist/release: `make release-test` runs them. Archives of this
// machine's platform are started; of the others, the header of the program says what it is for.
package dryrun
