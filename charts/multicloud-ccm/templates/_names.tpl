{{/* Names and labels. */}}

{{- define "multicloud-ccm.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "multicloud-ccm.fullname" -}}
{{- $name := include "multicloud-ccm.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.namespace" -}}
{{ default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "multicloud-ccm.serviceAccountName" -}}
{{ if .Values.serviceAccount.create }}{{ default (include "multicloud-ccm.fullname" .) .Values.serviceAccount.name }}{{ else }}{{ .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{/*
Says "true" where the doctor's Pods have an account of their own. An account with annotations, or whose token is
mounted, is known to the cloud by its name: the doctor has to have that one.
*/}}
{{- define "multicloud-ccm.doctorAccount" -}}
{{- $pods := or .Values.doctor.test.enabled (include "multicloud-ccm.uninstallGuard" .) }}
{{- $make := and .Values.doctor.serviceAccount.create .Values.serviceAccount.create .Values.rbac.create }}
{{- $known := or .Values.serviceAccount.annotations (contains "\"serviceAccountToken\"" (toJson .Values.extraVolumes)) }}
{{- if and $pods $make (not $known) }}true{{ end }}
{{- end }}

{{- define "multicloud-ccm.doctorAccountName" -}}
{{ if include "multicloud-ccm.doctorAccount" . }}{{ include "multicloud-ccm.fullname" . }}-doctor{{ else }}{{ include "multicloud-ccm.serviceAccountName" . }}{{ end }}
{{- end }}

{{/* What never changes for a release: a Deployment's selector cannot. */}}
{{- define "multicloud-ccm.selectorLabels" -}}
app.kubernetes.io/name: {{ include "multicloud-ccm.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "multicloud-ccm.labels" -}}
{{- $own := merge (include "multicloud-ccm.selectorLabels" . | fromYaml) (dict
  "app.kubernetes.io/component" "cloud-controller-manager"
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")) }}
{{- merge $own .Values.commonLabels | toYaml }}
{{- end }}

{{/*
Metadata of an object, from a dict of
  root: the context, name: behind the full name, namespace: "" for cluster-wide objects,
  labels, annotations: of this object.
*/}}
{{- define "multicloud-ccm.metadata" -}}
{{- $labels := merge (deepCopy (default dict .labels)) (include "multicloud-ccm.labels" .root | fromYaml) }}
{{- $annotations := merge (deepCopy (default dict .annotations)) .root.Values.commonAnnotations }}
metadata:
  name: {{ include "multicloud-ccm.fullname" .root }}{{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- toYaml $labels | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
