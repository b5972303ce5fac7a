package balancer

import (
	"slices"
	"strings"
)

// lowerList and sortedList are lists as they are compared.
func lowerList(value string) (string, bool) { return sortedList(strings.ToLower(value)) }

func sortedList(value string) (string, bool) {
	list := items(value)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ","), true
}

func items(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(item string) bool { return item == "" })
}
