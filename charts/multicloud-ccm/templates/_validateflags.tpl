{{/* What is wrong with flags and their values, see _validate.tpl. */}}

{{/* Values that the program would refuse at its start. */}}
{{- define "multicloud-ccm.problemsOfFlags" -}}
{{- $p := list }}
{{- range .Files.Get "files/flags.yaml" | fromYamlArray }}
{{- $text := "" }}
{{- if .value }}{{ $text = include "multicloud-ccm.text" (include "multicloud-ccm.get" (dict "values" $.Values "path" .value) | fromJson).v }}{{ end }}
{{- if not $text }}
{{- if and .value .pattern .want (not (regexMatch .pattern "")) }}
{{- $p = append $p (printf "%s is not set: use %s" .value .want) }}
{{- end }}
{{- else if .duration }}
{{- $seconds := include "multicloud-ccm.seconds" $text | float64 }}
{{- if or (not (regexMatch "^([0-9]+([.][0-9]+)?(ms|s|m|h))+$" $text)) (lt $seconds (default 0.001 .least | float64)) }}
{{- $p = append $p (printf "%s is %q: use %s" .value $text (default (printf "a duration of at least 1ms, such as %s" (default "1m" .default)) .want)) }}
{{- else if gt $seconds 9e9 }}
{{- $p = append $p (printf "%s is %q: use at most 2500000h" .value $text) }}
{{- end }}
{{- else if .most }}
{{- $number := regexMatch (ternary "^(0|[1-9][0-9]*)$" "^(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$" (default false .integer)) $text }}
{{- if or (not $number) (lt (float64 $text) (float64 (default 0 .least))) (gt (float64 $text) (float64 .most)) }}
{{- $range := printf "%s from %v to %d" (ternary "a whole number" "a number" (default false .integer)) (default 0 .least) (int64 .most) }}
{{- $p = append $p (printf "%s is %q: use %s" .value $text (default $range .want)) }}
{{- end }}
{{- else if and .want (not (regexMatch .pattern $text)) }}
{{- $p = append $p (printf "%s is %q: use %s" .value $text .want) }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* The order that client-go's leader election demands; its factor for the retry period is 1.2. */}}
{{- define "multicloud-ccm.problemsOfLeader" -}}
{{- $p := list }}
{{- $l := dict }}
{{- range .Files.Get "files/flags.yaml" | fromYamlArray }}
{{- if hasPrefix "leaderElection." (default "" .value) }}
{{- $text := include "multicloud-ccm.text" (include "multicloud-ccm.get" (dict "values" $.Values "path" .value) | fromJson).v }}
{{- $_ := set $l (trimPrefix "leaderElection." .value) (default .default $text) }}
{{- end }}
{{- end }}
{{- if ne .Values.safety.mode "dry-run" }}
{{- $lease := include "multicloud-ccm.seconds" $l.leaseDuration | float64 }}
{{- $renew := include "multicloud-ccm.seconds" $l.renewDeadline | float64 }}
{{- $retry := include "multicloud-ccm.seconds" $l.retryPeriod | float64 }}
{{- if le $lease $renew }}
{{- $p = append $p (printf "leaderElection.leaseDuration is %s and leaderElection.renewDeadline is %s: the lease has to last longer" $l.leaseDuration $l.renewDeadline) }}
{{- end }}
{{- if le $renew (mulf 1.2 $retry) }}
{{- $p = append $p (printf "leaderElection.renewDeadline is %s and leaderElection.retryPeriod is %s: the deadline has to be more than 1.2 times as long" $l.renewDeadline $l.retryPeriod) }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}

{{/* The seconds of a duration such as 1m30s, 0 for what is none. */}}
{{- define "multicloud-ccm.seconds" -}}
{{- $seconds := 0.0 }}
{{- range regexFindAll "[0-9]+([.][0-9]+)?(ms|s|m|h)" (toString .) -1 }}
{{- $unit := regexFind "[a-z]+" . }}
{{- $seconds = addf $seconds (mulf (trimSuffix $unit .) (get (dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0) $unit)) }}
{{- end }}
{{- $seconds }}
{{- end }}

{{- define "multicloud-ccm.problemsOfArgs" -}}
{{- $p := list }}
{{- $values := dict }}
{{- range .Files.Get "files/flags.yaml" | fromYamlArray }}
{{- $_ := set $values .flag (default "" .value) }}
{{- end }}
{{- /* Another image may have other flags. */}}
{{- $another := or .Values.image.tag .Values.image.digest }}
{{- $image := (.Files.Get "files/shape.yaml" | fromYaml).image.fields }}
{{- range $field := list "registry" "repository" }}
{{- if ne (get $.Values.image $field) (get (get $image $field) "default") }}{{ $another = true }}{{ end }}
{{- end }}
{{- $known := .Files.Get "files/flagnames.yaml" | fromYaml }}
{{- $kinds := dict
  "boolean" (dict "pattern" "^([01tTfF]|true|false|True|False|TRUE|FALSE)$" "want" "true or false")
  "duration" (dict "pattern" "^[+-]?(0|([0-9]+[.]?[0-9]*(ns|us|ms|s|m|h))+)$" "want" "a duration such as 1m30s")
  "integer" (dict "pattern" "^[+-]?[0-9]+$" "want" "a whole number")
  "number" (dict "pattern" "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$" "want" "a number") }}
{{- range $name, $value := .Values.extraArgs }}
{{- if hasPrefix "-" $name }}
{{- $p = append $p (printf "extraArgs has %q: write the flag without dashes, %q" $name (trimPrefix "-" (trimPrefix "-" $name))) }}
{{- else if hasKey $values $name }}
{{- $other := get $values $name }}
{{- $p = append $p (printf "extraArgs.%s: %s" $name (ternary (printf "the chart sets this flag from %s, use that" $other) "the chart sets this flag itself, leave it out" (ne $other ""))) }}
{{- else if and (not (hasKey $known $name)) (not $another) }}
{{- $p = append $p (printf "extraArgs.%s: the program has no such flag; `cloud-controller-manager --help` lists those it has" $name) }}
{{- else if not (kindIs "invalid" $value) }}
{{- $kind := get $kinds (get $known $name | default "") }}
{{- range (kindIs "slice" $value | ternary $value (list $value)) }}
{{- $text := include "multicloud-ccm.text" . }}
{{- if and $kind (not (regexMatch $kind.pattern $text)) }}
{{- $p = append $p (printf "extraArgs.%s is %q: use %s" $name $text $kind.want) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $p }}
{{- end }}
