package batch

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// What panics while a batch is answered, such as a pure method of a driver, ends neither the process nor the next batch.
func TestPanicIsTheAnswer(t *testing.T) {
	turn, bug := make(chan struct{}, 1), true
	b := Batcher[string, int]{Turn: turn, Rejoin: true, Answer: func(_ context.Context, batch map[string]*Question[int]) {
		if bug {
			panic("a bug")
		}
		for _, q := range batch {
			q.Settle(7, nil)
		}
	}}
	_, err := b.Ask(t.Context(), "a")
	if panicked, ok := errors.AsType[*run.Panic](err); !ok || !strings.Contains(panicked.Error(), "a bug") {
		t.Errorf("error %v", err)
	}
	turn <- struct{}{} // it was given back
	bug = false
	<-turn
	if got, err := b.Ask(t.Context(), "a"); got != 7 || err != nil {
		t.Errorf("the next batch: %d, %v", got, err)
	}
}

func TestQuestionsThatNobodyAnswers(t *testing.T) {
	b := Batcher[string, int]{Answer: func(context.Context, map[string]*Question[int]) {}}
	if _, err := b.Ask(t.Context(), "a"); !errors.Is(err, errUnanswered) {
		t.Errorf("error %v", err)
	}
}
