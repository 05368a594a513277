{{/*
What every pod has in common. No token of Kubernetes: nothing here talks to it. No variables of Services either: one for a
Service called farebox-gateway would be FAREBOX_GATEWAY_PORT, and would not be a port.
*/}}
{{- define "farebox.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.trustedCertificates.configMap }}
volumes:
  - name: trusted-certificates
    configMap:
      name: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What every container has in common: .root, .app, .given. */}}
{{- define "farebox.container" -}}
name: {{ .app }}
image: {{ include "farebox.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  {{- if .root.Values.trustedCertificates.configMap }}
  - name: NODE_EXTRA_CA_CERTS
    value: /etc/farebox/trusted/ca.pem
  {{- end }}
  {{- include "farebox.env" . | nindent 2 }}
{{- if .root.Values.trustedCertificates.configMap }}
volumeMounts:
  - name: trusted-certificates
    mountPath: /etc/farebox/trusted
    readOnly: true
{{- end }}
resources:
  {{- toYaml (index .root.Values .app).resources | nindent 2 }}
{{- end -}}
