// Package compiled is the list of providers: one file each, which registers it unless a slim binary
// leaves it out. Whatever is about all providers, as the documentation, the chart, tests, the Makefile
// and CI, follows from it or is compared with it.
package compiled
