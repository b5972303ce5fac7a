package names

import "testing"

// TestDefault compares with what upstream gives.
func TestDefault(t *testing.T) {
	if got := Default("12345678-1234-1234-1234-123456789abc"); got != "a12345678123412341234123456789ab" {
		t.Error(got)
	}
}
