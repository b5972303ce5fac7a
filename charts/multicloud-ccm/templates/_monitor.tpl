{{/* What a ServiceMonitor's and a PodMonitor's endpoint have in common, from a dict of root and of, their values. */}}
{{- define "multicloud-ccm.endpoint" -}}
- port: https
  path: /metrics
  scheme: https
  {{- with .of.interval }}
  interval: {{ . }}
  {{- end }}
  {{- with .of.scrapeTimeout }}
  scrapeTimeout: {{ . }}
  {{- end }}
  # The certificate is made at start and nobody signs it.
  tlsConfig:
    insecureSkipVerify: true
  {{- if .of.authorization }}
  authorization:
    {{- toYaml .of.authorization | nindent 4 }}
  {{- else if not .root.Values.metrics.unauthenticated }}
  authorization:
    type: Bearer
    credentials:
      name: {{ include "multicloud-ccm.fullname" .root }}-metrics
      key: token
  {{- end }}
  {{- with .of.relabelings }}
  relabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .of.metricRelabelings }}
  metricRelabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Where that account is: the Prometheus operator takes its token from the namespace of the monitor. */}}
{{- define "multicloud-ccm.monitorNamespace" -}}
{{- $m := .Values.metrics }}
{{- $of := ternary $m.serviceMonitor $m.podMonitor $m.serviceMonitor.enabled }}
{{- default (include "multicloud-ccm.namespace" .) $of.namespace }}
{{- end }}

{{/* Says "true" where a monitor needs the account that reads metrics. Without roles there is none. */}}
{{- define "multicloud-ccm.metricsReader" -}}
{{- $m := .Values.metrics }}
{{- range list $m.serviceMonitor $m.podMonitor }}
{{- if and $.Values.rbac.create .enabled (not .authorization) (not $m.unauthenticated) }}true{{ end }}
{{- end }}
{{- end }}
