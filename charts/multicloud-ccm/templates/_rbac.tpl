{{/* Permissions, from files/rbac.yaml: those of the controllers that run. */}}

{{/* Rules, from a dict of root, namespaced, and the namespace where it is not that of the lease. */}}
{{- define "multicloud-ccm.rules" -}}
{{- $running := (include "multicloud-ccm.controllers" .root | fromJson).list }}
{{- $namespaced := .namespaced }}
{{- $namespace := default "" .namespace }}
{{- $root := .root }}
{{- range .root.Files.Get "files/rbac.yaml" | fromYamlArray }}
{{- $needed := not .controllers }}
{{- range .controllers | default list }}{{ if has . $running }}{{ $needed = true }}{{ end }}{{ end }}
{{- if and $needed (eq (default false .namespaced) $namespaced) (eq (default "" .namespace) $namespace) }}
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

{{/* The namespaces beside that of the lease in which there are rules. */}}
{{- define "multicloud-ccm.otherNamespaces" -}}
{{- $running := (include "multicloud-ccm.controllers" . | fromJson).list }}
{{- $all := list }}
{{- range .Files.Get "files/rbac.yaml" | fromYamlArray }}
{{- if .namespace }}
{{- $namespace := .namespace }}
{{- range .controllers }}{{ if has . $running }}{{ $all = append $all $namespace }}{{ end }}{{ end }}
{{- end }}
{{- end }}
{{- dict "list" ($all | uniq | sortAlpha) | toJson }}
{{- end }}

{{- define "multicloud-ccm.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "multicloud-ccm.serviceAccountName" . }}
    namespace: {{ include "multicloud-ccm.namespace" . }}
{{- end }}
