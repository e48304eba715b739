import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { withoutEndpoint, COMPATIBLE } from "./addresses.ts"
import { ModelBuilder } from "./models.ts"
import type { Differences } from "./plan.ts"
import type { Connection, Members, ProviderModel, Providers } from "./providers.ts"

/** The connection of new-api's channels of one type. */
interface ChannelType {
  /** The gateway's id of the vendor. */
  readonly vendor: string
  /** Used for channels without an address; if absent, the vendor's default address. */
  readonly address?: string
  /** The path between the address and the endpoints. */
  readonly path?: string
}

function compatible(address: string, path = "/v1"): ChannelType {
  return { vendor: COMPATIBLE, address, path }
}

/** The channel types that can be imported. @see new-api, constant/channel.go and relay/channel. */
const CHANNEL_TYPES: Readonly<Record<number, ChannelType>> = {
  1: { vendor: "openai", address: "https://api.openai.com", path: "/v1" },
  3: { vendor: "azure" },
  4: { vendor: "ollama", address: "http://localhost:11434", path: "/v1" },
  6: compatible("https://api.openaimax.com"),
  7: compatible("https://api.ohmygpt.com"),
  9: compatible("https://api.caipacity.com"),
  10: compatible("https://api.aiproxy.io"),
  12: compatible("https://api.api2gpt.com"),
  13: compatible("https://api.aigc2d.com"),
  14: { vendor: "anthropic" },
  16: { vendor: "zhipu", address: "https://open.bigmodel.cn", path: "/api/paas/v4" },
  17: { vendor: "alibaba", address: "https://dashscope.aliyuncs.com", path: "/compatible-mode/v1" },
  19: compatible("https://api.360.cn"),
  20: { vendor: "openrouter", address: "https://openrouter.ai/api", path: "/v1" },
  22: compatible("https://fastgpt.run/api/openapi"),
  24: { vendor: "google" },
  25: { vendor: "moonshot-cn", address: "https://api.moonshot.cn", path: "/v1" },
  26: { vendor: "zhipu", address: "https://open.bigmodel.cn", path: "/api/paas/v4" },
  27: { vendor: "perplexity" },
  31: compatible("https://api.lingyiwanwu.com"),
  33: { vendor: "bedrock" },
  34: { vendor: "cohere" },
  35: compatible("https://api.minimax.chat"),
  38: { vendor: "jina" },
  40: { vendor: "siliconflow", address: "https://api.siliconflow.cn", path: "/v1" },
  41: { vendor: "vertex" },
  42: { vendor: "mistral", address: "https://api.mistral.ai", path: "/v1" },
  43: { vendor: "deepseek", address: "https://api.deepseek.com", path: "/v1" },
  44: compatible("https://api.moka.ai"),
  45: { vendor: "volcengine", address: "https://ark.cn-beijing.volces.com", path: "/api/v3" },
  46: compatible("https://qianfan.baidubce.com", "/v2"),
  47: { vendor: COMPATIBLE, path: "/v1" },
  48: { vendor: "xai", address: "https://api.x.ai", path: "/v1" },
  53: compatible("https://llm.submodel.ai"),
}

/** The type of channels whose address is a complete endpoint, with `{model}` for the model's name. */
const CUSTOM_TYPE = 8
/** The type of channels whose address contains the account's id, which is in `other`. */
const CLOUDFLARE_TYPE = 39

/** The addresses that new-api uses for plan names. */
const PLAN_ADDRESSES: Readonly<Record<string, string>> = {
  "glm-coding-plan": "https://open.bigmodel.cn/api/coding/paas/v4",
  "glm-coding-plan-international": "https://api.z.ai/api/coding/paas/v4",
  "kimi-coding-plan": "https://api.kimi.com/coding/v1",
  "doubao-coding-plan": "https://ark.cn-beijing.volces.com/api/coding/v3",
}

type Row = Readonly<Record<string, unknown>>

const ENABLED = 1
/** Columns that are imported, or that have no effect in this gateway. */
const READ = new Set(
  "id type key status name weight created_time test_time response_time base_url balance balance_updated_time models used_quota model_mapping priority auto_ban test_model channel_info other other_info".split(
    " ",
  ),
)
const VERSION_AT_END = /\/v\d+(beta)?\/?$/

interface Deployment extends ProviderModel {
  readonly weight: number
  readonly priority: number
}

/** Converts new-api's channels to providers and models. A model has a deployment in each channel that lists it. */
export class NewApiChannels {
  readonly #differences: Differences
  readonly #providers: Providers
  readonly #models = new Map<string, Deployment[]>()

  constructor(differences: Differences, providers: Providers) {
    this.#differences = differences
    this.#providers = providers
  }

  add(channel: Row): void {
    const subject = `channel ${String(channel["name"] ?? channel["id"])}`
    if (channel["status"] !== ENABLED) {
      this.#differences.leftOut(subject, "it is disabled")
      return
    }
    for (const [name, value] of Object.entries(channel)) {
      const isSet = !["", null, 0, undefined, "{}", "default"].includes(value as string)
      if (!READ.has(name) && isSet) this.#differences.leftOut(subject, `'${name}'`)
    }
    const mapping = this.#objectIn(channel, "model_mapping", subject)
    const names = String(channel["models"] ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
    const keys = this.#keysOf(channel, subject)
    const carried = names.filter((name) => {
      const mapped = mapping[name]
      const model = typeof mapped === "string" && mapped !== "" ? mapped : name
      return this.#addModel(channel, { subject, name, model, keys })
    })
    if (carried.length > 0) this.#differences.carried(subject, `${carried.length} models`)
  }

  finish() {
    const builder = new ModelBuilder("new-api", this.#differences)
    for (const [name, deployments] of this.#models)
      for (const deployment of inOrder(deployments)) builder.add(name, deployment)
    const { ids, ...models } = builder.finish()
    return { settings: { providers: this.#providers.settings, ...models }, ids }
  }

  #addModel(
    channel: Row,
    {
      subject,
      name,
      model,
      keys,
    }: Readonly<Record<"subject" | "name" | "model", string>> & {
      readonly keys: readonly string[]
    },
  ): boolean {
    const connection = connectionOf(channel, model, keys)
    if (typeof connection === "string") {
      this.#differences.leftOut(subject, connection)
      return false
    }
    const providerModel = this.#providers.modelAt(subject, connection, model)
    if (!providerModel) return false
    const deployments = this.#models.get(name) ?? []
    this.#models.set(name, deployments)
    const weight = Math.max(1, this.#numberIn(channel, "weight", subject))
    const priority = this.#numberIn(channel, "priority", subject)
    deployments.push({ ...providerModel, weight, priority })
    return true
  }

  #objectIn(channel: Row, column: "model_mapping" | "channel_info", subject: string): JsonObject {
    const text = String(channel[column] ?? "").trim()
    const found = parseJsonObject(text)
    if (!found && text !== "") this.#differences.leftOut(subject, `'${column}', which is not JSON`)
    return found ?? {}
  }

  #numberIn(channel: Row, column: "weight" | "priority", subject: string): number {
    const value = Number(channel[column] ?? 0)
    if (Number.isFinite(value)) return value
    this.#differences.leftOut(subject, `'${column}'`)
    return 0
  }

  /** Returns the enabled keys of a channel, which are stored one per line or as JSON. */
  #keysOf(channel: Row, subject: string): readonly string[] {
    const text = String(channel["key"] ?? "").trim()
    const info = this.#objectIn(channel, "channel_info", subject)
    const states = isJsonObject(info["multi_key_status_list"]) ? info["multi_key_status_list"] : {}
    const all = keysIn(text)
    const enabled = all.filter((_, index) => (states[index] ?? ENABLED) === ENABLED)
    const disabled = all.length - enabled.length
    if (disabled > 0)
      this.#differences.leftOut(subject, `${disabled} of its keys, which are disabled in new-api`)
    return enabled
  }
}

function keysIn(text: string): string[] {
  if (text.startsWith("{")) return [text]
  if (text.startsWith("[")) {
    const list = parseJsonObject(`{"keys":${text}}`)?.["keys"]
    if (Array.isArray(list))
      return list.map((key) => (typeof key === "string" ? key : JSON.stringify(key)))
  }
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

/** Returns the connection of a channel for a model, or the reason why the channel cannot be called. */
function connectionOf(channel: Row, model: string, keys: readonly string[]): Connection | string {
  const type = Number(channel["type"])
  const other = String(channel["other"] ?? "")
  const stated = String(channel["base_url"] ?? "").trim()
  if (type === CUSTOM_TYPE) return customConnection(stated.replaceAll("{model}", model), keys)
  if (type === CLOUDFLARE_TYPE) {
    return withKeys("cloudflare", { account: { text: other } }, keys)
  }
  const known = CHANNEL_TYPES[type]
  if (!known) return `its type ${type} is unknown: add the provider by hand`
  const { vendor, address, path = "" } = known
  if (vendor === "bedrock") return bedrockConnection(keys)
  if (vendor === "vertex") {
    const location = regionOf(other, model)
    const credentials = keys.map((key) => ({ credentials: { text: key } }))
    return { vendor, members: { ...(location && { location: { text: location } }) }, credentials }
  }
  const base = Object.hasOwn(PLAN_ADDRESSES, stated) ? PLAN_ADDRESSES[stated] : stated || address
  return withKeys(
    vendor,
    base === undefined ? {} : { base_url: { text: withPath(base, path) } },
    keys,
  )
}

function customConnection(address: string, keys: readonly string[]): Connection | string {
  const base = withoutEndpoint(address)
  const hasEndpoint = base !== address.replace(/\/+$/, "")
  if (!hasEndpoint && !VERSION_AT_END.test(base) && !address.includes("/chat/completions?"))
    return "its address is not an endpoint of OpenAI's format: add the provider by hand"
  return withKeys("openai", { base_url: { text: base } }, keys)
}

/** Parses `access key|secret key|region`, or `API key|region`. */
function bedrockConnection(keys: readonly string[]): Connection | string {
  const parts = keys.map((key) => key.split("|").map((part) => part.trim()))
  const regions = new Set(parts.map((part) => part.at(-1) ?? ""))
  const [region = ""] = regions
  if (regions.size !== 1 || parts.some(({ length }) => length !== 2 && length !== 3))
    return "its keys are not all for one region: add a provider for each region by hand"
  const credentials = parts.map(([first = "", second = "", third]): Members =>
    third === undefined
      ? { api_key: { text: first } }
      : { access_key_id: { text: first }, secret_access_key: { text: second } },
  )
  return { vendor: "bedrock", members: { region: { text: region } }, credentials }
}

function withKeys(vendor: string, members: Members, keys: readonly string[]): Connection {
  return { vendor, members, credentials: keys.map((key) => ({ api_key: { text: key } })) }
}

/** Returns the region of a model. The column contains a region, or JSON with the region of each model. */
function regionOf(other: string, model: string): string | undefined {
  const regions: JsonObject = parseJsonObject(other) ?? { default: other }
  const region = regions[model] ?? regions["default"]
  return typeof region === "string" && region !== "" ? region : undefined
}

/** Adds the common path of the endpoints. Addresses of these channels lack it. */
function withPath(address: string, path: string): string {
  const base = withoutEndpoint(address)
  return path === "" || VERSION_AT_END.test(base) ? base : `${base}${path}`
}

/** Sorts deployments. Those with the highest priority share requests by weight, and the others follow. */
function inOrder(deployments: readonly Deployment[]) {
  const highest = Math.max(...deployments.map(({ priority }) => priority))
  return deployments
    .toSorted((left, right) => right.priority - left.priority)
    .map(({ provider, model, weight, priority }) => ({
      provider,
      model,
      weight: priority === highest ? weight : 0,
    }))
}
