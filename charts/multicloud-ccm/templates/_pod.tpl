{{/* The Pod template, the same for every kind of workload. */}}

{{- define "multicloud-ccm.image" -}}
{{- $name := printf "%s/%s" .Values.image.registry .Values.image.repository | trimPrefix "/" }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $name .Values.image.digest }}
{{- else }}
{{- $suffix := ternary (printf "-%s" .Values.provider) "" (eq .Values.image.variant "auto") }}
{{- printf "%s:%s" $name (default (printf "v%s%s" (trimPrefix "v" .Chart.AppVersion) $suffix) .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* A probe with the user's changes, from a dict of of, defaults and path, /healthz when that is missing. */}}
{{- define "multicloud-ccm.probe" -}}
{{- $probe := mergeOverwrite (dict "httpGet" (dict "path" (.path | default "/healthz") "port" "https" "scheme" "HTTPS")) .defaults (deepCopy .of) }}
{{- toYaml $probe }}
{{- end }}

{{- define "multicloud-ccm.pullSecrets" -}}
{{- with concat (get .Values.global "imagePullSecrets" | default list) .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
Nine tenths of the container's memory limit in bytes: near the limit the program collects
garbage more often instead of being killed. Nothing without a limit, or with one's own GOMEMLIMIT.
*/}}
{{- define "multicloud-ccm.memoryLimit" -}}
{{- $bytes := include "multicloud-ccm.bytes" (get (get .Values.resources "limits" | default dict) "memory") }}
{{- $own := false }}
{{- range .Values.extraEnv }}{{ if eq .name "GOMEMLIMIT" }}{{ $own = true }}{{ end }}{{ end }}
{{- if and $bytes (not $own) }}
{{- mulf (float64 $bytes) 0.9 | int64 }}
{{- end }}
{{- end }}

{{/* The bytes of a quantity of memory, "" for what is none. */}}
{{- define "multicloud-ccm.bytes" -}}
{{- $quantity := include "multicloud-ccm.text" . }}
{{- $unit := regexFind "[a-zA-Z]*$" $quantity }}
{{- $bytes := dict "" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 }}
{{- if and (regexMatch "^[0-9.]+[a-zA-Z]*$" $quantity) (hasKey $bytes $unit) }}
{{- mulf (trimSuffix $unit $quantity | float64) (get $bytes $unit) }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.env" -}}
{{- include "multicloud-ccm.apiServerEnv" . }}
{{- include "multicloud-ccm.providerEnv" . }}
{{- with include "multicloud-ccm.memoryLimit" . }}
- name: GOMEMLIMIT
  value: {{ . | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.mounts" -}}
{{- if (include "multicloud-ccm.credentials" . | fromJson).items }}
- name: credentials
  mountPath: {{ include "multicloud-ccm.credentialsPath" . }}
  readOnly: true
{{- end }}
{{- if include "multicloud-ccm.inventory" . | fromJson }}
- name: inventory
  mountPath: {{ include "multicloud-ccm.inventoryPath" . }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.volumes" -}}
{{- with (include "multicloud-ccm.credentials" . | fromJson).items }}
- name: credentials
  projected:
    defaultMode: 0440
    sources:
      {{- range $secret, $items := include "multicloud-ccm.bySecret" . | fromJson }}
      - secret:
          name: {{ $secret }}
          items:
            {{- range $items }}
            - key: {{ .key | quote }}
              path: {{ .name }}
            {{- end }}
      {{- end }}
{{- end }}
{{- if include "multicloud-ccm.inventory" . | fromJson }}
- name: inventory
  configMap:
    name: {{ include "multicloud-ccm.fullname" . }}-inventory
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What the program and the doctor's Pods have in common, but for the account. */}}
{{- define "multicloud-ccm.podBase" -}}
automountServiceAccountToken: true
{{- include "multicloud-ccm.pullSecrets" . }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
hostNetwork: {{ .Values.hostNetwork }}
dnsPolicy: {{ .Values.dnsPolicy }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "multicloud-ccm.affinity" . }}
affinity:
  {{- nindent 2 . }}
{{- end }}
tolerations:
  {{- include "multicloud-ccm.tolerations" . | nindent 2 }}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "multicloud-ccm.volumes" . }}
volumes:
  {{- . | trim | nindent 2 }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.containerBase" -}}
image: {{ include "multicloud-ccm.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
{{- with include "multicloud-ccm.env" . }}
env:
  {{- . | trim | nindent 2 }}
{{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "multicloud-ccm.mounts" . }}
volumeMounts:
  {{- . | trim | nindent 2 }}
{{- end }}
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.podTemplate" -}}
metadata:
  labels:
    {{- $labels := merge (include "multicloud-ccm.selectorLabels" . | fromYaml) (dict "app.kubernetes.io/component" "cloud-controller-manager") }}
    {{- merge $labels .Values.podLabels .Values.commonLabels | toYaml | nindent 4 }}
  annotations:
    {{- merge (dict "kubectl.kubernetes.io/default-container" "cloud-controller-manager") .Values.podAnnotations | toYaml | nindent 4 }}
spec:
  serviceAccountName: {{ include "multicloud-ccm.serviceAccountName" . }}
  {{- include "multicloud-ccm.podBase" . | nindent 2 }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with include "multicloud-ccm.topologySpreadConstraints" . }}
  topologySpreadConstraints:
    {{- nindent 4 . }}
  {{- end }}
  {{- with .Values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: cloud-controller-manager
      {{- include "multicloud-ccm.containerBase" . | nindent 6 }}
      args:
        {{- include "multicloud-ccm.args" . | trim | nindent 8 }}
      ports:
        - name: https
          containerPort: {{ .Values.metrics.port }}
          protocol: TCP
      startupProbe:
        {{- include "multicloud-ccm.probe" (dict "of" .Values.startupProbe "defaults" (dict "periodSeconds" 2 "failureThreshold" 60)) | nindent 8 }}
      livenessProbe:
        {{- include "multicloud-ccm.probe" (dict "of" .Values.livenessProbe "defaults" (dict "periodSeconds" 10 "timeoutSeconds" 15 "failureThreshold" 6)) | nindent 8 }}
      readinessProbe:
        {{- include "multicloud-ccm.probe" (dict "path" "/readyz" "of" .Values.readinessProbe "defaults" (dict "periodSeconds" 5 "timeoutSeconds" 5 "failureThreshold" 3)) | nindent 8 }}
    {{- with .Values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
