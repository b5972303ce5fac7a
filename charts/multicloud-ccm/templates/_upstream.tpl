{{/* What to use instead of the values of upstream charts and manifests, see files/upstream.yaml. */}}

{{/*
Says of .path, which is no value of this chart and has the value .v, what to use instead: a list of texts, one for each
key below it that is known. It is empty where none is.
*/}}
{{- define "multicloud-ccm.upstream" -}}
{{- $of := .root.Files.Get "files/upstream.yaml" | fromYaml }}
{{- $keys := deepCopy (get $of.keys (toString .root.Values.provider) | default dict) }}
{{- range $name := keys $of.keys | sortAlpha }}{{ $keys = merge $keys (get $of.keys $name) }}{{ end }}
{{- include "multicloud-ccm.upstreamBelow" (dict "path" .path "v" .v "keys" $keys "of" $of) }}
{{- end }}

{{- define "multicloud-ccm.upstreamBelow" -}}
{{- $c := . }}
{{- $texts := list }}
{{- $env := get .of.env .path | default (get .keys (printf "env.%s" .path)) }}
{{- if has .path (list "args" "command" "controllerExtraArgs") }}
{{- range $flag := include "multicloud-ccm.flagsIn" .v | fromJsonArray }}
{{- $texts = append $texts (printf "%s.%s is not a value of this chart: %s" $c.path $flag (get $c.of.flags $flag | default (printf "use extraArgs.%s" $flag))) }}
{{- end }}
{{- else if eq .path "env" }}
{{- range $variable := include "multicloud-ccm.variablesIn" .v | fromJsonArray }}
{{- $hint := get $c.keys (printf "env.%s" $variable) | default (get $c.of.env $variable) | default "use extraEnv, a list" }}
{{- $texts = append $texts (printf "env.%s is not a value of this chart: %s" $variable $hint) }}
{{- end }}
{{- end }}
{{- if and (kindIs "map" .v) (not $texts) }}
{{- $unknown := list }}
{{- range $name := keys .v | sortAlpha }}
{{- $path := printf "%s.%s" $c.path $name }}
{{- with include "multicloud-ccm.upstreamBelow" (dict "path" $path "v" (get $c.v $name) "keys" $c.keys "of" $c.of) | fromJsonArray }}
{{- $texts = concat $texts . }}
{{- else }}
{{- $unknown = append $unknown (printf "%s is not a value of this chart: `helm show values` lists those there are" $path) }}
{{- end }}
{{- end }}
{{- if $texts }}{{ $texts = concat $texts $unknown }}{{ end }}
{{- end }}
{{- $own := get .keys .path | default $env }}
{{- if and $own (not $texts) }}{{ $texts = list (printf "%s is not a value of this chart: %s" .path $own) }}{{ end }}
{{- toJson $texts }}
{{- end }}

{{/* The names of the flags in args: a map, a list or a text. */}}
{{- define "multicloud-ccm.flagsIn" -}}
{{- $flags := list }}
{{- if kindIs "map" . }}
{{- $flags = keys . | sortAlpha }}
{{- else }}
{{- range regexFindAll "--[a-z0-9-]+" (toJson .) -1 }}{{ $flags = append $flags (trimPrefix "--" .) }}{{ end }}
{{- end }}
{{- toJson $flags }}
{{- end }}

{{/* The names of the variables in env: a map, or a list as Kubernetes has it. */}}
{{- define "multicloud-ccm.variablesIn" -}}
{{- $names := list }}
{{- if kindIs "map" . }}
{{- $names = keys . | sortAlpha }}
{{- else if kindIs "slice" . }}
{{- range . }}{{ if kindIs "map" . }}{{ $names = append $names (get . "name" | toString) }}{{ end }}{{ end }}
{{- end }}
{{- toJson $names }}
{{- end }}
