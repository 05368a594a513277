{{/*
The variables of a part: .root, .app, and .given, what the chart itself decides. Only what variables.yaml says that it reads;
what is for one part comes before what is for all.
*/}}
{{- define "farebox.env" -}}
{{- $app := .app -}}
{{- $values := .root.Values -}}
{{- $own := index $values $app -}}
{{- $readers := .root.Files.Get "variables.yaml" | fromYaml -}}
{{- $variables := dict -}}
{{- range $kind := list "config" "secrets" -}}
{{- $known := index $readers $kind -}}
{{- range $name, $value := index $values $kind -}}
{{- if not (hasKey $known $name) }}{{ fail (include "farebox.misplaced" (dict "place" $kind "name" $name)) }}{{ end -}}
{{- if and $value (has $app (index $known $name)) }}{{ $_ := set $variables $name (dict $kind $value) }}{{ end -}}
{{- end -}}
{{- range $name, $value := index $own $kind -}}
{{- if not (has $app (index $known $name | default list)) }}{{ fail (include "farebox.misplaced" (dict "place" (printf "%s.%s" $app $kind) "name" $name)) }}{{ end -}}
{{- if $value }}{{ $_ := set $variables $name (dict $kind $value) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := .given }}{{ $_ := set $variables $name (dict "config" $value) }}{{ end -}}
{{- range $name, $value := $own.upstreamSecrets }}{{ $_ := set $variables $name (dict "secrets" $value) }}{{ end -}}
{{- range $name, $is := $variables }}
- name: {{ $name }}
{{- if $is.secrets }}
  valueFrom:
    secretKeyRef:
      name: {{ $is.secrets.name }}
      key: {{ $is.secrets.key | default $name }}
{{- else }}
  value: {{ $is.config | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "farebox.misplaced" -}}
{{ .place }}.{{ .name }}: nothing reads a variable of that name there. A secret belongs into `secrets`, by reference; ports and hosts are the images', and the drain is gateway.longestStreamSeconds.
{{- end -}}
