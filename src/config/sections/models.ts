import { MODEL_KIND_NAMES } from "#contract/model-kinds.ts"
import {
  type ModelRules,
  ANSWER_FORMATS,
  MAX_TOKENS_FIELDS,
  MODALITIES,
  PDF_ENGINES,
  PREFILL_FIELDS,
  REASONING_EFFORTS,
  REASONING_SUPPORT,
  SERVER_ORDERS,
  REASONING_SWITCHES,
  REJECTABLE_PARAMETERS,
  RULE_APIS,
  RULE_RANGES,
  SCHEMA_KEYWORDS,
  TOOL_NAME_CHARACTERS,
} from "#contract/model-rules.ts"
import { MODEL_ID_PATTERN } from "../aliases.ts"
import { suggestion } from "../nearest.ts"
import { Fault, type Output, readingText } from "../reading.ts"
import { flag, number, oneOf, text, wholeNumber } from "../scalars.ts"
import { either, entry, list, MODEL_ID, named, record } from "../shapes.ts"
import { price } from "./model-prices.ts"
import { MULTIPLIER } from "./pricing.ts"
import { STRATEGIES, DISCONNECTS } from "./routing.ts"

function anyOf<Word extends string>(words: readonly Word[], kind: string) {
  return list(oneOf(words, kind), { min: 0 })
}

function someOf<Word extends string>(words: readonly Word[], kind: string) {
  return list(oneOf(words, kind))
}

function numberOf(name: keyof typeof RULE_RANGES) {
  const [minimum, maximum] = RULE_RANGES[name]
  return wholeNumber(minimum, maximum).optional()
}

/** The rules of a model, by name. */
const modelRuleScalars = {
  api: oneOf(RULE_APIS, "API").optional(),
  tool_api: oneOf(RULE_APIS, "API").optional(),
  tools: flag().optional(),
  reasoning: oneOf(REASONING_SUPPORT, "value").optional(),
  reasoning_efforts: someOf(REASONING_EFFORTS, "effort").optional(),
  default_effort: oneOf(REASONING_EFFORTS, "effort").optional(),
  reasoning_off: oneOf(REASONING_SWITCHES, "way to switch reasoning off").optional(),
  reasoning_history: flag().optional(),
  // An empty list removes a built-in list.
  rejected_parameters: anyOf(REJECTABLE_PARAMETERS, "parameter").optional(),
  sampling_without_reasoning: flag().optional(),
  max_user_length: numberOf("max_user_length"),
  max_tokens_field: oneOf(MAX_TOKENS_FIELDS, "field").optional(),
  modalities: someOf(MODALITIES, "modality").optional(),
  // An empty list only allows text.
  answer_formats: anyOf(ANSWER_FORMATS, "format").optional(),
  json_word_required: flag().optional(),
  schema_as_tool: flag().optional(),
  schema_root_object: flag().optional(),
  schema_described_keywords: anyOf(SCHEMA_KEYWORDS, "keyword").optional(),
  schema_rejected_keywords: anyOf(SCHEMA_KEYWORDS, "keyword").optional(),
  schema_closed_objects: flag().optional(),
  schema_recursion: flag().optional(),
  strict_requires_all: flag().optional(),
  max_tools: numberOf("max_tools"),
  max_strict_tools: numberOf("max_strict_tools"),
  max_tool_name_length: numberOf("max_tool_name_length"),
  tool_name_characters: anyOf(TOOL_NAME_CHARACTERS, "character").optional(),
  tool_name_starts_with_letter: flag().optional(),
  max_call_id_length: numberOf("max_call_id_length"),
  tool_choice: flag().optional(),
  tool_choice_with_reasoning: flag().optional(),
  turns_end_with_user: flag().optional(),
  turns_alternate: flag().optional(),
  turns_answer_results: flag().optional(),
  instructions_first: flag().optional(),
  prefill_field: oneOf(PREFILL_FIELDS, "field").optional(),
  max_images: numberOf("max_images"),
  max_cache_marks: numberOf("max_cache_marks"),
  pdf_engine: oneOf(PDF_ENGINES, "engine").optional(),
  server_order: oneOf(SERVER_ORDERS, "order").optional(),
} satisfies Record<keyof ModelRules, unknown>

const COUNT = wholeNumber(1, Infinity)

/** The names that a model may refer to. */
export interface KnownNames {
  readonly providers: readonly string[]
  readonly dialects: readonly string[]
}

function dialects(names: KnownNames) {
  return list(oneOf(names.dialects, "dialect")).optional()
}

const modelRules = entry(modelRuleScalars).transform((rules): ModelRules => rules)

const WEIGHT = number(0, 1_000_000).orElse("1")

function deploymentReader(names: KnownNames) {
  const provider = readingText((text) => {
    if (names.providers.includes(text)) return text
    const hint = suggestion(text, names.providers) || " Add it under 'providers'."
    return new Fault(`is not a configured provider.${hint}`)
  })
  return entry(
    {
      /** The provider of this deployment; if absent, the provider in the model's id. */
      provider: provider.optional(),
      /** The provider's own name for the model; if absent, the name in the model's id. */
      model: text().optional(),
      weight: WEIGHT,
      /** A paused deployment receives no requests. */
      isPaused: flag().optional(),
      /** The deployment's price; if absent, the model's price. */
      price: price.optional(),
      /** The deployment's dialects; if absent, the model's dialects. */
      dialects: dialects(names),
      /** Rules for this deployment, which override the model's rules. */
      rules: modelRules.optional(),
    },
    { isPaused: "paused" },
  )
}

const memberId = readingText((id) => {
  if (MODEL_ID_PATTERN.test(id)) return id
  return new Fault("must be the id of a model, such as local/llama")
})

const member = either(
  memberId.transform((model) => ({ model, weight: 1 })),
  /** The weight is the member's share of the group's requests if they are distributed by weight. */
  entry({ model: MODEL_ID, weight: WEIGHT }),
)

function modelReader(names: KnownNames) {
  return entry({
    kind: oneOf(MODEL_KIND_NAMES, "kind of model").optional(),
    price: price.optional(),
    multiplier: MULTIPLIER.optional(),
    context: COUNT.optional(),
    maxOutput: COUNT.optional(),
    /** Maximum characters of text for a speech model. */
    maxInput: COUNT.optional(),
    /** Maximum searches that the model makes on its own per response. */
    ownSearches: wholeNumber(1, 1_000).optional(),
    ownedBy: text().optional(),
    /** If `disconnect`, `strategy` or `hedge` is absent, the setting for all models applies. */
    disconnect: oneOf(DISCONNECTS, "way to end").optional(),
    strategy: oneOf(STRATEGIES, "strategy").optional(),
    hedge: flag().optional(),
    /** The supported dialects; if absent, the known dialects of the model, or all dialects of its provider. */
    dialects: dialects(names),
    /** Rules that override the known rules of the model. */
    rules: modelRules.optional(),
    deployments: list(deploymentReader(names)).optional(),
    /** The models of a group. Any of them may respond. A group has neither deployments nor a price. */
    members: list(member).optional(),
  })
}

/** Builds the reader of the table `models`, whose names are model ids. */
export function modelsReader(names: KnownNames) {
  return record(MODEL_ID, modelReader(names))
    .transform((models) =>
      named(Object.entries(models).map(([id, entry]) => [id, withDeployments(id, entry)])),
    )
    .nullish()
}

type FileModel = Output<ReturnType<typeof modelReader>>
type FileDeployment = Output<ReturnType<typeof deploymentReader>>

export interface DeploymentSettings extends FileDeployment {
  readonly provider: string
  /** The provider's own name for the model. */
  readonly model: string
}

export interface ModelSettings extends Omit<FileModel, "deployments"> {
  readonly deployments?: readonly DeploymentSettings[]
}

/** Adds to each deployment its provider and the provider's name for the model. */
function withDeployments(id: string, { deployments, ...model }: FileModel): ModelSettings {
  if (deployments === undefined) return model
  const slash = id.indexOf("/")
  const ids = { provider: id.slice(0, slash), model: id.slice(slash + 1) }
  return { ...model, deployments: deployments.map((one) => ({ ...ids, ...one })) }
}
