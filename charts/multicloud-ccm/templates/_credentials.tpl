{{/* Credentials: which Secret, which keys, and how the program finds them. */}}

{{- define "multicloud-ccm.credentialsPath" -}}
/etc/multicloud-ccm/credentials
{{- end }}

{{/*
{"items": [{name, env, key, secret: the Secret that has the key}], "inline": {key: value},
"secret": the existing Secret, "" when no item is in it, "exposed": whether inline has a secret}.
Inline values make a Secret of our own, and come before a key of the existing one.
*/}}
{{- define "multicloud-ccm.credentials" -}}
{{- $given := get (get .Values .Values.provider | default dict) "credentials" | default dict }}
{{- $own := printf "%s-credentials" (include "multicloud-ccm.fullname" .) }}
{{- $existing := default "" $given.existingSecret }}
{{- $inline := dict }}
{{- $items := list }}
{{- $used := "" }}
{{- $exposed := false }}
{{- range get (include "multicloud-ccm.provider" . | fromJson) "credentials" | default list }}
{{- $value := get (default dict $given.inline) .name }}
{{- $key := get (default dict $given.keys) .name }}
{{- if $value }}
{{- $_ := set $inline .key $value }}
{{- $items = append $items (merge (dict "secret" $own) .) }}
{{- $exposed = or $exposed (not .public) }}
{{- else if and $key $existing }}
{{- $items = append $items (merge (dict "secret" $existing "key" $key) .) }}
{{- $used = $existing }}
{{- end }}
{{- end }}
{{- dict "items" $items "inline" $inline "secret" $used "exposed" $exposed | toJson }}
{{- end }}

{{/* Items by their Secret. One source each, so that all keys of a Secret are of the same moment. */}}
{{- define "multicloud-ccm.bySecret" -}}
{{- $by := dict }}
{{- range . }}{{ $_ := set $by .secret (append (get $by .secret | default list) .) }}{{ end }}
{{- toJson $by }}
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
