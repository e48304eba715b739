import { parse } from "yaml"
import { CommandError } from "../exit-codes.ts"
import { perMillion } from "./decimal.ts"
import { Providers } from "./litellm-providers.ts"
import type { Differences } from "./plan.ts"

type Fields = Readonly<Record<string, unknown>>

/** What LiteLLM's settings become. */
export interface LiteLlmModels {
  readonly settings: Record<string, unknown>
  readonly variables: ReadonlyMap<string, string>
  /** The ids of models here, by their names there. */
  readonly ids: ReadonlyMap<string, string>
}

/** By LiteLLM's name of a price for one unit, the class of usage. */
const PRICES: Readonly<Record<string, string>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  output_cost_per_reasoning_token: "reasoning_output",
  input_cost_per_audio_token: "audio_input",
  output_cost_per_audio_token: "audio_output",
  input_cost_per_second: "second",
  input_cost_per_character: "character",
  output_cost_per_image: "image",
}
const KINDS: Readonly<Record<string, string>> = {
  chat: "chat",
  completion: "chat",
  responses: "chat",
  embedding: "embedding",
  rerank: "rerank",
  image_generation: "image",
  audio_speech: "speech",
  audio_transcription: "transcription",
}
/** Of a deployment, read here or by `Providers`. */
const KNOWN = new Set([
  ...Object.keys(PRICES),
  "model",
  "custom_llm_provider",
  "api_key",
  "api_base",
  "base_url",
  "api_version",
  "aws_region_name",
  "aws_access_key_id",
  "aws_secret_access_key",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
  "weight",
])
const KNOWN_INFO = new Set([
  ...Object.keys(PRICES),
  "id",
  "mode",
  "max_tokens",
  "max_input_tokens",
  "max_output_tokens",
])

/** @throws CommandError `usage` for a text that is no settings file of LiteLLM. */
export function readLiteLlmConfig(text: string, differences: Differences): LiteLlmModels {
  const file = fieldsOf(parsed(text))
  const list = file["model_list"]
  if (!Array.isArray(list)) {
    throw new CommandError("usage", "this is no settings file of LiteLLM: it has no 'model_list'")
  }
  const reader = new ConfigReader(differences)
  for (const entry of list) reader.add(fieldsOf(entry))
  const router = fieldsOf(file["router_settings"])
  const settings = fieldsOf(file["litellm_settings"])
  reader.fallBack(router["fallbacks"] ?? settings["fallbacks"])
  const aliases = fieldsOf(router["model_group_alias"])
  const made = reader.finish(aliases)
  reportRest(file, differences)
  return made
}

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error)
    throw new CommandError("usage", `it is no YAML: ${reason}`)
  }
}

interface Group {
  readonly deployments: Record<string, unknown>[]
  readonly facts: Record<string, unknown>
}

class ConfigReader {
  readonly #differences: Differences
  readonly #providers: Providers
  readonly #groups = new Map<string, Group>()

  constructor(differences: Differences) {
    this.#differences = differences
    this.#providers = new Providers(differences)
  }

  /** One deployment of a model. */
  add(entry: Fields): void {
    const name = String(entry["model_name"] ?? "")
    const subject = `model ${name}`
    const parameters = fieldsOf(entry["litellm_params"])
    const info = fieldsOf(entry["model_info"])
    if (name.includes("*")) {
      const place = this.#providers.place(subject, parameters)
      if (place)
        this.#differences.changed(
          subject,
          `all known models of ${place.provider} are there, as ${place.provider}/<name>`,
        )
      return
    }
    const place = this.#providers.place(subject, parameters)
    this.#reportUnknown(subject, parameters, info)
    if (!place) return
    const group = this.#groups.get(name) ?? { deployments: [], facts: {} }
    this.#groups.set(name, group)
    const { weight } = parameters
    const price = priceOf({ ...info, ...parameters })
    group.deployments.push({
      ...place,
      ...(typeof weight === "number" && weight !== 1 && { weight }),
      ...(price && { price }),
    })
    Object.assign(group.facts, factsOf(info))
  }

  /** `[{ "gpt-4o": ["claude"] }]`: the deployments of the others come after its own. */
  fallBack(list: unknown): void {
    if (!Array.isArray(list)) return
    for (const [name, others] of list.flatMap((entry) => Object.entries(fieldsOf(entry)))) {
      const group = this.#groups.get(name)
      const names = Array.isArray(others) ? others.map(String) : []
      const after = names.flatMap((other) => this.#groups.get(other)?.deployments ?? [])
      if (!group || after.length === 0) {
        this.#differences.leftOut(`fallback of ${name}`, "it names a model that is not there")
        continue
      }
      group.deployments.push(...after.map((deployment) => ({ ...deployment, weight: 0 })))
      this.#differences.carried(`model ${name}`, `falls back to ${names.join(", ")}`)
    }
  }

  finish(named: Fields): LiteLlmModels {
    const models: Record<string, unknown> = {}
    const aliases: Record<string, string> = {}
    const ids = new Map<string, string>()
    for (const [name, group] of this.#groups) {
      const id = idOf(name, group)
      models[id] = { ...group.facts, deployments: group.deployments }
      ids.set(name, id)
      if (id !== name) aliases[name] = id
      const places = group.deployments.map(({ provider, model }) => `${provider}/${model}`)
      this.#differences.carried(`model ${name}`, `as ${id}: ${places.join(", ")}`)
    }
    for (const [alias, target] of Object.entries(named)) {
      const id = ids.get(String(typeof target === "string" ? target : fieldsOf(target)["model"]))
      if (id === undefined)
        this.#differences.leftOut(`alias ${alias}`, "it names a model that is not there")
      else aliases[alias] = id
      if (id !== undefined) ids.set(alias, id)
    }
    const { settings: providers, variables } = this.#providers
    const hasAliases = Object.keys(aliases).length > 0
    return { settings: { providers, models, ...(hasAliases && { aliases }) }, variables, ids }
  }

  #reportUnknown(subject: string, parameters: Fields, info: Fields): void {
    for (const name of Object.keys(parameters)) {
      if (!KNOWN.has(name)) this.#differences.leftOut(subject, `'litellm_params.${name}'`)
    }
    for (const name of Object.keys(info)) {
      if (!KNOWN_INFO.has(name)) this.#differences.leftOut(subject, `'model_info.${name}'`)
    }
  }
}

/** As it is called there where that can be an id, or a name for it here. */
function idOf(name: string, { deployments }: Group): string {
  if (/^[a-z0-9][a-z0-9-]*\/[^\s\p{C}]+$/u.test(name)) return name
  const [only] = deployments
  if (deployments.length === 1 && only)
    return `${String(only["provider"])}/${String(only["model"])}`
  return `litellm/${name.replaceAll(/[\s\p{C}]+/gu, "-")}`
}

function priceOf(fields: Fields): Record<string, string> | undefined {
  const rates = Object.entries(PRICES).flatMap(([name, usageClass]) => {
    const value = fields[name]
    const rate =
      typeof value === "number" || typeof value === "string" ? perMillion(value) : undefined
    return rate === undefined ? [] : [[usageClass, rate] as const]
  })
  return rates.length === 0 ? undefined : Object.fromEntries(rates)
}

function factsOf(info: Fields): Record<string, unknown> {
  const mode = KINDS[String(info["mode"])]
  const context = numberIn(info, "max_input_tokens") ?? numberIn(info, "max_tokens")
  const output = numberIn(info, "max_output_tokens")
  return {
    ...(mode !== undefined && { kind: mode }),
    ...(context !== undefined && { context }),
    ...(output !== undefined && { max_output: output }),
  }
}

function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

const READ: Readonly<Record<string, ReadonlySet<string>>> = {
  router_settings: new Set(["fallbacks", "model_group_alias"]),
  litellm_settings: new Set(["fallbacks"]),
}
/** What stands here for settings that LiteLLM has. */
const HINTS: Readonly<Record<string, string>> = {
  "general_settings.master_key":
    "set 'admin_token', or TOLLGATE_ADMIN_TOKEN, to what operators send",
  "general_settings.database_url": "Tollgate has a database of its own: TOLLGATE_DATABASE_URL",
  "litellm_settings.request_timeout": "see 'deadlines' in docs/settings.md",
  "router_settings.routing_strategy": "deployments are drawn by weight",
  "litellm_settings.drop_params":
    "what a vendor cannot take is always dropped, and named in x-tollgate-losses",
}

/** Everything else is named: nothing is lost silently. */
function reportRest(file: Fields, differences: Differences): void {
  for (const [section, value] of Object.entries(file)) {
    if (section === "model_list") continue
    const members = fieldsOf(value)
    const names = Object.keys(members)
    if (names.length === 0) differences.leftOut("settings", `'${section}'`)
    for (const name of names) {
      if (READ[section]?.has(name)) continue
      const path = `${section}.${name}`
      const hint = HINTS[path]
      if (hint === undefined) differences.leftOut("settings", `'${path}'`)
      else differences.toDecide("settings", `'${path}': ${hint}`)
    }
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}
