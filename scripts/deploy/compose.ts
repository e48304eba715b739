import { readFileSync } from "node:fs"
import { BlockList } from "node:net"
import { join } from "node:path"
import { parse } from "yaml"
import { z } from "zod"
import { graceFaults, readSettings } from "./gateway-settings.ts"

/** The value that replaces `${NAME:?}` during the check. */
const SECRET = "0123456789abcdef0123456789abcdef"

const names = z.array(z.string())
const values = z.record(z.string(), z.string())
const attached = z.strictObject({ default: z.strictObject({ ipv4_address: z.ipv4() }) })
const serviceSchema = z.strictObject({
  image: z.string().regex(/^[\w./-]+(:(?!latest)[\w.-]+)?$/),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  environment: values.optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).optional(),
  depends_on: z
    .union([names, z.record(z.string(), z.strictObject({ condition: z.string() }))])
    .optional(),
  restart: z.literal("unless-stopped"),
  stop_grace_period: z.string().optional(),
  read_only: z.literal(true).optional(),
  tmpfs: names.optional(),
  cap_drop: z.tuple([z.literal("ALL")]).optional(),
  security_opt: names.optional(),
  ports: names.optional(),
  volumes: names.optional(),
  networks: attached.optional(),
  healthcheck: z
    .strictObject({
      test: names,
      interval: z.string(),
      timeout: z.string(),
      retries: z.number(),
    })
    .optional(),
})
const subnets = z.strictObject({
  config: z.tuple([z.strictObject({ subnet: z.cidrv4(), ip_range: z.cidrv4() })]),
})
const composeSchema = z.strictObject({
  name: z.string(),
  "x-node": z.unknown(),
  services: z.record(z.string(), serviceSchema),
  networks: z.strictObject({ default: z.strictObject({ ipam: subnets }) }),
  volumes: z.record(z.string(), z.null()),
})

type Compose = z.output<typeof composeSchema>
type Service = z.output<typeof serviceSchema>

/**
 * Returns the faults of `compose.yaml` and of the files that it mounts.
 * @param port the port on which the image listens.
 */
export function checkCompose(folder: string, port: number): string[] {
  const compose = composeSchema.parse(
    parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }),
  )
  const settings = readFileSync(join(folder, "tollgate.yaml"), "utf8")
  const nginx = readFileSync(join(folder, "nginx.conf"), "utf8")
  const nodes = Object.entries(compose.services).filter(([, { image }]) => image === "tollgate")
  const addresses = nodes.map(([name]) => `${name}:${port}`)
  return [
    ...nodes.flatMap(([name, node]) =>
      nodeFaults(node, settings).map((text) => `${name}: ${text}`),
    ),
    ...addressFaults(compose),
    ...strayNames(compose),
    ...nginxFaults(nginx, addresses, compose.services["nginx"]?.ports ?? []),
  ]
}

function nodeFaults(node: Service, text: string): string[] {
  const environment = Object.entries(node.environment ?? {}).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{\w+:\?[^}]*\}/g, SECRET).replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1"),
  ])
  const { settings, faults } = readSettings(Object.fromEntries(environment), text)
  const grace = settings ? graceFaults(settings, node.stop_grace_period ?? "10s") : []
  const isLocked = node.read_only === true && node.cap_drop !== undefined
  return [...faults, ...grace, ...(isLocked ? [] : ["must be read_only, and drop ALL"])]
}

/**
 * Returns the addresses that do not agree. Nodes trust nginx at its fixed address, and nginx resolves the addresses of
 * the nodes only at its start.
 */
function addressFaults({ services, networks }: Compose): string[] {
  const [{ subnet, ip_range }] = networks.default.ipam.config
  const nginx = services["nginx"]?.networks?.default.ipv4_address
  return Object.entries(services).flatMap(([name, { environment, networks: own }]) => {
    const faults: string[] = []
    const address = own?.default.ipv4_address
    const trusted = environment?.["TOLLGATE_TRUSTED_PROXIES"]
    if (trusted !== undefined && trusted !== nginx) faults.push(`${name} trusts another proxy`)
    if (trusted !== undefined && address === undefined) faults.push(`${name} has no address`)
    if (address !== undefined && (!isIn(address, subnet) || isIn(address, ip_range))) {
      faults.push(`${name}: its address is outside of the network, or another service may get it`)
    }
    return faults
  })
}

function isIn(address: string, range: string): boolean {
  const [start = "", prefix] = range.split("/")
  const list = new BlockList()
  list.addSubnet(start, Number(prefix), "ipv4")
  return list.check(address)
}

/** Returns names of volumes and services that are used but do not exist. */
function strayNames({ services, volumes }: Compose): string[] {
  return Object.entries(services).flatMap(([name, service]) => {
    const mounted = (service.volumes ?? []).map((volume) => volume.split(":")[0] ?? "")
    const depended = service.depends_on ?? []
    const others = Array.isArray(depended) ? depended : Object.keys(depended)
    return [
      ...mounted.filter((volume) => !volume.startsWith("./") && !(volume in volumes)),
      ...others.filter((other) => !(other in services)),
    ].map((missing) => `${name}: there is no ${missing}`)
  })
}

/** Lines of the nginx configuration that are required for streams, uploads and the addresses of callers. */
const NGINX_LINES = [
  "proxy_buffering off;",
  "proxy_request_buffering off;",
  "proxy_http_version 1.1;",
  "proxy_set_header X-Forwarded-For $remote_addr;",
  "proxy_set_header X-Forwarded-Proto $scheme;",
  "proxy_set_header X-Forwarded-Host $http_host;",
]

function nginxFaults(text: string, nodes: readonly string[], ports: readonly string[]): string[] {
  const plain = text.replaceAll(/^\s*#.*$/gm, "")
  const servers = [...plain.matchAll(/^\s*server ([\w.-]+:\d+)/gm)].map(([, server]) => server)
  const [, listens] = /^\s*listen (\d+);/m.exec(plain) ?? []
  const missing = NGINX_LINES.filter((line) => !plain.includes(line))
  const faults = missing.map((line) => `nginx.conf: '${line}' is missing`)
  if (servers.join() !== nodes.join()) faults.push(`nginx.conf: the nodes are ${nodes.join(", ")}`)
  if (!ports.some((port) => port.endsWith(`:${listens}`))) {
    faults.push(`nginx.conf: compose.yaml does not publish the port ${listens}`)
  }
  return faults
}
