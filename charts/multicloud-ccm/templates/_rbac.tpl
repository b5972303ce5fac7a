{{/* Permissions, from files/rbac.yaml: those of the controllers that run. */}}

{{/* Rules, from a dict of root and namespaced. */}}
{{- define "multicloud-ccm.rules" -}}
{{- $running := (include "multicloud-ccm.controllers" .root | fromJson).list }}
{{- $namespaced := .namespaced }}
{{- $root := .root }}
{{- range .root.Files.Get "files/rbac.yaml" | fromYamlArray }}
{{- $needed := not .controllers }}
{{- range .controllers | default list }}{{ if has . $running }}{{ $needed = true }}{{ end }}{{ end }}
{{- if and $needed (eq (default false .namespaced) $namespaced) }}
# {{ .for }}
- apiGroups: [{{ .group | quote }}]
  resources: [{{ .resource | quote }}]
  {{- if .lease }}
  resourceNames: [{{ $root.Values.leaderElection.resourceName | quote }}]
  {{- end }}
  {{- with .names }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: {{ toJson .verbs }}
{{- end }}
{{- end }}
{{- $reads := or (has "service-lb-controller" $running) (has "cloud-firewall-controller" $running) (has "kubelet-serving-certificate" $running) }}
{{- $guards := and (include "multicloud-ccm.uninstallGuard" $root) (not (include "multicloud-ccm.doctorAccount" $root)) }}
{{- if and (not $namespaced) (not $reads) $guards }}
# the guard of helm uninstall
- apiGroups: [""]
  resources: ["services"]
  verbs: ["list"]
{{- end }}
{{- end }}

{{- define "multicloud-ccm.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "multicloud-ccm.serviceAccountName" . }}
    namespace: {{ include "multicloud-ccm.namespace" . }}
{{- end }}
