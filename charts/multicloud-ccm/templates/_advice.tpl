{{/*
What the cluster says about the values, as a list of texts. Only with a cluster to ask: helm
template and most GitOps tools have none, and then there is nothing to say. A lookup that is
refused is an error, and no template can catch it: hence advice.enabled.
*/}}

{{- define "multicloud-ccm.advice" -}}
{{- $advice := list }}
{{- if .Values.advice.enabled }}
{{- range list "multicloud-ccm.adviceOnSecret" "multicloud-ccm.adviceOnOthers" "multicloud-ccm.adviceOnNodes" }}
{{- $advice = concat $advice (include . $ | fromJsonArray) }}
{{- end }}
{{- end }}
{{- toJson $advice }}
{{- end }}

{{- define "multicloud-ccm.adviceOnSecret" -}}
{{- $a := list }}
{{- $credentials := include "multicloud-ccm.credentials" . | fromJson }}
{{- $namespace := include "multicloud-ccm.namespace" . }}
{{- $cluster := lookup "v1" "Namespace" "" "kube-system" }}
{{- if and $cluster $credentials.secret }}
{{- $secret := lookup "v1" "Secret" $namespace $credentials.secret }}
{{- $key := "" }}
{{- range $credentials.items }}
{{- if eq .secret $credentials.secret }}
{{- $key = default .key $key }}
{{- if and $secret (not (hasKey ($secret.data | default dict) .key)) }}
{{- $a = append $a (printf "Secret %s/%s has no key %q, which the Pod waits for." $namespace $credentials.secret .key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if not $secret }}
{{- $a = append $a (printf "Secret %s/%s does not exist; the Pod waits for it: kubectl -n %s create secret generic %s --from-literal=%s=..." $namespace $credentials.secret $namespace $credentials.secret $key) }}
{{- end }}
{{- end }}
{{- toJson $a }}
{{- end }}

{{- define "multicloud-ccm.adviceOnOthers" -}}
{{- $a := list }}
{{- $mine := include "multicloud-ccm.fullname" . }}
{{- range $kind := list "Deployment" "DaemonSet" }}
{{- range get (lookup "apps/v1" $kind "kube-system" "") "items" | default list }}
{{- $name := .metadata.name }}
{{- if and (contains "cloud-controller-manager" $name) (ne (get (.metadata.annotations | default dict) "meta.helm.sh/release-name") $.Release.Name) (ne $name $mine) }}
{{- $a = append $a (printf "%s kube-system/%s looks like another cloud controller manager: two at a time overwrite each other, remove it." $kind $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- with lookup "coordination.k8s.io/v1" "Lease" .Values.leaderElection.resourceNamespace .Values.leaderElection.resourceName }}
{{- $holder := .spec.holderIdentity | default "" }}
{{- if and $holder $.Release.IsInstall }}
{{- $a = append $a (printf "The lease %s/%s was last held by %s: while that runs, this release waits." .metadata.namespace .metadata.name $holder) }}
{{- end }}
{{- end }}
{{- toJson $a }}
{{- end }}

{{- define "multicloud-ccm.adviceOnNodes" -}}
{{- $a := list }}
{{- $provider := include "multicloud-ccm.provider" . | fromJson }}
{{- $name := .Values.provider }}
{{- $further := list }}
{{- with $provider.furtherSchemes }}{{ $further = get (get $.Values $name | default dict) . | default list }}{{ end }}
{{- $foreign := list }}
{{- $unaware := list }}
{{- $plane := 0 }}
{{- range get (lookup "v1" "Node" "" "") "items" | default list }}
{{- $id := .spec.providerID | default "" }}
{{- $waits := false }}
{{- range .spec.taints | default list }}{{ if eq .key "node.cloudprovider.kubernetes.io/uninitialized" }}{{ $waits = true }}{{ end }}{{ end }}
{{- if and $id (not (has (first (splitList "://" $id)) (concat $provider.schemes $further))) }}{{ $foreign = append $foreign (printf "%s (%s)" .metadata.name $id) }}{{ end }}
{{- if and (not $id) (not $waits) }}{{ $unaware = append $unaware .metadata.name }}{{ end }}
{{- if hasKey (.metadata.labels | default dict) "node-role.kubernetes.io/control-plane" }}{{ $plane = add1 $plane }}{{ end }}
{{- end }}
{{- with $foreign }}
{{- $some := include "multicloud-ccm.some" . }}
{{- if $provider.furtherSchemes }}
{{- $a = append $a (printf "%d Nodes have provider-IDs of others and are never touched: %s. A scheme that no cloud has, such as k3s and rke2, can be named in %s.%s." (len .) $some $name $provider.furtherSchemes) }}
{{- else }}
{{- $a = append $a (printf "%d Nodes belong to another cloud and are never touched: %s. A provider-ID cannot change; delete such a Node and let it register again." (len .) $some) }}
{{- end }}
{{- end }}
{{- with $unaware }}
{{- $a = append $a (printf "%d Nodes have neither a provider-ID nor the taint of an uninitialised Node: %s. Their kubelets run without --cloud-provider=external." (len .) (include "multicloud-ccm.some" .)) }}
{{- end }}
{{- if and .Values.controlPlane.required (eq $plane 0) (lookup "v1" "Namespace" "" "kube-system") }}
{{- $a = append $a "No Node has the label node-role.kubernetes.io/control-plane: set controlPlane.required=false, or the Pod stays Pending." }}
{{- end }}
{{- if and (gt (int $plane) 1) (eq .Values.kind "Deployment") (eq (int64 .Values.replicaCount) 1) }}
{{- $a = append $a (printf "There are %d control-plane Nodes: with replicaCount=2 a standby takes over in seconds." (int $plane)) }}
{{- end }}
{{- toJson $a }}
{{- end }}

{{/* The first names of a list. */}}
{{- define "multicloud-ccm.some" -}}
{{ slice . 0 (min 5 (len .) | int) | join ", " }}{{ if gt (len .) 5 }}, ...{{ end }}
{{- end }}
