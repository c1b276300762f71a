{{- define "farwatch.name" -}}
{{- if contains "farwatch" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-farwatch" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Of the pods of one part. Argument: list of context and component. */}}
{{- define "farwatch.selector" -}}
{{- $context := index . 0 -}}
app.kubernetes.io/name: farwatch
app.kubernetes.io/instance: {{ $context.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "farwatch.labels" -}}
{{- $context := index . 0 -}}
{{ include "farwatch.selector" . }}
app.kubernetes.io/version: {{ $context.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $context.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $context.Chart.Name $context.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "farwatch.image" -}}
{{ required "image.repository: name the image in your registry, such as registry.example.com/farwatch" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Fields that the pods of controllers and probes share. */}}
{{- define "farwatch.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# The product ends itself 10 s after SIGTERM at the latest.
terminationGracePeriodSeconds: 30
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "farwatch.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "farwatch.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* Argument: list of a part of the values, its name, our variables and those that only the chart sets. */}}
{{- define "farwatch.environment" -}}
{{- $settings := (index . 0).settings -}}
{{- range index . 3 }}
{{- if hasKey $settings . }}{{ fail (printf "%s.settings.%s: the chart itself sets it" (index $ 1) .) }}{{ end }}
{{- end }}
{{- range $name, $value := merge (deepCopy $settings) (index . 2) }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "farwatch.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
