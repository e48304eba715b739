import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FullDisk } from "./faults/full-disk.ts"
import { FaultyProxy } from "./proxy.ts"
import { TortureNode } from "./node.ts"
import type { CallerKey, TortureModel } from "./calls.ts"
import type { TortureDatabase, TortureEngine } from "./engines.ts"
import { VendorRecords } from "./vendor-records.ts"
import { startSimulator } from "../simulator/server.ts"
import { createInstallation, type Installation, runJson } from "../test/support/process.ts"

/** Milliseconds between the tokens of the vendor. The time is long enough for a fault in the middle of a stream. */
const CADENCE = 3

/** Prices in nanocredits per token. */
export const PRICE = { input: 1_000n, output: 2_000n }
export const MAX_OUTPUT = 200
/** Context of the models in tokens. */
export const CONTEXT = 4_000

const FAULTS = [
  "cut",
  "500",
  "503",
  "stream-error",
  "stall-400",
  "no-usage",
  "wrong-usage",
  "huge-usage",
  "slow-first-byte-300",
  "slow-headers-300",
  "malformed",
  "html",
  "empty",
] as const

/** The model of most calls. */
export const SOUND: TortureModel = { id: "sim/echo", isExact: true }
export const EMBEDDING: TortureModel = { id: "sim/embedding", isExact: true }
/** Models whose vendor fails, one for each fault. */
export const BREAKING: readonly TortureModel[] = FAULTS.map((name) => ({
  id: `sim/fault-${name}`,
  isExact: !name.endsWith("usage"),
}))

/** The initial credits of an account and the budgets of its keys, as decimal text. */
interface Means {
  readonly name: string
  readonly credits: string
  /** The budget of each key; null means no budget. */
  readonly budgets: readonly (string | null)[]
}

const RICH: Means = { name: "rich", credits: "1000", budgets: [null, null, "500"] }
const MEANS: readonly Means[] = [
  RICH,
  // A call costs about 0.0001 credits and holds 0.0008 credits.
  { name: "poor", credits: "0.003", budgets: [null, null] },
  { name: "budgeted", credits: "100", budgets: ["0.004", "0.002", "0.5"] },
]

/** All parts of a torture run. */
export interface World extends AsyncDisposable {
  readonly installation: Installation
  readonly database: TortureDatabase
  readonly adminToken: string
  readonly nodes: readonly TortureNode[]
  readonly accounts: readonly string[]
  readonly keys: readonly CallerKey[]
  /** The proxy between the nodes and the vendor. */
  readonly vendorProxy: FaultyProxy
  readonly vendor: VendorRecords
  /** The disk of the data folder; undefined if it cannot be filled. */
  readonly disk: FullDisk | undefined
}

interface WorldOptions {
  readonly engine: TortureEngine
  readonly nodes: number
  readonly fillsDisk: boolean
}

/** Creates an installation with accounts and keys, and starts its nodes. */
export async function buildWorld(options: WorldOptions): Promise<World> {
  await using building = new AsyncDisposableStack()
  const simulator = building.use(startSimulator({ cadence: CADENCE }))
  const vendor = building.use(new VendorRecords(simulator))
  const vendorProxy = building.use(await FaultyProxy.start(simulator.port))
  const adminToken = randomBytes(16).toString("hex")
  const database = building.use(await options.engine.start())
  const yaml = yamlOf(vendorProxy, adminToken) + database.yaml
  const installation = building.use(createInstallation(yaml))
  const disk = options.fillsDisk ? building.use(FullDisk.mount(installation.data)) : undefined
  // The settings file is written again, because the disk mounted over the folder is empty.
  writeFileSync(installation.config, yaml)
  const accounts: string[] = []
  const keys: CallerKey[] = []
  for (const means of MEANS) {
    const account = await createAccount(installation, means)
    accounts.push(account)
    for (const budget of means.budgets) keys.push(await createKey(installation, account, budget))
  }
  const nodes = Array.from(
    { length: options.nodes },
    (_, index) => new TortureNode(index, installationOf(index, installation, database)),
  )
  building.defer(async () => void (await Promise.all(nodes.map((node) => node.close()))))
  await Promise.all(nodes.map((node) => node.start()))
  const stack = building.move()
  return {
    installation,
    database,
    adminToken,
    nodes,
    accounts,
    keys,
    vendorProxy,
    vendor,
    disk,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Returns the installation of a node. Each node has its own data folder, unless nodes share one. */
export function installationOf(
  index: number,
  installation: Installation,
  { sharesFolder }: TortureDatabase,
): Installation {
  if (sharesFolder) return installation
  const data = join(installation.data, `node-${index}`)
  mkdirSync(data, { mode: 0o700 })
  return { ...installation, data }
}

function yamlOf(proxy: FaultyProxy, adminToken: string): string {
  const price = "price: { input: 1, output: 2 }"
  const models = [SOUND, ...BREAKING].map(
    ({ id }) => `  ${id}: { ${price}, context: ${CONTEXT}, max_output: ${MAX_OUTPUT} }`,
  )
  return `
server: { host: 127.0.0.1, port: 0, drain: 5s }
admin_token: ${adminToken}
timeouts: { connect: 2s, first_byte: 4s, idle: 3s, total: 20s }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "http://127.0.0.1:${proxy.port}/v1" }
models:
${models.join("\n")}
  ${EMBEDDING.id}: { kind: embedding, price: { input: 1 }, context: ${CONTEXT} }
`
}

async function createAccount(installation: Installation, means: Means): Promise<string> {
  const words = ["account", "create", means.name, "--credits", means.credits]
  return (await runJson<{ id: string }>(installation, ...words)).id
}

async function createKey(
  installation: Installation,
  account: string,
  budget: string | null,
): Promise<CallerKey> {
  const limit = budget === null ? [] : ["--budget", budget]
  const words = ["key", "create", "--account", account, ...limit]
  const { id, key } = await runJson<{ id: string; key: string }>(installation, ...words)
  return { account, id, secret: key }
}
