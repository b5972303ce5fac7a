{{/* The types of values, see files/shape.yaml. */}}

{{/*
Compares the values .at, a map, with .fields, and appends to .problems.list. A value that is
missing or wrong becomes the default. A list or a map that is missing in a group that is there
becomes empty: null has removed it, which is how a default such as resources is dropped.
*/}}
{{- define "multicloud-ccm.shape" -}}
{{- $c := . }}
{{- range $name := keys .at | sortAlpha }}
{{- if not (hasKey $c.fields $name) }}
{{- $texts := include "multicloud-ccm.upstream" (dict "root" $c.root "path" (printf "%s%s" $c.prefix $name) "v" (get $c.at $name)) | fromJsonArray }}
{{- if not $texts }}{{ $texts = list (include "multicloud-ccm.noSuchValue" (dict "name" $name "fields" $c.fields "prefix" $c.prefix)) }}{{ end }}
{{- range $texts }}{{ include "multicloud-ccm.problem" (dict "problems" $c.problems "text" .) }}{{ end }}
{{- $_ := unset $c.at $name }}
{{- end }}
{{- end }}
{{- range $name, $f := .fields }}
{{- $path := printf "%s%s" $c.prefix $name }}
{{- $there := and (hasKey $c.at $name) (not (kindIs "invalid" (get $c.at $name))) }}
{{- $v := get $c.at $name }}
{{- if and $f.fields (not $f.type) }}
{{- if and $there (not (kindIs "map" $v)) }}
{{- include "multicloud-ccm.problem" (dict "problems" $c.problems "text" (printf "%s is %s: use a map of %s" $path (toJson $v | trunc 80) (keys $f.fields | sortAlpha | join ", "))) }}
{{- end }}
{{- if not (and $there (kindIs "map" $v)) }}{{ $_ := set $c.at $name dict }}{{ end }}
{{- include "multicloud-ccm.shape" (dict "at" (get $c.at $name) "fields" $f.fields "prefix" (printf "%s." $path) "problems" $c.problems "root" $c.root "absent" (not (and $there (kindIs "map" $v)))) }}
{{- else if not $there }}
{{- $_ := set $c.at $name (include "multicloud-ccm.instead" (dict "f" $f "null" (not $c.absent)) | fromJson).v }}
{{- else if eq $f.type "record" }}
{{- include "multicloud-ccm.shapeOfRecord" (dict "v" $v "f" $f "path" $path "problems" $c.problems) }}
{{- if not (kindIs "map" $v) }}{{ $_ := set $c.at $name dict }}{{ end }}
{{- else }}
{{- with include "multicloud-ccm.unfit" (dict "v" $v "f" $f) }}
{{- include "multicloud-ccm.problem" (dict "problems" $c.problems "text" (printf "%s is %s: use %s" $path (toJson $v | trunc 80) .)) }}
{{- $_ := set $c.at $name (include "multicloud-ccm.instead" (dict "f" $f) | fromJson).v }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Says of .name, which is none of .fields, which of them may be meant. */}}
{{- define "multicloud-ccm.noSuchValue" -}}
{{- $name := .name }}
{{- $near := list }}
{{- range $other := keys .fields | sortAlpha }}
{{- if or (hasPrefix (lower $name | trunc 4) (lower $other)) (contains (lower $name) (lower $other)) }}{{ $near = append $near $other }}{{ end }}
{{- end }}
{{- if not (or $near (eq .prefix "")) }}{{ $near = keys .fields | sortAlpha }}{{ end }}
{{- $hint := ternary "`helm show values` lists those there are" (printf "use %s" (join " or " $near)) (empty $near) }}
{{- if gt (len $near) 2 }}{{ $hint = printf "use one of %s" (join ", " $near) }}{{ end }}
{{- printf "%s%s is not a value of this chart: %s" .prefix $name $hint }}
{{- end }}

{{- define "multicloud-ccm.problem" -}}
{{- $_ := set .problems "list" (append .problems.list .text) }}
{{- end }}

{{/* {"v": what stands for a value that is missing or wrong}. */}}
{{- define "multicloud-ccm.instead" -}}
{{- $v := .f.default }}
{{- if has .f.type (list "list" "strings") }}{{ $v = ternary list (default list $v) (default false .null) }}
{{- else if has .f.type (list "map" "object" "record") }}{{ $v = ternary dict (default dict $v) (default false .null) }}
{{- else if and (kindIs "invalid" $v) (has .f.type (list "string" "duration" "count")) }}{{ $v = "" }}
{{- else if and (kindIs "invalid" $v) (eq .f.type "boolean") }}{{ $v = false }}
{{- else if kindIs "invalid" $v }}{{ $v = 0 }}
{{- end }}
{{- dict "v" $v | toJson }}
{{- end }}

{{/* What to use instead of the value .v, "" where it is of the type .f. */}}
{{- define "multicloud-ccm.unfit" -}}
{{- $f := .f }}
{{- $number := or (kindIs "float64" .v) (kindIs "int64" .v) (kindIs "int" .v) }}
{{- $range := "" }}
{{- if $f.most }}{{ $range = printf " from %v to %d" (default 0 $f.least) (int64 $f.most) }}{{ end }}
{{- $out := false }}
{{- if and $number $f.most }}{{ $out = or (lt (float64 .v) (float64 (default 0 $f.least))) (gt (float64 .v) (float64 $f.most)) }}{{ end }}
{{- if eq $f.type "string" }}
{{- if not (kindIs "string" .v) }}{{ if $f.choices }}one of {{ without $f.choices "" | join ", " }}{{ else }}a text, in quotes{{ end }}
{{- else if and $f.pattern (not (regexMatch $f.pattern .v)) }}{{ $f.want }}
{{- end }}
{{- else if eq $f.type "boolean" }}
{{- if not (kindIs "bool" .v) }}true or false, without quotes{{ end }}
{{- else if eq $f.type "integer" }}
{{- if or (not $number) $out }}a whole number{{ $range }}{{ if kindIs "string" .v }}, without quotes{{ end }}
{{- else if ne (floor .v) (float64 .v) }}a whole number{{ $range }}
{{- end }}
{{- else if eq $f.type "number" }}
{{- if or $out (not (or $number (and (kindIs "string" .v) (regexMatch "^(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$" .v)))) }}{{ default (printf "a number%s" $range) $f.want }}{{ end }}
{{- else if eq $f.type "duration" }}
{{- if not (and (kindIs "string" .v) (regexMatch "^([0-9]+([.][0-9]+)?(ms|s|m|h))*$" (toString .v))) }}{{ default (printf "a duration of at least 1ms, such as %s" (default "30s" $f.default)) $f.want }}{{ end }}
{{- else if eq $f.type "count" }}
{{- if not (or $number (kindIs "string" .v)) }}a number or a percentage such as 50%{{ end }}
{{- else if eq $f.type "strings" }}
{{- if not (kindIs "slice" .v) }}a list of texts
{{- else }}{{ $other := false }}{{ range .v }}{{ if not (kindIs "string" .) }}{{ $other = true }}{{ end }}{{ end }}{{ if $other }}a list of texts, each in quotes{{ end }}
{{- end }}
{{- else if has $f.type (list "list" "records") }}
{{- if not (kindIs "slice" .v) }}a list{{ end }}
{{- else if eq $f.type "map" }}
{{- if not (kindIs "map" .v) }}a map of texts
{{- else }}{{ $other := false }}{{ range .v }}{{ if not (or (kindIs "string" .) (kindIs "invalid" .)) }}{{ $other = true }}{{ end }}{{ end }}{{ if $other }}a map of texts, each in quotes{{ end }}
{{- end }}
{{- else if not (kindIs "map" .v) }}a map
{{- end }}
{{- end }}
