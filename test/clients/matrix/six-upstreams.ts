import { afterAll, beforeAll } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import { pngOf } from "../../relay/image.ts"
import { startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"

/** The dialects in which a vendor can be called. */
export const UPSTREAMS = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "bedrock-converse",
  "cohere-chat",
] as const

export type Upstream = (typeof UPSTREAMS)[number]

type VendorSettings = Omit<ProviderSettings, "headers" | "knownModels" | "origin">

/**
 * The simulator's address in each dialect, and the name of a reasoning model there. It acts as each vendor, with
 * the rejections of its models.
 */
const VENDORS: Readonly<
  Record<
    Upstream,
    {
      readonly model: string
      /** A model that reports log probabilities, if the default model does not. */
      readonly logprobsModel?: string
      settings(url: string): VendorSettings
    }
  >
> = {
  "openai-chat": {
    model: "echo",
    settings: (url) => ({ vendor: "openai-compatible", apiKey: "key", baseUrl: `${url}/v1` }),
  },
  "openai-responses": {
    model: "echo",
    settings: (url) => ({
      vendor: "openai",
      apiKey: "key",
      baseUrl: `${url}/vendors/openai/v1`,
      dialects: ["openai-responses"],
    }),
  },
  "anthropic-messages": {
    model: "claude-sonnet-4-6",
    settings: (url) => ({
      vendor: "anthropic",
      apiKey: "key",
      baseUrl: `${url}/vendors/anthropic`,
    }),
  },
  gemini: {
    model: "gemini-3-flash",
    logprobsModel: "gemini-2.0-flash",
    settings: (url) => ({ vendor: "google", apiKey: "key", baseUrl: `${url}/vendors/google` }),
  },
  "bedrock-converse": {
    model: "anthropic.claude-opus-4-1-20250805-v1:0",
    settings: (url) => ({
      vendor: "bedrock",
      accessKeyId: "AKIDSIMULATOR",
      secretAccessKey: "simulator-secret",
      region: "us-east-1",
      baseUrl: `${url}/vendors/bedrock`,
    }),
  },
  "cohere-chat": {
    model: "command-a-reasoning-08-2025",
    settings: (url) => ({ vendor: "cohere", apiKey: "key", baseUrl: `${url}/vendors/cohere` }),
  },
}

/** Faults of the vendors. They are offered as models of each upstream. */
export const FAULTS = ["429", "500", "401", "cut"] as const

/**
 * Milliseconds between the tokens of slow models. The time is long enough to disconnect in the middle of a response.
 */
const CADENCE = "3"

const MODEL: ModelSettings = {
  kind: "chat",
  price: { input: "1", cached_input: "0.5", cache_write: "1.25", cache_write_1h: "2", output: "2" },
  context: 200_000,
  maxOutput: 32_000,
}

/** Returns the default model of an upstream. */
export function modelAt(upstream: Upstream): string {
  return `${upstream}/model`
}

/** Returns a model of an upstream that reports log probabilities, if it has one. */
export function logprobsModelAt(upstream: Upstream): string {
  return `${upstream}/logprobs`
}

/** Returns a slow variant of the default model. */
export function slowModelAt(upstream: Upstream): string {
  return `${upstream}/slow`
}

/** The parts of a receipt that these tests read. */
export interface Receipt {
  readonly status: "settled" | "released" | "expired"
  readonly estimated: boolean
  readonly usage: Readonly<Record<string, number>> | null
  readonly losses: readonly { readonly name: string; readonly effect: string }[]
}

/** A gateway with six upstreams, for all tests of a file. */
export class SixUpstreams {
  #gateway: TestGateway | undefined
  #caller: TestCaller | undefined
  #images: Bun.Server<undefined> | undefined
  /** Headers of the last response that a client received. */
  heard = new Headers()

  async start(): Promise<void> {
    this.#images = Bun.serve({
      port: 0,
      idleTimeout: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(IMAGE, { headers: { "content-type": "image/png" } }),
    })
    this.#gateway = await startGateway({
      providersAt,
      models: models(),
      settings: {
        // Some tests check the provider after a caller has disconnected.
        disconnect: "cancel",
        limits: {
          bodyBytes: 4 << 20,
          mediaBytes: 4 << 20,
          responseBytes: 1 << 26,
          mediaPrivate: true,
        },
      },
    })
    this.#caller = await this.#gateway.caller("1000")
    // Loads the tokenizer in advance, so that no test has to wait for it.
    const messages = [{ role: "user", content: "Hello" }]
    await this.#caller.post("/v1/messages/count_tokens", { model: modelAt("gemini"), messages })
  }

  async stop(): Promise<void> {
    await this.#gateway?.[Symbol.asyncDispose]()
    await this.#images?.stop(true)
  }

  get gateway(): TestGateway {
    return started(this.#gateway)
  }

  get caller(): TestCaller {
    return started(this.#caller)
  }

  /** The base URL of OpenAI's clients. */
  get baseUrl(): string {
    return `${this.gateway.url}/v1`
  }

  /** The address of an image on a server of this machine. */
  get imageUrl(): string {
    return `${started(this.#images).url.href}image.png`
  }

  /** A `fetch` for clients that accept one. It records the headers of each response. */
  readonly fetch = Object.assign(
    async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init)
      this.heard = response.headers
      return response
    },
    { preconnect: fetch.preconnect },
  )

  /** Returns the body of the last request that reached a vendor. */
  get sent(): object {
    return started(this.gateway.simulator.requests.at(-1)).body as object
  }

  /** Returns the losses that the last response reports. */
  get losses(): string[] {
    return this.heard.get("x-tollgate-losses")?.split(", ") ?? []
  }

  /** Whether the last response already has a receipt. */
  async hasReceipt(): Promise<boolean> {
    return (await this.#askReceipt()).ok
  }

  /** Returns the receipt of the last response. */
  async receipt(): Promise<Receipt> {
    const response = await this.#askReceipt()
    if (!response.ok) throw new Error(`no receipt: ${await response.text()}`)
    return (await response.json()) as Receipt
  }

  #askReceipt(): Promise<Response> {
    return this.caller.get(`/v1/receipts/${this.heard.get("x-request-id")}`)
  }
}

/** Maximum time in milliseconds for the start on a busy machine. */
const START_TIME = 30_000

/** Starts upstreams for the tests of the calling file. */
export function sixUpstreams(): SixUpstreams {
  const upstreams = new SixUpstreams()
  beforeAll(() => upstreams.start(), START_TIME)
  afterAll(() => upstreams.stop())
  return upstreams
}

const IMAGE = pngOf(40, 30)

/** The image as base64, for data URLs. */
export const IMAGE_DATA = Buffer.from(IMAGE).toString("base64")

function providersAt(simulatorUrl: string): Record<string, ProviderSettings> {
  const providers: Record<string, ProviderSettings> = {}
  for (const upstream of UPSTREAMS) {
    const settings = {
      ...VENDORS[upstream].settings(simulatorUrl),
      headers: {},
      knownModels: false,
      origin: "file",
    } as const
    providers[upstream] = settings
    providers[`slow-${upstream}`] = { ...settings, headers: { "x-simulate-cadence": CADENCE } }
  }
  return providers
}

function models(): Record<string, ModelSettings> {
  const models: Record<string, ModelSettings> = {}
  for (const upstream of UPSTREAMS) {
    const { model, logprobsModel = model } = VENDORS[upstream]
    const at = (provider: string, name = model) => ({
      ...MODEL,
      deployments: [{ provider, model: name, weight: 1 }],
    })
    models[modelAt(upstream)] = at(upstream)
    models[logprobsModelAt(upstream)] = at(upstream, logprobsModel)
    models[slowModelAt(upstream)] = at(`slow-${upstream}`)
    for (const fault of FAULTS) models[`${upstream}/fault-${fault}`] = MODEL
  }
  return models
}

function started<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error("the gateway has not been started")
  return thing
}
