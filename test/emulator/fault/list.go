package fault

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Cut shortens the first-level lists of a JSON object to l.Keep elements, and in Google's
// aggregated lists those of each zone or region. A body without a list is returned as it is.
func (l List) Cut(body []byte) ([]byte, error) {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("fault: the answer is no JSON object: %w", err)
	}
	total, cut := 0, false
	for name, raw := range answer {
		if strings.HasSuffix(name, linksSuffix) {
			continue
		}
		if scopes, ok := l.cutScopes(name, raw); ok {
			cut = true
			answer[name] = scopes
			continue
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || list == nil {
			continue
		}
		list = list[:min(l.Keep, len(list))]
		total, cut = len(list), true
		answer[name] = encode(list)
	}
	if !cut {
		return body, nil
	}
	if l.Consistent {
		claimComplete(answer, total)
	}
	return encode(answer), nil
}

// cutScopes cuts the lists of an aggregated list: {"items": {"zones/z": {"instances": [...]}}}.
func (l List) cutScopes(name string, raw json.RawMessage) (json.RawMessage, bool) {
	var scopes map[string]map[string]json.RawMessage
	if name != "items" || json.Unmarshal(raw, &scopes) != nil || scopes == nil {
		return nil, false
	}
	for _, scope := range scopes {
		for kind, raw := range scope {
			var list []json.RawMessage
			if json.Unmarshal(raw, &list) == nil && list != nil {
				scope[kind] = encode(list[:min(l.Keep, len(list))])
			}
		}
	}
	return encode(scopes), true
}

// linksSuffix ends the name of the list that leads to OpenStack's next page, as in servers_links.
const linksSuffix = "_links"

// claimComplete rewrites what vendors say about paging: DigitalOcean's links
// and meta.total, Hetzner's meta.pagination, OpenStack's lists of links, Google's nextPageToken, sim's next.
func claimComplete(answer map[string]json.RawMessage, total int) {
	maps.DeleteFunc(answer, func(name string, _ json.RawMessage) bool { return strings.HasSuffix(name, linksSuffix) })
	delete(answer, "nextPageToken")
	if _, ok := answer["next"]; ok {
		answer["next"] = json.RawMessage(`""`)
	}
	if _, ok := answer["links"]; ok {
		answer["links"] = json.RawMessage("{}")
	}
	var meta map[string]any
	if json.Unmarshal(answer["meta"], &meta) != nil || meta == nil {
		return
	}
	fields := meta
	if inner, ok := meta["pagination"].(map[string]any); ok {
		fields = inner
		fields["next_page"], fields["last_page"] = nil, fields["page"]
		fields["total_entries"] = total
	} else {
		fields["total"] = total
	}
	answer["meta"] = encode(meta)
}

// encode can't fail: its values came out of a JSON decoder.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fault: encoding decoded JSON: %v", err))
	}
	return data
}
