package controller

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/cloud-provider/names"
)

func TestEnabled(t *testing.T) {
	for values, want := range map[string][]string{
		"*":                               {CloudFirewall, names.CloudNodeController, names.CloudNodeLifecycleController, names.NodeRouteController, names.ServiceLBController},
		"*,tagging,-route,-cloud-node":    {CloudFirewall, names.CloudNodeLifecycleController, names.ServiceLBController, Tagging},
		"service":                         {names.ServiceLBController},
		"*,-service-lb-controller,-route": {CloudFirewall, names.CloudNodeController, names.CloudNodeLifecycleController},
		"":                                nil,
	} {
		var given []string
		if values != "" {
			given = strings.Split(values, ",")
		}
		enabled, err := Enabled(given)
		maps.DeleteFunc(enabled, func(_ string, on bool) bool { return !on })
		if got := slices.Sorted(maps.Keys(enabled)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", values, got, err, want)
		}
	}
	if _, err := Enabled([]string{"*", "-servcie"}); err == nil || !strings.Contains(err.Error(), `"-servcie" is no controller`) {
		t.Errorf("error %v", err)
	}
}
