package inspect

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// remade returns the id of the machine that has the name of a Node whose own machine is missing, and what to do about that: the
// machine was made again. Both are "" where err is another one, or no machine has the name.
func (i *Inspector) remade(ctx context.Context, node *corev1.Node, err error) (now, advice string) {
	if _, missing := errors.AsType[*instance.NotFoundError](err); !missing {
		return "", ""
	}
	again := i.inventory.Remade(ctx, node)
	if again == nil {
		return "", ""
	}
	return string(again.Now), again.Error()
}
