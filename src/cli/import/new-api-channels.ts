import { isJsonObject, parseJsonObject } from "../../canon/json.ts"
import { Providers } from "./litellm-providers.ts"
import type { Differences } from "./plan.ts"

type Row = Readonly<Record<string, unknown>>

const ENABLED = 1
/** Numbers of new-api's types of channels, by what LiteLLM calls their vendors. @see new-api, constant/channel.go */
const TYPES: Readonly<Record<number, string>> = {
  1: "openai",
  3: "azure",
  4: "ollama",
  8: "openai_like",
  14: "anthropic",
  17: "dashscope",
  20: "openrouter",
  24: "gemini",
  25: "moonshot",
  26: "zai",
  27: "perplexity",
  34: "cohere",
  38: "jina_ai",
  42: "mistral",
  43: "deepseek",
  48: "xai",
}
/** Of a channel, read here or of no use elsewhere. */
const READ = new Set(
  "id type key status name weight created_time test_time response_time base_url balance balance_updated_time models used_quota model_mapping priority auto_ban test_model channel_info other_info".split(
    " ",
  ),
)

interface Deployment {
  readonly provider: string
  readonly model: string
  readonly weight: number
  readonly priority: number
}

/** Providers and models out of new-api's channels: a model has a deployment in each channel that names it. */
export class NewApiChannels {
  readonly #differences: Differences
  readonly #providers: Providers
  readonly #models = new Map<string, Deployment[]>()

  constructor(differences: Differences) {
    this.#differences = differences
    this.#providers = new Providers(differences)
  }

  add(channel: Row): void {
    const subject = `channel ${String(channel["name"] ?? channel["id"])}`
    const prefix = TYPES[Number(channel["type"])]
    if (prefix === undefined) {
      this.#differences.leftOut(
        subject,
        `its type ${String(channel["type"])} is unknown here: add the provider by hand`,
      )
      return
    }
    if (channel["status"] !== ENABLED) {
      this.#differences.leftOut(subject, "it is disabled")
      return
    }
    for (const [name, value] of Object.entries(channel)) {
      const isSet = !["", null, 0, undefined, "{}", "default"].includes(value as string)
      if (!READ.has(name) && isSet) this.#differences.leftOut(subject, `'${name}'`)
    }
    const [key = "", ...others] = String(channel["key"] ?? "")
      .split("\n")
      .filter((line) => line !== "")
    if (others.length > 0)
      this.#differences.leftOut(subject, `${others.length} of its keys: a provider has one`)
    const address = String(channel["base_url"] ?? "")
    const mapping = parseJsonObject(String(channel["model_mapping"] ?? "")) ?? {}
    const names = String(channel["models"] ?? "")
      .split(",")
      .filter((name) => name !== "")
    for (const name of names) {
      const mapped = isJsonObject(mapping) ? mapping[name] : undefined
      const place = this.#providers.place(subject, {
        model: `${prefix}/${typeof mapped === "string" ? mapped : name}`,
        api_key: key,
        ...(address !== "" && { api_base: withVersion(address, prefix) }),
      })
      if (!place) continue
      const deployments = this.#models.get(name) ?? []
      this.#models.set(name, deployments)
      const weight = Math.max(1, Number(channel["weight"] ?? 0))
      deployments.push({ ...place, weight, priority: Number(channel["priority"] ?? 0) })
    }
    this.#differences.carried(subject, `${names.length} models`)
  }

  finish() {
    const models: Record<string, unknown> = {}
    const aliases: Record<string, string> = {}
    const ids = new Map<string, string>()
    for (const [name, deployments] of this.#models) {
      const [only] = deployments
      const id =
        deployments.length === 1 && only
          ? `${only.provider}/${only.model}`
          : `new-api/${name.replaceAll(/[\s\p{C}]+/gu, "-")}`
      models[id] = { deployments: inOrder(deployments) }
      ids.set(name, id)
      if (id !== name) aliases[name] = id
    }
    const settings = {
      providers: this.#providers.settings,
      models,
      ...(Object.keys(aliases).length > 0 && { aliases }),
    }
    return { settings, variables: this.#providers.variables, ids }
  }
}

/** Those of the highest priority share by weight; the others come after them. */
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

/** There the address is without the version that OpenAI's format has in it. */
function withVersion(address: string, prefix: string): string {
  const isOpenAi = prefix === "openai" || prefix === "openai_like"
  return isOpenAi && !/\/v\d+\/?$/.test(address) ? `${address.replace(/\/$/, "")}/v1` : address
}
