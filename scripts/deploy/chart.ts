import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { parse } from "yaml"
import { z } from "zod"
import { graceFaults, readSettings } from "./gateway-settings.ts"
import { OBJECTS, type Workload } from "./kubernetes.ts"
import { render } from "./template.ts"

const chartSchema = z.strictObject({
  apiVersion: z.literal("v2"),
  name: z.literal("tollgate"),
  description: z.string(),
  type: z.literal("application"),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  appVersion: z.string(),
  kubeVersion: z.string(),
})
const SCHEMA = "values.schema.json"
const valuesSchema = z.looseObject({
  settings: z.string(),
  journal: z.looseObject({ storageClass: z.string() }),
})

/**
 * Values that the cluster or the gateway would reject only later. Helm must reject them, and its error must name them.
 */
const WRONG_VALUES: readonly Readonly<Record<string, unknown>>[] = [
  { settle: "Journal" },
  { secret: "" },
  { secret: 123 },
  { settings: { limits: { body_mb: 32 } } },
  { trustedProxies: ["10.0.0.0/8"] },
  { memoryMb: 2_000_000 },
  { replicas: "two" },
  { replica: 2 },
  { journal: { size: "1Gi", storageclass: "fast" } },
]

/** Values with which an operator adds a certificate authority and further environment variables. */
const EXTRAS = {
  extraEnv: [
    { name: "NODE_EXTRA_CA_CERTS", value: "/etc/ca/ca.pem" },
    { name: "TOLLGATE_LOG", valueFrom: { secretKeyRef: { name: "other", key: "level" } } },
  ],
  extraEnvFrom: [{ secretRef: { name: "vendors" } }, { configMapRef: { name: "proxies" } }],
  extraVolumes: [{ name: "ca", secret: { secretName: "tollgate-ca" } }],
  extraVolumeMounts: [{ name: "ca", mountPath: "/etc/ca", readOnly: true }],
}

/** The contents of an operator's secret. */
const SECRET = {
  TOLLGATE_DATABASE_URL: "postgres://tollgate:secret@db.example.com/tollgate?sslmode=verify-full",
  TOLLGATE_SECRET: "0123456789abcdef0123456789abcdef",
}

/**
 * Returns the faults of the chart. It is rendered for both ways to settle requests, with and without extras.
 * @param port the port on which the image listens.
 */
export function checkChart(folder: string, port: number): string[] {
  const chart = chartSchema.parse(parse(readFileSync(join(folder, "Chart.yaml"), "utf8")))
  const values = valuesSchema.parse(parse(readFileSync(join(folder, "values.yaml"), "utf8")))
  const used = new Set<string>()
  const templates = readTemplates(folder)
  const faults = Object.keys(OBJECTS)
    .filter((name) => !templates.has(`${name}.yaml`))
    .map((name) => `there is no template ${name}.yaml`)
  const ways = ["database", "journal"].flatMap((settle) => [
    { settle, extras: undefined },
    { settle, extras: EXTRAS },
  ])
  for (const { settle, extras } of ways) {
    const journal = { ...values.journal, storageClass: settle === "journal" ? "fast" : "" }
    const scope = {
      Values: { ...values, settle, journal, ...extras },
      Release: { Name: "tollgate" },
      Chart: { AppVersion: chart.appVersion },
    }
    for (const [name, text] of templates) {
      const rendered = render(text, scope, used)
      const found = objectFaults(name, rendered, values.settings, port)
      if (extras && name === "workload.yaml") found.push(...missingExtras(rendered, extras))
      const way = `settle=${settle}${extras ? " and extras" : ""}`
      faults.push(...found.map((fault) => `${name} with ${way}: ${fault}`))
    }
  }
  faults.push(...schemaFaults(folder, values))
  const idle = leavesOf(values, ".Values").filter((path) => !isUsed(path, used))
  return [...faults, ...idle.map((path) => `values.yaml: no template uses ${path}`)]
}

/**
 * Returns the faults of the schema for Helm values. The schema must accept the chart's own values and reject invalid
 * ones.
 */
function schemaFaults(folder: string, values: Readonly<Record<string, unknown>>): string[] {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(join(folder, SCHEMA), "utf8")))
  const { error } = schema.safeParse({ ...values, ...EXTRAS })
  const taken = WRONG_VALUES.filter((wrong) => schema.safeParse({ ...values, ...wrong }).success)
  return [
    ...(error?.issues ?? []).map(({ path, message }) => `${SCHEMA}: ${path.join(".")}: ${message}`),
    ...taken.map((wrong) => `${SCHEMA}: accepts ${JSON.stringify(wrong)}`),
  ]
}

function readTemplates(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(folder, "templates")).toSorted()
  return new Map(names.map((name) => [name, readFileSync(join(folder, "templates", name), "utf8")]))
}

function objectFaults(name: string, text: string, settings: string, port: number): string[] {
  const [, kind = ""] = /^(.+)\.yaml$/.exec(name) ?? []
  if (!isObject(kind)) return ["is checked by nothing"]
  const { data, error } = OBJECTS[kind].safeParse(parse(text))
  if (error) return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
  switch (data.kind) {
    case "Deployment":
    case "StatefulSet":
      return workloadFaults(data, settings, port)
    case "ConfigMap":
      return data.data["tollgate.yaml"].trim() === settings.trim() ? [] : ["changes the settings"]
    default:
      return []
  }
}

/** Returns the extras that are missing in the container or in the pod. Extras must come after all other entries. */
function missingExtras(text: string, extras: typeof EXTRAS): string[] {
  const { data } = OBJECTS.workload.safeParse(parse(text))
  if (data === undefined) return []
  const { containers, volumes } = data.spec.template.spec
  const [{ env, envFrom, volumeMounts }] = containers
  const places = [
    ["extraEnv", env, extras.extraEnv],
    ["extraEnvFrom", envFrom, extras.extraEnvFrom],
    ["extraVolumes", volumes, extras.extraVolumes],
    ["extraVolumeMounts", volumeMounts, extras.extraVolumeMounts],
  ] as const
  return places.flatMap(([name, found, wanted]) =>
    isDeepStrictEqual(found.slice(-wanted.length), wanted) ? [] : [`it does not use ${name}`],
  )
}

function isObject(name: string): name is keyof typeof OBJECTS {
  return Object.hasOwn(OBJECTS, name)
}

function workloadFaults({ spec }: Workload, settings: string, port: number): string[] {
  const { template, selector } = spec
  const [{ env, ports, volumeMounts }] = template.spec.containers
  const variables = Object.fromEntries(
    env.flatMap((one) => ("value" in one ? [[one.name, one.value]] : [])),
  )
  const read = readSettings({ ...variables, ...SECRET }, settings)
  const faults = [...read.faults]
  const { terminationGracePeriodSeconds: grace } = template.spec
  if (read.settings) faults.push(...graceFaults(read.settings, `${grace}s`))
  if (read.settings?.server.port !== port || ports[0].containerPort !== port) {
    faults.push(`the image listens on ${port}`)
  }
  if (!isDeepStrictEqual(selector.matchLabels, template.metadata.labels)) {
    faults.push("its selector does not select its pods")
  }
  const claims = "volumeClaimTemplates" in spec ? spec.volumeClaimTemplates : []
  const volumes = [...template.spec.volumes, ...claims.map(({ metadata }) => metadata)]
  const given = volumes.map((volume) => volume.name).toSorted()
  const mounted = volumeMounts.map((mount) => mount.name).toSorted()
  if (given.join() !== mounted.join()) faults.push(`it has ${given}, and mounts ${mounted}`)
  return faults
}

function leavesOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [path]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}.${name}`))
}

/** Whether a value is used by itself, or as a part of a larger value that is used as a whole. */
function isUsed(path: string, used: ReadonlySet<string>): boolean {
  return [...used].some((one) => path === one || path.startsWith(`${one}.`))
}
