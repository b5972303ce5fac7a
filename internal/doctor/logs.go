package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// mostLog bounds the lines of one log.
	mostLog = int64(2000)
	// logLimit bounds the time of one log, allLogs that of all.
	logLimit, allLogs = 15 * time.Second, time.Minute
)

const logsIntroduction = `The ends of the logs of the controller manager's containers, %d lines of each at most. The one that
ended last is in the file whose name ends in -previous.

`

// logs are the ends of the logs of the controller manager's containers, the last that ended included,
// and a file that says which there are not, and why.
func (f *facts) logs(ctx context.Context) map[string]any {
	ctx, cancel := context.WithTimeoutCause(ctx, allLogs, fmt.Errorf("all logs together took longer than %s", allLogs))
	defer cancel()
	found := map[string]any{}
	said := f.readLogs(ctx, found)
	found["logs/README.txt"] = fmt.Sprintf(logsIntroduction, mostLog) + strings.Join(said, "\n") + "\n"
	return found
}

// readLogs adds the logs that can be read, and returns a line for each, or why there is none.
func (f *facts) readLogs(ctx context.Context, found map[string]any) []string {
	switch {
	case f.pods.err != nil:
		return []string{"No log is here: " + f.pods.err.Error()}
	case len(f.pods.value) == 0:
		return []string{"No log is here: the controller manager has no Pod."}
	}
	if err := newReader(f.Client).may(ctx, right{"get", "", "pods/log", f.pods.value[0].Namespace, ""}); err != nil {
		return []string{"No log is here: " + err.Error()}
	}
	var said []string
	for n := range f.pods.value {
		pod := &f.pods.value[n]
		for _, c := range pod.Spec.Containers {
			for _, previous := range []bool{false, true} {
				said = append(said, f.readLog(ctx, pod, c.Name, previous, found))
			}
		}
	}
	return said
}

func (f *facts) readLog(ctx context.Context, pod *corev1.Pod, container string, previous bool, found map[string]any) string {
	name := pod.Name + "-" + container
	if previous {
		name += "-previous"
		if !ended(pod, container) {
			return name + ": none, the container was not started again"
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, logLimit, fmt.Errorf("no answer within %s", logLimit))
	defer cancel()
	most := mostLog
	log, err := f.Client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: container, Previous: previous, TailLines: &most}).DoRaw(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return fmt.Sprintf("%s: missing, %v", name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	found["logs/"+name+".txt"] = string(log)
	return fmt.Sprintf("%s: %d bytes", name, len(log))
}

// ended reports whether the container has run before, so that there may be a log of that.
func ended(pod *corev1.Pod, container string) bool {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == container {
			return status.RestartCount > 0 || status.LastTerminationState.Terminated != nil
		}
	}
	return false
}
