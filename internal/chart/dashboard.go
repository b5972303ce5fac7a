package chart

import (
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Places on Grafana's grid, which is 24 wide. The values at the top share the first row.
const (
	gridWidth   = 24
	statHeight  = 4
	panelWidth  = 12
	panelHeight = 8
)

// object is one of Grafana's JSON model.
type object = map[string]any

// source is a variable, because the name of the data source differs everywhere.
var source = object{"type": "prometheus", "uid": "${datasource}"}

// dashboard returns Grafana's JSON model.
func dashboard() object {
	var panels []object
	stats := len(now())
	for i, p := range Panels() {
		panel := p.model()
		panel["id"] = i + 1
		if p.Stat {
			x := i * gridWidth / stats
			panel["gridPos"] = grid(x, 0, (i+1)*gridWidth/stats-x, statHeight)
		} else {
			panel["gridPos"] = grid((i-stats)%2*panelWidth, statHeight+(i-stats)/2*panelHeight, panelWidth, panelHeight)
		}
		panels = append(panels, panel)
	}
	return object{
		"title": "multicloud-ccm", "uid": "multicloud-ccm", "schemaVersion": 39, "editable": true,
		"description": "Nodes, load balancers and the cloud's API, as the cloud controller manager sees them.",
		"tags":        []string{"kubernetes", "multicloud-ccm"}, "refresh": "1m",
		"time":        object{"from": "now-6h", "to": "now"},
		"templating":  object{"list": variables()},
		"annotations": object{"list": []any{}},
		"panels":      panels,
	}
}

func grid(x, y, w, h int) map[string]int { return map[string]int{"x": x, "y": y, "w": w, "h": h} }

// model is the panel without its place.
func (p Panel) model() object {
	target := object{"refId": "A", "expr": p.Expr, "legendFormat": p.Legend, "datasource": source}
	defaults := object{"unit": p.Unit, "min": 0}
	panel := object{
		"type": "timeseries", "title": p.Title, "description": p.Doc, "datasource": source,
		"fieldConfig": object{"defaults": defaults, "overrides": []any{}}, "targets": []object{target},
	}
	if !p.Stat {
		return panel
	}
	target["instant"] = true
	panel["type"] = "stat"
	panel["options"] = object{
		"colorMode": "background", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "auto",
		"wideLayout": true, "showPercentChange": false, "percentChangeColorMode": "standard",
		"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
	}
	steps := []object{{"color": "green", "value": nil}}
	if p.Bad > 0 {
		steps = append(steps, object{"color": "red", "value": p.Bad})
	}
	defaults["thresholds"] = object{"mode": "absolute", "steps": steps}
	if len(p.States) > 0 {
		defaults["mappings"] = []object{p.mapping()}
	}
	return panel
}

// mapping is what values of the panel mean.
func (p Panel) mapping() object {
	options := object{}
	for i, s := range p.States {
		options[strconv.Itoa(s.Value)] = object{"text": s.Text, "color": s.Colour, "index": i}
	}
	return object{"type": "value", "options": options}
}

// variables are what the reader chooses at the top. All of them also holds for series that lack the label, as where Prometheus sees one cluster.
func variables() []object {
	list := []object{{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"}}
	among := ""
	for _, v := range []struct{ name, label, matcher string }{
		{"cluster", "Cluster", ofCluster}, {"namespace", "Namespace of the program", ofProgram}, {"cloud", "Cloud", ofCloud},
	} {
		list = append(list, object{
			"name": v.name, "label": v.label, "type": "query", "datasource": source,
			"query":   object{"query": "label_values(" + metric.CloudState.Name + "{" + among + "}, " + v.name + ")", "refId": v.name},
			"refresh": 2, "sort": 1, "multi": true, "includeAll": true, "allValue": ".*",
			"current": object{"text": []string{"All"}, "value": []string{"$__all"}, "selected": true},
		})
		among = v.matcher
	}
	return list
}
