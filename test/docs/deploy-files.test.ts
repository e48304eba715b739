import { expect, test } from "bun:test"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkDeploy, type Deployment } from "../../scripts/deploy/check.ts"
import { render } from "../../scripts/deploy/template.ts"

const DEPLOY = join(import.meta.dir, "../../deploy")
const COMPOSE = "compose/compose.yaml"
const NGINX = "compose/nginx.conf"
const UNIT = "systemd/tollgate.service"
const VALUES = "helm/tollgate/values.yaml"
const SCHEMA = "helm/tollgate/values.schema.json"
const WORKLOAD = "helm/tollgate/templates/workload.yaml"

test("the deployment files have no faults", () => {
  expect(checkDeploy(DEPLOY)).toEqual([])
})

/** Returns the faults of a file's deployment after a text in the file is replaced. */
function faultsAfter(file: string, from: string, to: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-deploy-files-"))
  try {
    cpSync(DEPLOY, folder, { recursive: true })
    const text = readFileSync(join(folder, file), "utf8")
    expect(text).toContain(from)
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    )
    return checkDeploy(folder, file.split("/")[0] as Deployment)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.each([
  ["Dockerfile", "USER 65532:65532", "USER root", "USER must be a number other than 0"],
  ["Dockerfile", "COPY . .", "COPI . .", "Unknown instruction: COPI"],
  [
    "Dockerfile",
    "node:22-bookworm-slim",
    "node",
    "FROM --platform=$BUILDPLATFORM node AS build: name a version",
  ],
  ["Dockerfile", 'CMD ["serve"]', "CMD serve", "CMD must be a list"],
  ["Dockerfile", "EXPOSE 8787", "EXPOSE 8080", "EXPOSE is not TOLLGATE_PORT"],
  ["Dockerfile", "WORKDIR /data\n", "RUN true\n", "RUN needs a shell"],
  ["Dockerfile", "TOLLGATE_HOST=", "TOLLGATE_HOTS=", "unknown variable, ignored"],
  [COMPOSE, "restart: unless-stopped", "restart: sometimes", "unless-stopped"],
  [COMPOSE, "  read_only: true", "  readonly: true", "readonly"],
  [
    COMPOSE,
    "TOLLGATE_SETTLE: ${TOLLGATE_SETTLE:-database}",
    "TOLLGATE_SETTLE: disk",
    "way to settle",
  ],
  [COMPOSE, "TOLLGATE_DRAIN: 30s", "TOLLGATE_DRAIN: 31s", "killed after 60s, and may need 61s"],
  [COMPOSE, "ipv4_address: 172.28.87.2", "ipv4_address: 172.28.88.2", "outside of the network"],
  [COMPOSE, "ipv4_address: 172.28.87.2", "ipv4_address: 172.28.87.3", "trusts another proxy"],
  [COMPOSE, "172.28.87.12", "172.28.87.212", "another service may get it"],
  [COMPOSE, "172.28.87.12", "172.28.87", "Invalid IPv4"],
  [COMPOSE, "- node-2:/data", "- nodes-2:/data", "there is no nodes-2"],
  [COMPOSE, '"8787:8080"', '"8787:80"', "does not publish the port 8080"],
  ["compose/tollgate.yaml", "allow_insecure", "allow_insecurity", "unknown name"],
  ["compose/tollgate.yaml", "allow_insecure: true", "allow_insecure: false", "without verifying"],
  [NGINX, "server node-2:8787", "server node-3:8787", "the nodes are node-1:8787, node-2:8787"],
  [NGINX, "proxy_buffering off;", "proxy_buffering on;", "'proxy_buffering off;' is missing"],
  [NGINX, "For $remote_addr", "For $proxy_add_x_forwarded_for", "is missing"],
  [UNIT, "User=tollgate", "User=root", "User must be 'tollgate'"],
  [UNIT, "Environment=TOLLGATE_DRAIN=30s", "Environment=TOLLGATE_DRAIN=1h", "killed after 55s"],
  [UNIT, "NoNewPrivileges=yes", "no new privileges", "is not a directive"],
  ["helm/tollgate/Chart.yaml", "apiVersion: v2", "apiVersion: v1", "v2"],
  [VALUES, "  limits: { body_mb: 32 }", "  limits: { body: 32 }", "unknown name 'body'"],
  [VALUES, "drain: 30s", "drain: 36s", "killed after 65s, and may need 71s"],
  [VALUES, "affinity: {}", "affinity: {}\nreplica: 2", "no template uses .Values.replica"],
  [SCHEMA, '["database", "journal"]', '["database", "journal", "Journal"]', '{"settle":"Journal"}'],
  [SCHEMA, '"secret": { "type": "string", "minLength": 1 }', '"secret": {}', '{"secret":123}'],
  [SCHEMA, '"drain": {', '"drains": {', 'Unrecognized key: "drain"'],
  [WORKLOAD, "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"],
  [WORKLOAD, "name: TOLLGATE_CONFIG", "name: TOLLGATE_CONFIGURATION", "unknown variable"],
  [WORKLOAD, "containerPort: 8787", "containerPort: 8788", "the image listens on 8787"],
  [WORKLOAD, "path: /readyz", "path: /healthz", "readinessProbe.httpGet.path"],
  [WORKLOAD, "{{ .Values.replicas }}", "{{ .Values.replica }}", "there is no .Values.replica"],
  [WORKLOAD, "mountPath: /tmp", "mountPaths: /tmp", "mountPaths"],
  [
    WORKLOAD,
    "            - name: tmp\n",
    "            - name: temp\n",
    "and mounts data,settings,temp",
  ],
  ...["Env", "EnvFrom", "Volumes", "VolumeMounts"].map((name) => {
    const line = `{{- toYaml .Values.extra${name} | nindent ${name === "Volumes" ? 8 : 12} }}\n`
    return [WORKLOAD, line, "\n", `it does not use extra${name}`] as const
  }),
] as const)(
  "the check of %s reports a fault if %s is replaced by %s",
  (file, from, to, expected) => {
    const faults = faultsAfter(file, from, to)
    expect(faults.join("\n")).toContain(expected)
  },
)

test("the chart renderer rejects unknown syntax", () => {
  const scope = { Values: { a: 1 } }
  const rendered = (template: string): string => render(template, scope, new Set())
  expect(
    rendered('{{- if eq .Values.a "1" }}\na\n{{- else }}\nb: {{ .Values.a | quote }}\n{{- end }}'),
  ).toBe('b: "1"')
  expect(render("{{- if .Values.a }}\na\n{{- end }}", { Values: { a: [] } }, new Set())).toBe("")
  for (const template of [
    "{{ include .Values.a }}",
    "{{- range .Values.a }}",
    "{{ .Values.b }}",
    "{{- if .Values.a }}",
  ]) {
    expect(() => rendered(template)).toThrow()
  }
})
