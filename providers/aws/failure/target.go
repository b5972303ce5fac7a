package failure

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/smithy-go"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// OfTargets returns the error of a request that was refused for targets. Asked are the machines by what the request calls them,
// the id of an instance or an address. The answer names some of them or none.
func OfTargets(err error, asked map[string]cloud.InstanceID) *cloud.TargetsRefused {
	refused := &cloud.TargetsRefused{Asked: slices.AppendSeq([]cloud.InstanceID{}, maps.Values(asked)), Text: said(err), Err: err}
	words := strings.FieldsFunc(refused.Text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-.:", r)
	})
	for _, word := range words {
		if machine, is := asked[strings.Trim(word, ".:")]; is {
			refused.Named = append(refused.Named, machine)
		}
	}
	slices.Sort(refused.Asked)
	slices.Sort(refused.Named)
	refused.Asked, refused.Named = slices.Compact(refused.Asked), slices.Compact(refused.Named)
	return refused
}

// said is what the API says of an error, without the request it was the answer to.
func said(err error) string {
	if answer, ok := errors.AsType[smithy.APIError](err); ok && answer.ErrorMessage() != "" {
		return answer.ErrorMessage()
	}
	return err.Error()
}
