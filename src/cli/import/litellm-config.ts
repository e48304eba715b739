import { MODEL_KIND_NAMES, MODEL_KINDS } from "#contract/model-kinds.ts"
import { LineCounter } from "yaml"
import { isJsonObject, parseJson } from "../../canon/json.ts"
import { composeDocument } from "../../config/yaml-document.ts"
import { CommandError } from "../exit-codes.ts"
import { perMillion } from "./decimal.ts"
import { CONNECTION_PARAMETERS, liteLlmConnection } from "./litellm-connection.ts"
import { ModelBuilder } from "./models.ts"
import { type Differences, isNothing } from "./plan.ts"
import { type ProviderModel, Providers } from "./providers.ts"
import { Variables } from "./variables.ts"

type Fields = Readonly<Record<string, unknown>>

/** The models of LiteLLM's settings, converted. */
export interface LiteLlmModels {
  readonly settings: Readonly<Record<string, unknown>>
  readonly variables: Variables
  /** Maps LiteLLM's names of models to the ids of the imported models. */
  readonly ids: ReadonlyMap<string, string>
}

/** Maps LiteLLM's name of a price per unit to the class of usage. */
const PRICES: Readonly<Record<string, string>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  output_cost_per_reasoning_token: "reasoning_output",
  input_cost_per_audio_token: "audio_input",
  output_cost_per_audio_token: "audio_output",
  output_cost_per_image_token: "image_output",
  input_cost_per_second: "second",
  input_cost_per_character: "character",
  output_cost_per_image: "image",
}
const KINDS: ReadonlyMap<unknown, string> = new Map(
  MODEL_KIND_NAMES.flatMap((kind) =>
    MODEL_KINDS[kind].litellmModes.map((mode): [string, string] => [mode, kind]),
  ),
)
/** Parameters of a deployment that are imported or have no effect here. */
const KNOWN = new Set([...Object.keys(PRICES), ...CONNECTION_PARAMETERS, "weight"])
const KNOWN_INFO = new Set([
  ...Object.keys(PRICES),
  "id",
  "mode",
  "max_tokens",
  "max_input_tokens",
  "max_output_tokens",
])

/**
 * Converts a settings file of LiteLLM.
 * @param directory the folder of the settings file that will be written.
 * @throws CommandError `usage` if the text is not a settings file of LiteLLM.
 */
export function readLiteLlmConfig(
  text: string,
  directory: string,
  differences: Differences,
): LiteLlmModels {
  const file = fieldsOf(parsed(text))
  const list = file["model_list"]
  if (!Array.isArray(list)) {
    throw new CommandError(
      "usage",
      "this is not a settings file of LiteLLM, because it has no 'model_list'",
    )
  }
  const variables = new Variables("LITELLM", text)
  const reader = new ConfigReader(
    file,
    new Providers(differences, variables, directory),
    differences,
  )
  for (const entry of list) reader.add(fieldsOf(entry))
  const router = fieldsOf(file["router_settings"])
  const settings = fieldsOf(file["litellm_settings"])
  const isOfRouter = !isNothing(router["fallbacks"])
  if (isOfRouter && !isNothing(settings["fallbacks"]))
    differences.leftOut(
      "settings",
      "'litellm_settings.fallbacks': 'router_settings.fallbacks' takes precedence",
    )
  const { fallbacks } = isOfRouter ? router : settings
  reader.fallBack(fallbacks, `${isOfRouter ? "router" : "litellm"}_settings.fallbacks`)
  const { model_group_alias: aliases } = router
  if (!isNothing(aliases) && !isJsonObject(aliases))
    differences.leftOut("settings", "'router_settings.model_group_alias', which is not a mapping")
  const made = reader.finish(fieldsOf(aliases))
  reportRest(file, differences)
  return { ...made, variables }
}

function parsed(text: string): unknown {
  try {
    const document = composeDocument(text, new LineCounter())
    const [error] = document.errors
    if (error) throw error
    return document.toJS()
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error)
    throw new CommandError("usage", `it is not valid YAML: ${reason}`)
  }
}

class ConfigReader {
  readonly #differences: Differences
  readonly #providers: Providers
  readonly #models: ModelBuilder
  readonly #credentials: ReadonlyMap<string, Fields>

  constructor(file: Fields, providers: Providers, differences: Differences) {
    this.#differences = differences
    this.#providers = providers
    this.#models = new ModelBuilder("litellm", differences)
    const list = Array.isArray(file["credential_list"]) ? file["credential_list"] : []
    this.#credentials = new Map(
      list
        .map(fieldsOf)
        .map((entry) => [String(entry["credential_name"]), fieldsOf(entry["credential_values"])]),
    )
  }

  add(entry: Fields): void {
    const name = String(entry["model_name"] ?? "")
    const subject = `model ${name}`
    const own = fieldsOf(entry["litellm_params"])
    const parameters = { ...this.#credentials.get(String(own["litellm_credential_name"])), ...own }
    const info = fieldsOf(entry["model_info"])
    const isWildcard = name.includes("*")
    if (!isWildcard) this.#reportUnknown(subject, parameters, info)
    const credential = own["litellm_credential_name"]
    if (!isNothing(credential) && !this.#credentials.has(String(credential))) {
      // Without the credential, the provider would use the vendor's default variable, which may hold a different key.
      const words = `not carried over, add the provider by hand: its credential '${String(credential)}' is not in 'credential_list'`
      this.#differences.toDecide(subject, words)
      return
    }
    const providerModel = this.#modelAt(subject, parameters)
    if (!providerModel) return
    if (isWildcard) {
      this.#reportWildcard(subject, providerModel)
      return
    }
    const mode = info["mode"]
    if (typeof mode === "string" && !KINDS.has(mode)) {
      this.#differences.leftOut(subject, `models of mode '${mode}' are not served here`)
      return
    }
    const { weight } = parameters
    const price = this.#priceOf(subject, { ...info, ...parameters })
    const isWeight = typeof weight === "number" && weight >= 0
    if (!isWeight && !isNothing(weight))
      this.#differences.leftOut(subject, "'litellm_params.weight', which is not a number")
    const deployment = {
      ...providerModel,
      ...(isWeight && weight !== 1 && { weight }),
      ...(price && { price }),
    }
    this.#models.add(name, deployment, factsOf(info))
  }

  #reportWildcard(subject: string, { provider }: ProviderModel): void {
    if (this.#providers.hasKnownModels(provider)) {
      const words = `all known models of ${provider} can be called as ${provider}/<name>`
      this.#differences.changed(subject, words)
    } else {
      const words = `name the models of ${provider} under 'models': they are not known here`
      this.#differences.toDecide(subject, words)
    }
  }

  #modelAt(subject: string, parameters: Fields): ProviderModel | undefined {
    const found = liteLlmConnection(parameters)
    if (typeof found === "string") {
      this.#differences.leftOut(subject, found)
      return undefined
    }
    const providerModel = this.#providers.modelAt(subject, found.connection, found.model)
    if (providerModel && parameters["api_version"] !== undefined) {
      const words = "'api_version' is not needed: Azure is called through its v1 API"
      this.#differences.changed(subject, words)
    }
    return providerModel
  }

  /**
   * Reads fallbacks: `[{ "gpt-4o": ["claude"] }]`, or a single mapping, also as JSON text. Fallback deployments follow
   * the model's own.
   * @param path the path of the setting.
   */
  fallBack(stated: unknown, path: string): void {
    if (isNothing(stated)) return
    const value = typeof stated === "string" ? parseJson(stated) : stated
    const entries = Array.isArray(value) ? value : [value]
    if (entries.some((entry) => Object.keys(fieldsOf(entry)).length === 0))
      this.#differences.leftOut(
        "settings",
        `'${path}', which is not a mapping of models throughout`,
      )
    const pairs = entries.flatMap((entry) => Object.entries(fieldsOf(entry)))
    const wanted = pairs.map(([name, stated]) => {
      const others = (Array.isArray(stated) ? stated : [stated]).filter((other) => {
        if (typeof other === "string") return true
        const words = `'${JSON.stringify(other).slice(0, 100)}' is not the name of a model`
        this.#differences.leftOut(`fallback of ${name}`, words)
        return false
      })
      return [name, others] as const
    })
    this.#models.fallBack(wanted)
  }

  finish(aliases: Fields) {
    const targets = Object.entries(aliases).map(
      ([alias, target]) =>
        [alias, String(typeof target === "string" ? target : fieldsOf(target)["model"])] as const,
    )
    const { ids, ...models } = this.#models.finish(targets)
    return { settings: { providers: this.#providers.settings, ...models }, ids }
  }

  #priceOf(subject: string, fields: Fields): Record<string, string> | undefined {
    const rates = Object.entries(PRICES).flatMap(([name, usageClass]) => {
      const value = fields[name]
      const isNumber = typeof value === "number" || typeof value === "string"
      const rate = isNumber ? perMillion(value) : undefined
      if (rate === undefined && !isNothing(value))
        this.#differences.leftOut(subject, `'${name}', which is not a price`)
      return rate === undefined ? [] : [[usageClass, rate] as const]
    })
    return rates.length === 0 ? undefined : Object.fromEntries(rates)
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

function factsOf(info: Fields): Record<string, unknown> {
  const mode = KINDS.get(info["mode"])
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
/** The equivalents of LiteLLM's settings in this gateway. */
const HINTS: Readonly<Record<string, string>> = {
  "general_settings.master_key":
    "set 'admin_token', or TOLLGATE_ADMIN_TOKEN, to the token of operators",
  "general_settings.database_url": "Tollgate uses its own database: TOLLGATE_DATABASE_URL",
  "litellm_settings.request_timeout": "see 'timeouts' in docs/reference/settings.md",
  "router_settings.routing_strategy": "deployments are drawn by weight",
  "litellm_settings.drop_params":
    "unsupported parameters are always dropped, and named in x-tollgate-losses",
}

/** Reports all other settings, so that nothing is lost silently. */
function reportRest(file: Fields, differences: Differences): void {
  for (const [section, value] of Object.entries(file)) {
    if (section === "model_list" || section === "credential_list") continue
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
