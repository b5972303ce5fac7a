{{/*
Everything that is wrong with the values, collected and told at once: what, its value, one fix.
Values of a wrong type and values that are missing are replaced by defaults first, in .Values
itself: the other checks and templates then find what they expect. helm renders validate.yaml
before the others of the folder.
*/}}

{{- define "multicloud-ccm.validate" -}}
{{- $shape := dict "list" list }}
{{- include "multicloud-ccm.shape" (dict "at" .Values "fields" (.Files.Get "files/shape.yaml" | fromYaml) "prefix" "" "problems" $shape "root" .) }}
{{- $rest := concat
  (include "multicloud-ccm.problemsOfIdentity" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfProvider" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfInventory" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfCredentials" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfWorkload" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfChoices" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfFlags" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfLists" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfLeader" . | fromJsonArray)
  (include "multicloud-ccm.problemsOfArgs" . | fromJsonArray) }}
{{- $problems := $shape.list }}
{{- range $problem := $rest }}
{{- /* What stands for a wrong value has no problem of its own. */}}
{{- $told := false }}
{{- range $shape.list }}{{ if hasPrefix (printf "%s is " (splitList " " $problem | first)) . }}{{ $told = true }}{{ end }}{{ end }}
{{- if not $told }}{{ $problems = append $problems $problem }}{{ end }}
{{- end }}
{{- if $problems }}
{{- $text := printf "\n\nmulticloud-ccm: %d %s in the values:\n" (len $problems) (ternary "problem" "problems" (eq (len $problems) 1)) }}
{{- range $i, $problem := $problems }}
{{- $text = printf "%s  %d. %s\n" $text (add1 $i) $problem }}
{{- end }}
{{- fail $text }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.problemsOfIdentity" -}}
{{- $p := list }}
{{- $known := keys (include "multicloud-ccm.providers" . | fromJson) | sortAlpha | join ", " }}
{{- if not .Values.provider }}
{{- $p = append $p (printf "provider is not set: set it to your cloud, one of %s" $known) }}
{{- else if not (include "multicloud-ccm.provider" . | fromJson) }}
{{- $p = append $p (include "multicloud-ccm.notProvider" (dict "root" . "known" $known)) }}
{{- end }}
{{- if not .Values.clusterName }}
{{- $p = append $p "clusterName is not set: set it to a name that no other cluster of the account has, such as prod-1" }}
{{- else if not (regexMatch "^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$" (include "multicloud-ccm.text" .Values.clusterName)) }}
{{- $p = append $p (printf "clusterName is %q: use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends" (include "multicloud-ccm.text" .Values.clusterName)) }}
{{- end }}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) }}
{{- $p = append $p "serviceAccount.create is false and serviceAccount.name is not set: name the account to use" }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* Why a name is no provider's, and what to do: it has another name here, or there is advice about it. */}}
{{- define "multicloud-ccm.notProvider" -}}
{{- $given := .root.Values.provider }}
{{- $others := .root.Files.Get "files/others.yaml" | fromYaml }}
{{- $meant := get ($others.names | default dict) (lower $given) | default (lower $given) }}
{{- $advice := get ($others.advice | default dict) $meant }}
{{- if hasKey (include "multicloud-ccm.providers" .root | fromJson) $meant }}
{{- printf "provider is %q: it is called %s here, set it to %s" $given $meant $meant }}
{{- else if $advice }}
{{- printf "provider is %q, which is not one here: %s%s" $given (ternary "" (printf "%s: " $meant) (eq $meant (lower $given))) $advice }}
{{- else }}
{{- printf "provider is %q, which this chart does not know: use one of %s" $given .known }}
{{- end }}
{{- end }}

{{- define "multicloud-ccm.problemsOfProvider" -}}
{{- $p := list }}
{{- $name := .Values.provider }}
{{- $provider := include "multicloud-ccm.provider" . | fromJson }}
{{- if $provider }}
{{- $block := get .Values $name | default dict }}
{{- range $provider.settings | default list }}
{{- if and .required (not (include "multicloud-ccm.text" (include "multicloud-ccm.get" (dict "values" $block "path" .value) | fromJson).v)) }}
{{- $p = append $p (printf "%s.%s is not set: provider %s needs it" $name .value $name) }}
{{- end }}
{{- end }}
{{- if and .Values.controllers.route.enabled (not $provider.capabilities.routes) }}
{{- $p = append $p (printf "controllers.route.enabled is true, but provider %s has no routes: set it to false" $name) }}
{{- end }}
{{- if and .Values.controllers.route.enabled (eq $name "gce") .Values.clusterName }}
{{- $cluster := include "multicloud-ccm.text" .Values.clusterName }}
{{- if not (regexMatch "^[a-z][a-z0-9-]*$" (trunc 26 $cluster)) }}
{{- $p = append $p (printf "clusterName is %q: routes of Google Cloud are named after its first 26 characters, use small letters, digits and '-', with a letter first" $cluster) }}
{{- end }}
{{- end }}
{{- with and (eq $name "digitalocean") $block.firewall }}
{{- if and .name (not .tags) }}
{{- $p = append $p (printf "digitalocean.firewall.name is %q and digitalocean.firewall.tags is not set: set it to the tags of the droplets, or leave both out" .name) }}
{{- else if and .tags (not .name) }}
{{- $p = append $p "digitalocean.firewall.tags is set and digitalocean.firewall.name is not: set it to the name of the cloud firewall, or leave both out" }}
{{- end }}
{{- end }}
{{- with and (eq $name "hcloud") $block.loadBalancers }}
{{- if and .location .networkZone }}
{{- $p = append $p (printf "hcloud.loadBalancers.location is %q and hcloud.loadBalancers.networkZone is %q: leave one of them out" .location .networkZone) }}
{{- end }}
{{- end }}
{{- if and .Values.controllers.tagging.enabled (not $provider.capabilities.tags) }}
{{- $p = append $p (printf "controllers.tagging.enabled is true, but machines of provider %s have no tags: set it to false" $name) }}
{{- end }}
{{- if and .Values.controllers.kubeletServingCertificate.enabled (not $provider.capabilities.absence) }}
{{- $p = append $p (printf "controllers.kubeletServingCertificate.enabled is true, but no API says which addresses machines of provider %s have: set it to false" $name) }}
{{- end }}
{{- $platform := include "multicloud-ccm.platform" . | fromJson }}
{{- if and .Values.controllers.kubeletServingCertificate.enabled $platform.signer }}
{{- $p = append $p (printf "controllers.kubeletServingCertificate.enabled is true and platform is %s, where %s signs the certificates of kubelets and nobody asks for them: set it to false" .Values.platform $platform.signer) }}
{{- end }}
{{- if not (include "multicloud-ccm.controllers" . | fromJson).list }}
{{- $p = append $p "controllers: none is enabled: enable at least one" }}
{{- end }}
{{- end }}
{{- if and .Values.controllers.route.enabled (not .Values.controllers.route.clusterCIDR) }}
{{- $p = append $p "controllers.route.enabled is true and controllers.route.clusterCIDR is not set: set it to the Pod network, such as 10.244.0.0/16" }}
{{- end }}
{{- if and .Values.controllers.tagging.enabled (not .Values.controllers.tagging.tags) }}
{{- $p = append $p "controllers.tagging.enabled is true and controllers.tagging.tags is not set: set it to tags such as team=shop,env=prod" }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* No credential is left out without a word: the program would find others, perhaps of another account. */}}
{{- define "multicloud-ccm.problemsOfCredentials" -}}
{{- $p := list }}
{{- $provider := include "multicloud-ccm.provider" . | fromJson }}
{{- if $provider }}
{{- $at := printf "%s.credentials" .Values.provider }}
{{- $given := get (get .Values .Values.provider | default dict) "credentials" | default dict }}
{{- $existing := default "" $given.existingSecret }}
{{- $credentials := include "multicloud-ccm.credentials" . | fromJson }}
{{- $have := list }}
{{- range $credentials.items }}{{ $have = append $have .name }}{{ end }}
{{- range $item := $provider.credentials | default list }}
{{- range $.Values.extraEnv }}{{ if has .name (list $item.env (printf "%s_FILE" $item.env)) }}{{ $have = append $have $item.name }}{{ end }}{{ end }}
{{- end }}
{{- $unused := list }}
{{- range $provider.credentials | default list }}
{{- $key := get (default dict $given.keys) .name }}
{{- $chosen := and $key (ne $key (ternary .key "" (default false .required))) }}
{{- $inline := get (default dict $given.inline) .name }}
{{- if not $inline }}{{ $unused = append $unused (printf "%s.keys.%s=%s" $at .name .key) }}{{ end }}
{{- if and $chosen $inline }}
{{- $p = append $p (printf "%s.keys.%s is %q and %s.inline.%s is set too: leave one of them out" $at .name $key $at .name) }}
{{- else if and $chosen (not $existing) }}
{{- $p = append $p (printf "%s.keys.%s is %q and %s.existingSecret is not set: set it to the Secret with this key" $at .name $key $at) }}
{{- else if and .required (not (has .name $have)) (not $.Values.extraEnvFrom) }}
{{- $p = append $p (printf "%s has no %s: set existingSecret to a Secret and keys.%s to its key" $at .name .name) }}
{{- else if and .needs (has .name $have) (not (has .needs $have)) (not $.Values.extraEnvFrom) }}
{{- $p = append $p (printf "%s has %s and no %s, which it needs: set keys.%s to its key in the Secret" $at .name .needs .needs) }}
{{- end }}
{{- end }}
{{- if and (eq $.Values.provider "hcloud") .Values.controllers.route.enabled (not (has "network" $have)) (not .Values.extraEnvFrom) }}
{{- $p = append $p "controllers.route.enabled is true and hcloud.credentials has no network: set keys.network to its key in the Secret, or inline.network to its name" }}
{{- end }}
{{- if and $existing (ne $existing (default "" $provider.secret)) (not $credentials.secret) }}
{{- if $unused }}
{{- $p = append $p (printf "%s.existingSecret is %q and no key of it is used: set those it has, such as %s" $at $existing (join ", " $unused)) }}
{{- else }}
{{- $p = append $p (printf "%s.existingSecret is %q and everything is in %s.inline: leave one of them out" $at $existing $at) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{- define "multicloud-ccm.problemsOfWorkload" -}}
{{- $p := list }}
{{- if and (eq .Values.kind "DaemonSet") (ne (int64 .Values.replicaCount) 1) }}
{{- $p = append $p (printf "kind is DaemonSet and replicaCount is %d: a DaemonSet has one Pod for each node, leave replicaCount out" (int64 .Values.replicaCount)) }}
{{- end }}
{{- $limit := get (get .Values.resources "limits" | default dict) "memory" }}
{{- $memory := include "multicloud-ccm.bytes" $limit }}
{{- if and $memory (lt (float64 $memory) (mulf 64 1048576)) }}
{{- $p = append $p (printf "resources.limits.memory is %s: use at least 64Mi, with 1,000 Nodes 192Mi" (include "multicloud-ccm.text" $limit)) }}
{{- end }}
{{- if and .Values.podDisruptionBudget.minAvailable (ne (toString .Values.podDisruptionBudget.maxUnavailable) "1") }}
{{- $p = append $p "podDisruptionBudget.minAvailable and podDisruptionBudget.maxUnavailable are set: leave one of them out" }}
{{- end }}
{{- $least := include "multicloud-ccm.text" .Values.podDisruptionBudget.minAvailable }}
{{- if and .Values.podDisruptionBudget.enabled (eq .Values.kind "Deployment") (gt (int64 .Values.replicaCount) 1) }}
{{- if or (eq $least "100%") (and (regexMatch "^[0-9]+$" $least) (ge (int64 $least) (int64 .Values.replicaCount))) }}
{{- $p = append $p (printf "podDisruptionBudget.minAvailable is %s and replicaCount is %d: no node with a Pod could be drained, use less" $least (int64 .Values.replicaCount)) }}
{{- end }}
{{- end }}
{{- if and .Values.networkPolicy.enabled .Values.hostNetwork }}
{{- $p = append $p "networkPolicy.enabled and hostNetwork are true: policies have no effect on the host network, switch one of them off" }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled .Values.metrics.podMonitor.enabled }}
{{- $p = append $p "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled are true: every metric would come twice, switch one of them off" }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.service.enabled) }}
{{- $p = append $p "metrics.serviceMonitor.enabled is true and metrics.service.enabled is false: switch the Service on, or use metrics.podMonitor" }}
{{- end }}
{{- range $name := list "serviceMonitor" "podMonitor" }}
{{- $monitor := get $.Values.metrics $name }}
{{- if and $monitor.enabled $monitor.interval $monitor.scrapeTimeout (gt (include "multicloud-ccm.seconds" $monitor.scrapeTimeout | float64) (include "multicloud-ccm.seconds" $monitor.interval | float64)) }}
{{- $p = append $p (printf "metrics.%s.scrapeTimeout is %s and metrics.%s.interval is %s: Prometheus refuses a timeout that is longer" $name $monitor.scrapeTimeout $name $monitor.interval) }}
{{- end }}
{{- if and $monitor.enabled (not $.Values.rbac.create) (not $monitor.authorization) (not $.Values.metrics.unauthenticated) }}
{{- $p = append $p (printf "metrics.%s.enabled is true, rbac.create is false and metrics.%s.authorization is not set: set it to the token of an account that may get /metrics" $name $name) }}
{{- end }}
{{- end }}
{{- if and .Values.networkPolicy.egress.enabled (not .Values.networkPolicy.enabled) }}
{{- $p = append $p "networkPolicy.egress.enabled is true and networkPolicy.enabled is false: set that to true as well" }}
{{- end }}
{{- if and .Values.networkPolicy.egress.enabled (not .Values.networkPolicy.egress.ports) }}
{{- $p = append $p "networkPolicy.egress.ports is empty: name the ports of the API server and of the cloud's API, such as 443 and 6443" }}
{{- end }}
{{- if and (eq .Values.apiServer.mode "explicit") (not .Values.apiServer.host) }}
{{- $p = append $p "apiServer.mode is explicit and apiServer.host is not set: set it to the API server's address" }}
{{- end }}
{{- if and (eq .Values.apiServer.mode "localhost") (not .Values.hostNetwork) }}
{{- $p = append $p "apiServer.mode is localhost and hostNetwork is false: a Pod's own localhost has no API server, use mode node, service or explicit" }}
{{- end }}
{{- if and .Values.image.digest (not (regexMatch "^sha256:[a-f0-9]{64}$" .Values.image.digest)) }}
{{- $p = append $p (printf "image.digest is %q: use sha256: and 64 hexadecimal digits" .Values.image.digest) }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* Texts of which there are some only. The provider is checked with the identity. */}}
{{- define "multicloud-ccm.problemsOfChoices" -}}
{{- $p := list }}
{{- range .Files.Get "files/choices.yaml" | fromYamlArray }}
{{- $text := include "multicloud-ccm.text" (include "multicloud-ccm.get" (dict "values" $.Values "path" .value) | fromJson).v }}
{{- if and (ne .value "provider") (not (has $text .choices)) }}
{{- $p = append $p (printf "%s is %q: use one of %s" .value $text (without .choices "" | join ", ")) }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* The pattern of a network. */}}
{{- define "multicloud-ccm.network" -}}
^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])([.]|/)){4}(3[0-2]|[12]?[0-9])$|^[0-9a-fA-F:]*:[0-9a-fA-F:.]*/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$
{{- end }}

{{/* Problems of .text, the networks of the value .value of which no cloud knows. */}}
{{- define "multicloud-ccm.problemsOfNetworks" -}}
{{- $p := list }}
{{- range compact (splitList "," (toString .text)) }}
{{- $parts := splitList "/" (trim .) }}
{{- $bits := int (last $parts) }}
{{- $six := contains ":" . }}
{{- if not (regexMatch (include "multicloud-ccm.network" $) (trim .)) }}
{{- $p = append $p (printf "%s has %q: use networks such as 100.64.0.0/10, with commas between" $.value .) }}
{{- else if lt $bits (ternary 32 8 $six) }}
{{- $p = append $p (printf "%s has %q, which is too wide: use /8 or narrower for IPv4, /32 for IPv6" $.value .) }}
{{- else if not $six }}
{{- /* The bits behind the prefix, octet by octet. */}}
{{- $behind := false }}
{{- range $n, $octet := splitList "." (first $parts) }}
{{- $size := 256 }}
{{- range until (max 0 (min 8 (sub $bits (mul 8 $n))) | int) }}{{ $size = div $size 2 }}{{ end }}
{{- if mod (int $octet) $size }}{{ $behind = true }}{{ end }}
{{- end }}
{{- if $behind }}
{{- $p = append $p (printf "%s has %q, which has bits behind its prefix: use the first address of the network, or /32 for one address alone" $.value .) }}
{{- else if regexMatch "^(0|127|169[.]254|22[4-9]|23[0-9])[.]" (trim .) }}
{{- $p = append $p (printf "%s has %q, where nobody reaches a Node: use the network of a VPN such as 100.64.0.0/10" $.value .) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* Says "true" of what can be reserved: a name, an address, a network, or a server with a port or as a URL. */}}
{{- define "multicloud-ccm.reservable" -}}
{{- $network := include "multicloud-ccm.network" . }}
{{- $host := regexReplaceAll "^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]+)([/?#].*)?$" . "${1}" }}
{{- $host = regexReplaceAll "^([^:/]+):[0-9]+$" $host "${1}" }}
{{- $host = regexReplaceAll (printf "^\\[([^]]+)\\]%s$" (ternary ":[0-9]+" "(:[0-9]+)?" (eq $host .))) $host "${1}" }}
{{- $name := and (regexMatch "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*[.]?$" $host) (not (regexMatch "(^|[.])([0-9]+|0[xX][^.]*)[.]?$" $host)) }}
{{- $address := regexMatch $network (printf "%s/%s" $host (ternary "128" "32" (contains ":" $host))) }}
{{- if or (regexMatch $network .) $address $name }}true{{ end }}
{{- end }}

{{/* What a pattern cannot say of the items of a list. */}}
{{- define "multicloud-ccm.problemsOfLists" -}}
{{- $p := list }}
{{- $ports := toString .Values.controllers.firewall.deniedPorts }}
{{- range regexFindAll "[0-9]+(-[0-9]+)?" $ports -1 }}
{{- $ends := splitList "-" . }}
{{- if or (gt (int64 (last $ends)) 65535) (gt (int64 (first $ends)) (int64 (last $ends))) }}
{{- $p = append $p (printf "controllers.firewall.deniedPorts has %q: use a port up to 65535, or a range from a smaller to a larger one" .) }}
{{- end }}
{{- end }}
{{- $four := 0 }}
{{- $six := 0 }}
{{- range compact (splitList "," (toString .Values.controllers.route.clusterCIDR)) }}
{{- if not (regexMatch (include "multicloud-ccm.network" $) (trim .)) }}
{{- $p = append $p (printf "controllers.route.clusterCIDR has %q: use a network such as 10.244.0.0/16, or an IPv4 and an IPv6 one with a comma between" .) }}
{{- end }}
{{- if contains ":" . }}{{ $six = add1 $six }}{{ else }}{{ $four = add1 $four }}{{ end }}
{{- end }}
{{- if or (gt $four 1) (gt $six 1) }}
{{- $p = append $p (printf "controllers.route.clusterCIDR is %q: use one network, or an IPv4 and an IPv6 one" (toString .Values.controllers.route.clusterCIDR)) }}
{{- end }}
{{- $certificates := .Values.controllers.kubeletServingCertificate }}
{{- $p = concat $p
  (include "multicloud-ccm.problemsOfNetworks" (dict "value" "nodes.networks" "text" .Values.nodes.networks) | fromJsonArray)
  (include "multicloud-ccm.problemsOfNetworks" (dict "value" "controllers.kubeletServingCertificate.networks" "text" $certificates.networks) | fromJsonArray) }}
{{- range splitList "," (toString $certificates.reserved) }}
{{- if and $certificates.reserved (not (include "multicloud-ccm.reservable" .)) }}
{{- $p = append $p (printf "controllers.kubeletServingCertificate.reserved has %q: use names, addresses, networks such as 10.20.0.0/24, and servers such as https://api.example.com:6443, with commas and nothing else between" (regexReplaceAll "^.*@" . "…@")) }}
{{- end }}
{{- end }}
{{- range .Values.networkPolicy.egress.ports }}
{{- $text := include "multicloud-ccm.text" . }}
{{- if or (not (regexMatch "^[1-9][0-9]{0,4}$" $text)) (gt (int64 $text) 65535) }}
{{- $p = append $p (printf "networkPolicy.egress.ports has %q: use ports from 1 to 65535" $text) }}
{{- end }}
{{- end }}
{{- range .Values.networkPolicy.egress.cidrs }}
{{- if not (regexMatch (include "multicloud-ccm.network" $) .) }}
{{- $p = append $p (printf "networkPolicy.egress.cidrs has %q: use networks such as 10.0.0.0/8" .) }}
{{- end }}
{{- end }}
{{- $rules := list }}
{{- range splitList "," (toString .Values.safety.adoption) }}{{ if has . (list "unowned" "own" "any") }}{{ $rules = append $rules . }}{{ end }}{{ end }}
{{- if gt (len (uniq $rules)) 1 }}
{{- $p = append $p (printf "safety.adoption has %s, which exclude each other: use one of them" (join " and " (uniq $rules))) }}
{{- end }}
{{- toJson $p }}
{{- end }}
