package run

// Mode says whether changes are made.
type Mode string

// Modes. DryRun prints what it would do and is run by hand; Shadow does the same for as long
// as another controller is in charge. In both, nothing is ever written to the cloud.
const (
	Live   Mode = "live"
	DryRun Mode = "dry-run"
	Shadow Mode = "shadow"
)

// ReadOnly reports whether the mode forbids writes; the zero Mode is Live.
func (m Mode) ReadOnly() bool { return m == DryRun || m == Shadow }
