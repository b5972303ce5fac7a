{{/*
The file that says which machines there are, where no cloud does. The program reads it again when it changes: it is
a volume of a ConfigMap, none of whose mounts is a subPath, and no annotation of the Pods changes with it.
*/}}

{{- define "multicloud-ccm.inventoryPath" -}}
/etc/multicloud-ccm/inventory
{{- end }}

{{/* {"key": the file's name, "file": its content}, {} where there is none. */}}
{{- define "multicloud-ccm.inventory" -}}
{{- $all := dict }}
{{- with get (include "multicloud-ccm.provider" . | fromJson) "inventory" }}
{{- $given := get (get $.Values $.Values.provider | default dict) .value }}
{{- if $given }}
{{- $all = dict "key" .key "file" (merge (deepCopy $given) .head) }}
{{- end }}
{{- end }}
{{- toJson $all }}
{{- end }}

{{/* The inventory of another provider would be left out without a word. */}}
{{- define "multicloud-ccm.problemsOfInventory" -}}
{{- $p := list }}
{{- if include "multicloud-ccm.provider" . | fromJson }}
{{- range $name, $provider := include "multicloud-ccm.providers" . | fromJson }}
{{- with $provider.inventory }}
{{- if and (ne $name $.Values.provider) (get (get $.Values $name | default dict) .value) }}
{{- $p = append $p (printf "%s.%s is set and provider is %q: set provider to %s, or leave the %s out" $name .value $.Values.provider $name .value) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* Compares a record, the value .v at .path, with .f, and appends to .problems.list. */}}
{{- define "multicloud-ccm.shapeOfRecord" -}}
{{- $c := . }}
{{- if not (kindIs "map" .v) }}
{{- include "multicloud-ccm.problem" (dict "problems" .problems "text" (printf "%s is %s: use a map of %s" .path (toJson .v | trunc 80) (keys .f.fields | sortAlpha | join ", "))) }}
{{- else }}
{{- range $name := keys .v | sortAlpha }}
{{- $v := get $c.v $name }}
{{- $f := get $c.f.fields $name }}
{{- $path := printf "%s.%s" $c.path $name }}
{{- if not $f }}
{{- include "multicloud-ccm.problem" (dict "problems" $c.problems "text" (include "multicloud-ccm.noSuchValue" (dict "name" $name "fields" $c.f.fields "prefix" (printf "%s." $c.path)))) }}
{{- else if kindIs "invalid" $v }}
{{- else if and (eq $f.type "records") (kindIs "slice" $v) }}
{{- range $i, $one := $v }}
{{- include "multicloud-ccm.shapeOfRecord" (dict "v" $one "f" $f "path" (printf "%s[%d]" $path $i) "problems" $c.problems) }}
{{- end }}
{{- else }}
{{- with include "multicloud-ccm.unfit" (dict "v" $v "f" $f) }}
{{- include "multicloud-ccm.problem" (dict "problems" $c.problems "text" (printf "%s is %s: use %s" $path (toJson $v | trunc 80) .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .f.oneOf }}
{{- $given := list }}
{{- range . }}{{ if get $c.v . }}{{ $given = append $given . }}{{ end }}{{ end }}
{{- if ne (len $given) 1 }}
{{- include "multicloud-ccm.problem" (dict "problems" $c.problems "text" (printf "%s has %s: use exactly one of %s" $c.path (join " and " $given | default (printf "no %s" (first .))) (join ", " .))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
