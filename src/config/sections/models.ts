import type { DecimalText } from "#contract/decimal.ts"
import type { ModelRules } from "#contract/model-rules.ts"
import type { z } from "zod"
import { MODEL_ID_PATTERN } from "../aliases.ts"
import { modelRuleScalars } from "../model-rule-settings.ts"
import { suggestion } from "../nearest.ts"
import { Fault, flag, number, oneOf, readText, reading, text } from "../scalars.ts"
import { either, list, MODEL_ID, present, record, strict } from "../shapes.ts"
import { buildPrice, price, type PriceSettings } from "./model-prices.ts"
import { MULTIPLIER } from "./pricing.ts"
import { type Choice, CHOICES, type Disconnect, DISCONNECTS } from "./routing.ts"

export const MODEL_KINDS = [
  "chat",
  "embedding",
  "rerank",
  "image",
  "speech",
  "transcription",
] as const

export type ModelKind = (typeof MODEL_KINDS)[number]

export interface DeploymentSettings {
  readonly provider: string
  /** The provider's own name for the model. */
  readonly model: string
  readonly weight: number
  /** Whether no request goes there until the operator says so. */
  readonly isPaused?: boolean
  /** Absent: the model's price. */
  readonly price?: PriceSettings
  /** Absent: the model's dialects. */
  readonly dialects?: readonly string[]
  /** Rules that differ from those of the model's other deployments. */
  readonly rules?: ModelRules
}

/** A model of a group. */
export interface MemberSettings {
  readonly model: string
  /** Its share of the group's requests, where they are shared by weight. */
  readonly weight: number
}

export interface ModelSettings {
  readonly kind?: ModelKind
  readonly price?: PriceSettings
  readonly multiplier?: DecimalText
  readonly context?: number
  readonly maxOutput?: number
  /** Characters of text that a model of speech takes. */
  readonly maxInput?: number
  /** Searches that the model makes by itself in an answer, at most. */
  readonly ownSearches?: number
  readonly ownedBy?: string
  /** Absent: the setting for all models. */
  readonly disconnect?: Disconnect
  /** Absent: the setting for all models. */
  readonly choice?: Choice
  /** Absent: the setting for all models. */
  readonly hedge?: boolean
  /** The dialects it can be called in; absent: the known ones, else all of its provider. */
  readonly dialects?: readonly string[]
  readonly deployments?: readonly DeploymentSettings[]
  /** Rules that override the known rules of the model. */
  readonly rules?: ModelRules
  /** Set for a group: the models of which any may answer. It has no deployments and no price of its own. */
  readonly members?: readonly MemberSettings[]
}

const COUNT = number(1, Infinity, "whole number")

/** The names that a model may refer to. */
export interface KnownNames {
  readonly providers: readonly string[]
  readonly dialects: readonly string[]
}

function dialects(names: KnownNames) {
  return list(oneOf(names.dialects, "dialect")).optional()
}

const modelRules = strict(modelRuleScalars)

function deploymentSchema(names: KnownNames) {
  const provider = reading((input) => {
    const text = readText(input)
    if (text instanceof Fault || names.providers.includes(text)) return text
    const hint = suggestion(text, names.providers) || " Add it under 'providers'."
    return new Fault(`is no configured provider.${hint}`)
  })
  return strict({
    provider: provider.optional(),
    model: text().optional(),
    weight: number(0, 1_000_000).optional(),
    paused: flag().optional(),
    price: price.optional(),
    dialects: dialects(names),
    rules: modelRules.optional(),
  })
}

const member = either(
  reading((input) => {
    const id = readText(input)
    if (id instanceof Fault || MODEL_ID_PATTERN.test(id)) return id
    return new Fault("must be the id of a model, such as local/llama")
  }),
  strict({ model: MODEL_ID, weight: number(0, 1_000_000).optional() }),
)

function modelSchema(names: KnownNames) {
  return strict({
    kind: oneOf(MODEL_KINDS, "kind of model").optional(),
    price: price.optional(),
    multiplier: MULTIPLIER.optional(),
    context: COUNT.optional(),
    max_output: COUNT.optional(),
    max_input: COUNT.optional(),
    own_searches: number(1, 1_000, "whole number").optional(),
    owned_by: text().optional(),
    disconnect: oneOf(DISCONNECTS, "way to end").optional(),
    choice: oneOf(CHOICES, "choice").optional(),
    hedge: flag().optional(),
    dialects: dialects(names),
    rules: modelRules.optional(),
    deployments: list(deploymentSchema(names)).optional(),
    members: list(member).optional(),
  })
}

/** The table `models`, by id. */
export function modelsSchema(names: KnownNames) {
  return record(MODEL_ID, modelSchema(names)).nullish()
}

type FileModel = z.output<ReturnType<typeof modelSchema>>

export function buildModel(id: string, entry: FileModel): ModelSettings {
  return present({
    kind: entry.kind,
    price: entry.price && buildPrice(entry.price),
    multiplier: entry.multiplier,
    context: entry.context,
    maxOutput: entry.max_output,
    maxInput: entry.max_input,
    ownSearches: entry.own_searches,
    ownedBy: entry.owned_by,
    disconnect: entry.disconnect,
    choice: entry.choice,
    hedge: entry.hedge,
    dialects: entry.dialects,
    rules: rules(entry.rules),
    deployments: entry.deployments?.map((deployment) => buildDeployment(id, deployment)),
    members: entry.members?.map((member) =>
      typeof member === "string"
        ? { model: member, weight: 1 }
        : { model: member.model, weight: member.weight ?? 1 },
    ),
  })
}

function buildDeployment(
  id: string,
  entry: NonNullable<FileModel["deployments"]>[number],
): DeploymentSettings {
  const slash = id.indexOf("/")
  return present({
    provider: entry.provider ?? id.slice(0, slash),
    model: entry.model ?? id.slice(slash + 1),
    weight: entry.weight ?? 1,
    isPaused: entry.paused,
    price: entry.price && buildPrice(entry.price),
    dialects: entry.dialects,
    rules: rules(entry.rules),
  })
}

/** Returns only the rules that are set: an absent rule overrides nothing. */
function rules(entry: FileModel["rules"]): ModelRules | undefined {
  return entry === undefined ? undefined : present(entry)
}
