import { FaultyVendor } from "../../simulator/wire-faults/faulty-vendor.ts"
import { startSimulator } from "../../simulator/server.ts"
import type { Operation } from "../../test/chaos/official-clients.ts"
import { createInstallation, type Installation, runJson } from "../../test/support/process.ts"
import type { TortureDatabase, TortureEngine } from "../engines.ts"
import { TortureNode } from "../node.ts"
import { installationOf } from "../world.ts"
import type { ChaosModel } from "./calls.ts"
import { Innocents } from "./innocents.ts"

/**
 * Deadlines in milliseconds. All processes share one machine, so even a working vendor may take a long time to send its
 * first byte.
 */
export const TIMEOUTS = {
  connect: 2_000,
  firstByte: 3_000,
  idle: 1_500,
  total: 15_000,
} as const

/** The names of the vendors. Each model has a deployment at each of them. */
export const VENDOR_NAMES = ["a", "b", "c"] as const
export type VendorName = (typeof VENDOR_NAMES)[number]

/** How a vendor is called: the settings of its provider, and the model that is requested. */
interface Speech {
  readonly settings: (url: string) => string
  readonly model: string
}

const key = (vendor: string) => (url: string) =>
  `vendor: ${vendor}, api_key: upstream, base_url: "${url}"`

const CHATS: Readonly<Record<string, Speech>> = {
  "openai-chat": { settings: (url) => key("openai-compatible")(`${url}/v1`), model: "echo" },
  "openai-responses": {
    settings: (url) => `${key("openai")(`${url}/v1`)}, dialects: [openai-responses]`,
    model: "echo",
  },
  anthropic: { settings: key("anthropic"), model: "claude-sonnet-4-5" },
  gemini: { settings: key("google"), model: "gemini-2.0-flash" },
  bedrock: {
    settings: (url) =>
      `vendor: bedrock, access_key_id: AKIDSIMULATOR, secret_access_key: simulator-secret, region: us-east-1, base_url: "${url}"`,
    model: "amazon.nova-pro-v1:0",
  },
  cohere: { settings: key("cohere"), model: "command-a-03-2025" },
}

/** Kind, price and model of each operation other than chat. Their vendor uses OpenAI's dialect. */
const OPERATIONS: Readonly<
  Record<Exclude<Operation, "chat">, readonly [price: string, model: string]>
> = {
  embedding: ["input: 1", "embed"],
  rerank: ['search: "2000"', "rerank"],
  image: ['image: "40000"', "gpt-image-1"],
  speech: ['character: "15"', "tts-1"],
  transcription: ['second: "100"', "whisper-1"],
}

/** Returns the models for an operation. */
export function modelsOf(operation: Operation): readonly ChaosModel[] {
  return operation === "chat"
    ? Object.keys(CHATS).map((upstream) => ({ id: `chaos/${upstream}`, upstream }))
    : [{ id: `chaos/${operation}`, upstream: "operation" }]
}

/** All parts of a chaos run. */
export interface ChaosWorld extends AsyncDisposable {
  readonly installation: Installation
  readonly database: TortureDatabase
  readonly nodes: readonly TortureNode[]
  readonly key: string
  readonly vendors: Readonly<Record<VendorName, FaultyVendor>>
  readonly innocents: Innocents
}

/** Creates an installation whose models have three deployments each, and starts its nodes. */
export async function buildChaos(options: {
  readonly engine: TortureEngine
  readonly nodes: number
}): Promise<ChaosWorld> {
  await using building = new AsyncDisposableStack()
  const simulator = building.use(startSimulator())
  const vendors = {
    a: building.use(await FaultyVendor.start(simulator.url)),
    b: building.use(await FaultyVendor.start(simulator.url)),
    c: building.use(await FaultyVendor.start(simulator.url)),
  }
  const innocents = building.use(await Innocents.start())
  const database = building.use(await options.engine.start())
  // The process that plays the vendors is too busy to forward database traffic as well, so the nodes connect directly.
  const yaml = yamlOf(vendors, innocents.vendorUrl) + database.directYaml
  const installation = building.use(createInstallation(yaml))
  const key = await createKey(installation, "callers")
  const innocentKey = await createKey(installation, "innocents")
  const nodes = Array.from(
    { length: options.nodes },
    (_, index) => new TortureNode(index, installationOf(index, installation, database)),
  )
  building.defer(async () => void (await Promise.all(nodes.map((node) => node.close()))))
  await Promise.all(nodes.map((node) => node.start()))
  innocents.call(
    nodes.map(({ url }) => url ?? ""),
    innocentKey,
  )
  const stack = building.move()
  return {
    installation,
    database,
    nodes,
    key,
    vendors,
    innocents,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function yamlOf(vendors: Readonly<Record<VendorName, FaultyVendor>>, innocentUrl: string): string {
  const { connect, firstByte, idle, total } = TIMEOUTS
  const providers: string[] = []
  const models: string[] = []
  const add = (name: string, settings: Speech["settings"], model: string, facts: string): void => {
    for (const vendorName of VENDOR_NAMES) {
      const url = `http://127.0.0.1:${vendors[vendorName].port}`
      providers.push(`  ${name}-${vendorName}: { ${settings(url)} }`)
    }
    const deployments = VENDOR_NAMES.map(
      (vendorName) => `{ provider: ${name}-${vendorName}, model: "${model}" }`,
    )
    models.push(`  chaos/${name}: { ${facts}, deployments: [${deployments.join(", ")}] }`)
  }
  const price = "price: { input: 1, output: 2 }, context: 4000, max_output: 400"
  for (const [name, { settings, model }] of Object.entries(CHATS)) add(name, settings, model, price)
  for (const [kind, [rate, model]] of Object.entries(OPERATIONS)) {
    const settings = (url: string) => key("openai-compatible")(`${url}/v1`)
    add(kind, settings, model, `kind: ${kind}, price: { ${rate} }`)
  }
  return `
server: { host: 127.0.0.1, port: 0, drain: 5s }
timeouts: { connect: ${connect}ms, first_byte: ${firstByte}ms, idle: ${idle}ms, total: ${total}ms }
providers:
${providers.join("\n")}
  innocent: { vendor: openai-compatible, api_key: upstream, base_url: "${innocentUrl}" }
models:
${models.join("\n")}
  innocent/m: { ${price} }
`
}

async function createKey(installation: Installation, account: string): Promise<string> {
  await runJson(installation, "account", "create", account, "--credits", "1000")
  const words = ["key", "create", "--account", account]
  return (await runJson<{ key: string }>(installation, ...words)).key
}
