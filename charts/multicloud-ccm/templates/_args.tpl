{{/* Flags. What has a value is in files/flags.yaml. */}}

{{/* Which cloud, as a list. */}}
{{- define "multicloud-ccm.cloudArgs" -}}
{{- $args := list (printf "--cloud-provider=%s" .Values.provider) }}
{{- range (include "multicloud-ccm.credentials" . | fromJson).items }}
{{- if not .env }}{{ $args = append $args (printf "--cloud-config=%s/%s" (include "multicloud-ccm.credentialsPath" $) .name) }}{{ end }}
{{- end }}
{{- with (include "multicloud-ccm.inventory" . | fromJson).key }}
{{- $args = append $args (printf "--cloud-config=%s/%s" (include "multicloud-ccm.inventoryPath" $) .) }}
{{- end }}
{{- toJson $args }}
{{- end }}

{{/* The flags of the command doctor. */}}
{{- define "multicloud-ccm.doctorArgs" -}}
{{- $args := concat (list "doctor") (include "multicloud-ccm.cloudArgs" . | fromJsonArray) }}
{{- with .Values.leaderElection }}
{{- $args = append $args (printf "--leader-elect-resource-namespace=%s" .resourceNamespace) }}
{{- $args = append $args (printf "--leader-elect-resource-name=%s" .resourceName) }}
{{- end }}
{{- range $args }}
- {{ quote . }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.args" -}}
{{- $args := include "multicloud-ccm.cloudArgs" . | fromJsonArray }}
{{- $args = append $args (printf "--controllers=%s" (join "," (include "multicloud-ccm.controllers" . | fromJson).list)) }}
{{- $args = append $args (printf "--configure-cloud-routes=%t" .Values.controllers.route.enabled) }}
{{- if eq .Values.safety.mode "dry-run" }}
{{- $args = concat $args (list "--dry-run=true" "--leader-elect=false") }}
{{- else }}
{{- $args = append $args "--leader-elect=true" }}
{{- end }}
{{- $args = append $args "--webhook-secure-port=0" }}
{{- if .Values.metrics.unauthenticated }}
{{- $args = append $args "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics" }}
{{- end }}
{{- range .Files.Get "files/flags.yaml" | fromYamlArray }}
{{- if .value }}
{{- $given := include "multicloud-ccm.get" (dict "values" $.Values "path" .value) | fromJson }}
{{- $text := include "multicloud-ccm.text" $given.v }}
{{- if and (or $text (and .empty $given.there)) (or .always (ne $text (default "" .default))) }}
{{- $args = append $args (printf "--%s=%s" .flag $text) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.extraArgs }}
{{- if kindIs "slice" $value }}
{{- range $value }}{{ $args = append $args (printf "--%s=%s" $name (include "multicloud-ccm.text" .)) }}{{ end }}
{{- else if not (kindIs "invalid" $value) }}
{{- $args = append $args (printf "--%s=%s" $name (include "multicloud-ccm.text" $value)) }}
{{- end }}
{{- end }}
{{- range $args }}
- {{ quote . }}
{{- end }}
{{- end }}

{{/* {mode, port} of the API server, auto resolved. */}}
{{- define "multicloud-ccm.apiServer" -}}
{{- $platform := include "multicloud-ccm.platform" . | fromJson }}
{{- $mode := .Values.apiServer.mode }}
{{- if eq $mode "auto" }}
{{- $near := and .Values.hostNetwork (or .Values.controlPlane.required $platform.everywhere) }}
{{- $mode = ternary $platform.apiServer "service" (and $near $platform.apiServer | empty | not) }}
{{- end }}
{{- $port := .Values.apiServer.port | default $platform.port | default 6443 }}
{{- dict "mode" $mode "port" (int64 $port | toString) | toJson }}
{{- end }}

{{- define "multicloud-ccm.apiServerEnv" -}}
{{- $api := include "multicloud-ccm.apiServer" . | fromJson }}
{{- if ne $api.mode "service" }}
- name: KUBERNETES_SERVICE_HOST
{{- if eq $api.mode "node" }}
  valueFrom:
    fieldRef:
      fieldPath: status.hostIP
{{- else if eq $api.mode "localhost" }}
  value: "127.0.0.1"
{{- else }}
  value: {{ .Values.apiServer.host | quote }}
{{- end }}
- name: KUBERNETES_SERVICE_PORT
  value: {{ $api.port | quote }}
{{- end }}
{{- end }}
