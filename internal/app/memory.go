package app

import (
	"os"
	"runtime/debug"
)

// gcPercent is how much the heap may grow before garbage is collected, in percent of what
// is in use. Go's default of 100 doubles the memory of a process that mostly holds caches
// (docs/adr/0009-memory.md).
const gcPercent = 25

// collectSooner sets gcPercent unless the environment variable GOGC says something else.
func collectSooner() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
