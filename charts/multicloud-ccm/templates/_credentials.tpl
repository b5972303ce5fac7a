{{/* Credentials: which Secret, which keys, and how the program finds them. */}}

{{- define "multicloud-ccm.credentialsPath" -}}
/etc/multicloud-ccm/credentials
{{- end }}

{{/*
{"secret": name, "inline": {key: value}, "items": [{name, env, key}]}; secret is "" when there
are no credentials. Inline values make a Secret of our own.
*/}}
{{- define "multicloud-ccm.credentials" -}}
{{- $block := get .Values .Values.provider | default dict }}
{{- $given := get $block "credentials" | default dict }}
{{- $inline := dict }}
{{- $items := list }}
{{- range get (include "multicloud-ccm.provider" . | fromJson) "credentials" | default list }}
{{- $value := get (default dict $given.inline) .name }}
{{- if $value }}{{ $_ := set $inline .key $value }}{{ $items = append $items . }}{{ end }}
{{- end }}
{{- $secret := printf "%s-credentials" (include "multicloud-ccm.fullname" .) }}
{{- if not $inline }}
{{- $secret = default "" $given.existingSecret }}
{{- range get (include "multicloud-ccm.provider" . | fromJson) "credentials" | default list }}
{{- $key := get (default dict $given.keys) .name }}
{{- if $key }}{{ $items = append $items (merge (dict "key" $key) .) }}{{ end }}
{{- end }}
{{- end }}
{{- if not $items }}{{ $secret = "" }}{{ end }}
{{- if not $secret }}{{ $items = list }}{{ end }}
{{- dict "secret" $secret "inline" $inline "items" $items | toJson }}
{{- end }}

{{/* Environment variables of the provider's settings and of its credentials' files. */}}
{{- define "multicloud-ccm.providerEnv" -}}
{{- $block := get .Values .Values.provider | default dict }}
{{- range (include "multicloud-ccm.credentials" . | fromJson).items }}
{{- if .env }}
- name: {{ .env }}_FILE
  value: {{ include "multicloud-ccm.credentialsPath" $ }}/{{ .name }}
{{- end }}
{{- end }}
{{- range get (include "multicloud-ccm.provider" . | fromJson) "settings" | default list }}
{{- $text := include "multicloud-ccm.text" (include "multicloud-ccm.get" (dict "values" $block "path" .value) | fromJson).v }}
{{- if and $text (ne $text .default) }}
- name: {{ .env }}
  value: {{ $text | quote }}
{{- end }}
{{- end }}
{{- end }}
