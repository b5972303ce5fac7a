package api

// ForCreation leaves out what has its default: a field of no value is only sent to take one away.
func ForCreation(fields map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range fields {
		switch v := value.(type) {
		case nil:
			continue
		case string:
			if v == "" {
				continue
			}
		case []string:
			if len(v) == 0 {
				continue
			}
		case map[string]string:
			if len(v) == 0 {
				continue
			}
		}
		body[name] = value
	}
	return body
}

// Chosen returns some of the fields.
func Chosen(fields map[string]any, names []string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		some[name] = fields[name]
	}
	return some
}
