import { MODEL_KIND_NAMES } from "#contract/model-kinds.ts"
import type { ModelRules } from "#contract/model-rules.ts"
import type { z } from "zod"
import { MODEL_ID_PATTERN } from "../aliases.ts"
import { modelRuleScalars } from "../model-rule-settings.ts"
import { suggestion } from "../nearest.ts"
import { Fault, readingText } from "../reading.ts"
import { flag, number, oneOf, text, wholeNumber } from "../scalars.ts"
import { either, entry, list, MODEL_ID, named, record } from "../shapes.ts"
import { price } from "./model-prices.ts"
import { MULTIPLIER } from "./pricing.ts"
import { STRATEGIES, DISCONNECTS } from "./routing.ts"

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

const WEIGHT = number(0, 1_000_000).prefault("1")

function deploymentSchema(names: KnownNames) {
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

/** A model of a group. */
const member = either(
  memberId.transform((model) => ({ model, weight: 1 })),
  /** The weight is the member's share of the group's requests if they are distributed by weight. */
  entry({ model: MODEL_ID, weight: WEIGHT }),
)

function modelSchema(names: KnownNames) {
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
    deployments: list(deploymentSchema(names)).optional(),
    /** The models of a group, any of which may respond. A group has no deployments and no price of its own. */
    members: list(member).optional(),
  })
}

/** Builds the schema of the table `models`, whose names are model ids. */
export function modelsSchema(names: KnownNames) {
  return record(MODEL_ID, modelSchema(names))
    .transform((models) =>
      named(Object.entries(models).map(([id, entry]) => [id, withDeployments(id, entry)])),
    )
    .nullish()
}

type FileModel = z.output<ReturnType<typeof modelSchema>>
type FileDeployment = z.output<ReturnType<typeof deploymentSchema>>

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
