{{/* What a ServiceMonitor's and a PodMonitor's endpoint have in common, from their values. */}}
{{- define "multicloud-ccm.endpoint" -}}
- port: https
  path: /metrics
  scheme: https
  {{- with .interval }}
  interval: {{ . }}
  {{- end }}
  # The certificate is made at start and nobody signs it.
  tlsConfig:
    insecureSkipVerify: true
  {{- with .relabelings }}
  relabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .metricRelabelings }}
  metricRelabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
