{{/*
What runs all the time. `port`: of customers or operators. `probes`: the port of /healthz and /readyz. `stopSeconds`: how
long the process takes to stop at most, after SIGTERM.
*/}}
{{- define "farebox.services" -}}
gateway:
  port: 8081
  probes: http
  stopSeconds: {{ add .Values.gateway.longestStreamSeconds 27 }}
account:
  port: 8082
  probes: http
  stopSeconds: 15
operator:
  port: 8083
  probes: http
  stopSeconds: 35
worker:
  probes: metrics
  stopSeconds: 25
{{- end -}}

{{/* Before SIGTERM: until every proxy knows that the pod is going, it serves as before. */}}
{{- define "farebox.leaveSeconds" -}}10{{- end -}}
