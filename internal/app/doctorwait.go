package app

import (
	"fmt"
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
func (e *examination) waited(cmd *cobra.Command, args []string, report doctor.Report) (doctor.Report, error) {
	end, told := time.Now().Add(e.wait), ""
	for report.Failed() {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		first := "no check can be made"
		for n := range report {
			if report[n].Level == doctor.Failure {
				first = report[n].ID
				break
			}
		}
		if first != told {
			fmt.Fprintf(cmd.ErrOrStderr(), "Waiting, for %s at most: %s\n", e.wait, first)
			told = first
		}
		select {
		case <-cmd.Context().Done():
			return report, nil
		case <-time.After(min(pause, left)):
		}
		var err error
		if report, err = look(cmd, args); err != nil {
			return nil, err
		}
	}
	return report, nil
}
