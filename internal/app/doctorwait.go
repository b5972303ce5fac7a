package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
)

const (
	// defaultWait is --wait without a time.
	defaultWait = "2m"
	// pause is the time between two looks of --wait. A look costs the cloud some lists.
	pause = 5 * time.Second
)

// waited looks again until there is no failure or the time of --wait is over, and returns the last report. What is waited for is
// told when it changes.
func (e *examination) waited(cmd *cobra.Command, report doctor.Report, look func() doctor.Report) doctor.Report {
	end, told := time.Now().Add(e.wait), ""
	for report.Failed() {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		if now := awaited(report); now != told {
			fmt.Fprintf(cmd.ErrOrStderr(), "Waiting, for %s more: %s.\n", left.Round(time.Second), now)
			told = now
		}
		select {
		case <-cmd.Context().Done():
			return report
		case <-time.After(min(pause, left)):
		}
		report = look()
	}
	return report
}

// awaited says what has to change.
func awaited(report doctor.Report) string {
	var failed []string
	for _, result := range report {
		if result.Level == doctor.Failure {
			failed = append(failed, result.ID)
		}
	}
	if len(failed) == 0 {
		return "no check can be made"
	}
	return strings.Join(failed, ", ")
}

// give sets the flags that were given to another set of the same ones.
func give(to, given *pflag.FlagSet) {
	given.Visit(func(f *pflag.Flag) {
		flag := to.Lookup(f.Name)
		if flag == nil {
			return
		}
		if list, is := f.Value.(pflag.SliceValue); is {
			_ = flag.Value.(pflag.SliceValue).Replace(list.GetSlice())
			flag.Changed = true
			return
		}
		_ = to.Set(f.Name, f.Value.String()) // it was read before
	})
}
