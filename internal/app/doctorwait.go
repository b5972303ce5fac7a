package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
)

const (
	// defaultWait is --wait without a time.
	defaultWait = "2m"
	// pause is the time between two looks of --wait. A look costs the cloud some lists.
	pause = 5 * time.Second
)

// waited looks again until there is no failure or the time of --wait is over, and returns the last report. What is to be mended
// first is told when it changes.
func (e *examination) waited(cmd *cobra.Command, args []string, report doctor.Report) doctor.Report {
	end, told := time.Now().Add(e.wait), ""
	for report.Failed() {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		if first := firstFailure(report); first != told {
			fmt.Fprintf(cmd.ErrOrStderr(), "Waiting, for %s more: %s\n", left.Round(time.Second), first)
			told = first
		}
		select {
		case <-cmd.Context().Done():
			return report
		case <-time.After(min(pause, left)):
		}
		report = look(cmd, args)
	}
	return report
}

// firstFailure is the id of the check that is to be mended first.
func firstFailure(report doctor.Report) string {
	at := slices.IndexFunc(report, func(result doctor.Result) bool { return result.Level == doctor.Failure })
	if at < 0 {
		return "no check can be made"
	}
	return report[at].ID
}
