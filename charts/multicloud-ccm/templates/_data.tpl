{{/* Access to values by path and to the generated files. Results that are no text are JSON. */}}

{{/* {"v": the value at .path of .values}; the value is missing when the path is. */}}
{{- define "multicloud-ccm.get" -}}
{{- $at := .values }}
{{- $there := true }}
{{- range splitList "." .path }}
{{- $there = and (kindIs "map" $at) (hasKey (ternary $at dict (kindIs "map" $at)) .) }}
{{- if $there }}{{ $at = get $at . }}{{ else }}{{ $at = "" }}{{ end }}
{{- end }}
{{- dict "v" $at "there" $there | toJson }}
{{- end }}

{{/* A value as the text of a flag or a variable. */}}
{{- define "multicloud-ccm.text" -}}
{{- if kindIs "slice" . }}{{ join "," . }}
{{- else if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}
{{- else }}{{ toString . }}{{ end }}
{{- end }}

{{- define "multicloud-ccm.providers" -}}
{{ .Files.Get "files/providers.yaml" | fromYaml | toJson }}
{{- end }}

{{/* The chosen provider, {} when it is not known. */}}
{{- define "multicloud-ccm.provider" -}}
{{ get (include "multicloud-ccm.providers" . | fromJson) .Values.provider | default dict | toJson }}
{{- end }}

{{/* The chosen platform, {} when none is. */}}
{{- define "multicloud-ccm.platform" -}}
{{- $found := dict }}
{{- range .Files.Get "files/platforms.yaml" | fromYamlArray }}
{{- if eq .name $.Values.platform }}{{ $found = . }}{{ end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/*
Says "true" where helm uninstall is guarded. A cloud without load balancers has nothing to wait for, and nobody
who would take the finalizers off. That the controller of Services is off says nothing: it may have been on.
*/}}
{{- define "multicloud-ccm.uninstallGuard" -}}
{{- $can := get (include "multicloud-ccm.provider" . | fromJson) "capabilities" | default dict }}
{{- if and .Values.doctor.uninstallGuard.enabled $can.loadBalancers }}true{{ end }}
{{- end }}

{{/* Says "true" where no value says where Hetzner's load balancers are made. A variable may. */}}
{{- define "multicloud-ccm.nowhere" -}}
{{- $made := and (eq .Values.provider "hcloud") (has "service-lb-controller" (include "multicloud-ccm.controllers" . | fromJson).list) }}
{{- $of := .Values.hcloud.loadBalancers }}
{{- $elsewhere := .Values.extraEnvFrom }}
{{- range .Values.extraEnv }}{{ if has .name (list "HCLOUD_LOAD_BALANCERS_LOCATION" "HCLOUD_LOAD_BALANCERS_NETWORK_ZONE") }}{{ $elsewhere = true }}{{ end }}{{ end }}
{{- if and $made $of.enabled (not $of.location) (not $of.networkZone) (not $elsewhere) }}true{{ end }}
{{- end }}

{{/* {"list": the controllers that run}: switched on, and the cloud has something for them. */}}
{{- define "multicloud-ccm.controllers" -}}
{{- $can := get (include "multicloud-ccm.provider" . | fromJson) "capabilities" | default dict }}
{{- $list := list }}
{{- range .Files.Get "files/controllers.yaml" | fromYamlArray }}
{{- $on := (include "multicloud-ccm.get" (dict "values" $.Values "path" (printf "controllers.%s.enabled" .value)) | fromJson).v }}
{{- if and (eq .value "kubeletServingCertificate") (eq $.Values.safety.mode "dry-run") }}{{ $on = false }}{{ end }}
{{- if and $on (or (not .capability) (get $can (default "" .capability))) }}
{{- $list = append $list .controller }}
{{- end }}
{{- end }}
{{- dict "list" $list | toJson }}
{{- end }}
