{{/* The beginning of every name. */}}
{{- define "farebox.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels that find the pods of a part: .root, .app. What ends by itself or waits is not among the services. */}}
{{- define "farebox.selector" -}}
app.kubernetes.io/name: {{ has .app (list "migration" "admin") | ternary (printf "farebox-%s" .app) "farebox" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end -}}

{{/* The labels of an object of a part: .root, .app. */}}
{{- define "farebox.labels" -}}
{{ include "farebox.selector" . }}
app.kubernetes.io/part-of: farebox
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* The labels of an object of the whole. */}}
{{- define "farebox.commonLabels" -}}
app.kubernetes.io/name: farebox
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: farebox
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The image of a part: .root, .app. */}}
{{- define "farebox.image" -}}
{{- $image := .root.Values.image -}}
{{- $name := printf "farebox-%s" .app -}}
{{- if $image.registry }}{{ $name = printf "%s/%s" (trimSuffix "/" $image.registry) $name }}{{ end -}}
{{- with index $image.digests .app -}}
{{- printf "%s@%s" $name . -}}
{{- else -}}
{{- printf "%s:%s" $name ($image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The host of customers. */}}
{{- define "farebox.host" -}}
{{- $url := required "config.FAREBOX_PUBLIC_URL is required: https:// and the host where customers find the service." .Values.config.FAREBOX_PUBLIC_URL -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse $url).host "" -}}
{{- end -}}

{{/* The paths of the gateways, as prefixes of whole segments: libs/api/src/gateway-paths.ts. The account service has all others. */}}
{{- define "farebox.gatewayPaths" -}}
- /v1/models
- /v1/chat/completions
- /v1/messages
- /v1/responses
- /v1/embeddings
- /v1/quotes
{{- end -}}
