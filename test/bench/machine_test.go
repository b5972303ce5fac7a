package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// proc writes a /proc: what was stolen, and the lines of processes, "number name parent begun used".
func proc(t *testing.T, stolen int, processes ...string) *machineUse {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("stat", fmt.Sprintf("cpu  1 2 3 4 5 6 7 %d 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n", stolen))
	for _, line := range processes {
		var id, name, parent, begun string
		var used int
		if _, err := fmt.Sscan(line, &id, &name, &parent, &begun, &used); err != nil {
			t.Fatal(err)
		}
		write(id+"/stat", fmt.Sprintf("%s (%s) S %s 0 0 0 0 0 0 0 0 0 %d 1 2 3 20 0 1 0 %s 0 0\n", id, name, parent, used, begun))
	}
	return useOf(root)
}

// What this program, what began it, what it began and the kernel take is no use by others.
func TestWhatOthersTake(t *testing.T) {
	before := []string{"1 init 0 1 10", "2 kthreadd 0 1 10", "3 kworker 2 1 10", "50 make 1 5 10", "51 bench 50 6 10", "60 a)_b( 1 7 100", "61 gone 1 7 100", "62 again 1 7 100"}
	for name, tt := range map[string]struct {
		stolen int
		after  []string
		want   time.Duration
	}{
		"nobody":                        {5, before, 0},
		"ours":                          {5, []string{"1 init 0 1 90", "2 kthreadd 0 1 90", "3 kworker 2 1 90", "50 make 1 5 90", "51 bench 50 6 90", "52 etcd 51 8 90", "53 its 52 8 90"}, 0},
		"another virtual machine":       {25, before, 200 * time.Millisecond},
		"a program that was there":      {5, append(before[:5:5], "60 a)_b( 1 7 140"), 400 * time.Millisecond},
		"one that has begun":            {5, append(before[:5:5], "70 new 1 9 14"), 200 * time.Millisecond}, // with 6 of its own and its children
		"another with an old number":    {5, append(before[:5:5], "62 other 1 9 4"), 100 * time.Millisecond},
		"a child of one that was there": {5, append(before[:6:6], "71 child 60 9 4"), 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			if got := proc(t, tt.stolen, tt.after...).takenSince(proc(t, 5, before...), 51); got != tt.want {
				t.Errorf("others took %v, want %v", got, tt.want)
			}
		})
	}
	if unknown := useOf(t.TempDir()); unknown != nil || unknown.takenSince(proc(t, 0), 1) != 0 || proc(t, 0).takenSince(unknown, 1) != 0 {
		t.Error("a machine that does not tell has been used")
	}
}
