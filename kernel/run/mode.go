package run

// Mode says whether changes are made.
type Mode string

// Modes. DryRun says what it would do, and writes nothing to the cloud.
const (
	Live   Mode = "live"
	DryRun Mode = "dry-run"
)

// ReadOnly reports whether the mode forbids writes; the zero Mode is Live.
func (m Mode) ReadOnly() bool { return m == DryRun }
