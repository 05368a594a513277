{{/* Rules of NetworkPolicies, each a list of one. */}}
{{- define "farebox.egressToDns" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns | nindent 4 }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end -}}

{{- define "farebox.egressToPostgres" -}}
{{- include "farebox.egressTo" .Values.networkPolicy.postgres -}}
{{- end -}}

{{/* .port, .sentinelPort if Redis has sentinels, .to: every address if it is empty. */}}
{{- define "farebox.egressTo" -}}
- ports:
    - { protocol: TCP, port: {{ .port }} }
  {{- with .sentinelPort }}
    - { protocol: TCP, port: {{ . }} }
  {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Public addresses: no other pod, no service of the provider that gives out credentials. */}}
{{- define "farebox.egressToInternet" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [10.0.0.0/8, 100.64.0.0/10, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16]
    - ipBlock:
        cidr: ::/0
        except: [fc00::/7, fe80::/10]
  ports:
    {{- range .Values.networkPolicy.internetPorts }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}
