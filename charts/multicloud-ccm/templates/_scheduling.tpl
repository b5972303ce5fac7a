{{/* Where the Pods run. */}}

{{/*
Without these the Pod cannot start in a cluster that waits for it: nodes are uninitialised,
NotReady for want of a network, and without routes. They are always there.
*/}}
{{- define "multicloud-ccm.tolerations" -}}
- key: node.cloudprovider.kubernetes.io/uninitialized
  operator: Exists
  effect: NoSchedule
- key: node-role.kubernetes.io/control-plane
  operator: Exists
- key: node-role.kubernetes.io/master
  operator: Exists
- key: node.kubernetes.io/not-ready
  operator: Exists
  effect: NoSchedule
- key: node.kubernetes.io/not-ready
  operator: Exists
  effect: NoExecute
- key: node.kubernetes.io/network-unavailable
  operator: Exists
  effect: NoSchedule
- key: node.kubernetes.io/unreachable
  operator: Exists
  effect: NoExecute
  tolerationSeconds: 60
- key: CriticalAddonsOnly
  operator: Exists
{{- range get (include "multicloud-ccm.platform" . | fromJson) "taints" | default list }}
- key: {{ .key }}
  operator: Exists
  effect: {{ .effect }}
{{- end }}
{{- with .Values.tolerations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The user's affinity; every term of a required node affinity also asks for the control plane. */}}
{{- define "multicloud-ccm.affinity" -}}
{{- $affinity := deepCopy .Values.affinity }}
{{- if .Values.controlPlane.required }}
{{- $label := dict "key" "node-role.kubernetes.io/control-plane" "operator" "Exists" }}
{{- $node := get $affinity "nodeAffinity" | default dict }}
{{- $required := get $node "requiredDuringSchedulingIgnoredDuringExecution" | default dict }}
{{- $terms := list }}
{{- range get $required "nodeSelectorTerms" | default (list dict) }}
{{- $terms = append $terms (merge (dict "matchExpressions" (append (get . "matchExpressions" | default list) $label)) .) }}
{{- end }}
{{- $_ := set $node "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms) }}
{{- $_ := set $affinity "nodeAffinity" $node }}
{{- end }}
{{- with $affinity }}{{ toYaml . }}{{ end }}
{{- end }}

{{- define "multicloud-ccm.topologySpreadConstraints" -}}
{{- $all := list }}
{{- $selector := dict "matchLabels" (include "multicloud-ccm.selectorLabels" . | fromYaml) }}
{{- range .Values.topologySpreadConstraints }}
{{- $all = append $all (merge (dict "labelSelector" (get . "labelSelector" | default $selector)) .) }}
{{- end }}
{{- if and (not $all) (eq .Values.kind "Deployment") (gt (int64 .Values.replicaCount) 1) }}
{{- /* A second replica beside the first one survives nothing. */}}
{{- $all = list (dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" $selector) }}
{{- end }}
{{- with $all }}{{ toYaml . }}{{ end }}
{{- end }}

{{/*
Two Pods on the host network of one node cannot have the same port: no surge there. A single
one is replaced by Recreate, because helm --wait waits for replicas less maxUnavailable.
*/}}
{{- define "multicloud-ccm.updateStrategy" -}}
{{- if .Values.updateStrategy }}
{{- toYaml .Values.updateStrategy }}
{{- else }}
{{- $apart := .Values.hostNetwork }}
{{- if and $apart (eq .Values.kind "Deployment") (le (int64 .Values.replicaCount) 1) }}
type: Recreate
{{- else }}
type: RollingUpdate
rollingUpdate:
  maxSurge: {{ ternary 0 1 $apart }}
  maxUnavailable: {{ ternary 1 0 $apart }}
{{- end }}
{{- end }}
{{- end }}
