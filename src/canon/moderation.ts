import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"

/** A part of a single input. */
export type ModerationPart =
  | { readonly type: "text"; readonly text: string }
  /** A web address or a data URL. */
  | { readonly type: "image"; readonly url: string }

/** What is classified: texts one by one, or the parts of one input together. */
export type ModerationInput =
  | { readonly type: "texts"; readonly texts: readonly string[] }
  | { readonly type: "parts"; readonly parts: readonly ModerationPart[] }

/** Inputs to be classified by how harmful they are. */
export interface ModerationRequest {
  readonly model: string
  readonly input: ModerationInput
  /** Fields without a name here. */
  readonly extra?: JsonObject
}

/** The classification of one input: the categories and scores are the model's own. */
export interface ModerationVerdict extends JsonObject {
  readonly flagged: boolean
  readonly categories: JsonObject
  readonly category_scores: JsonObject
}

export interface ModerationResult {
  /** One for each text, or one for all parts. */
  readonly verdicts: readonly ModerationVerdict[]
  /** Input tokens as the vendor counted them; absent if it does not report them. */
  readonly tokens?: number
}

/** How one family of vendors classifies. */
export type ModerationFormat = OperationFormat<ModerationRequest, ModerationResult>

/** All texts of an input. */
export function moderatedTexts(input: ModerationInput): readonly string[] {
  if (input.type === "texts") return input.texts
  return input.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
}

/** The number of inputs that get a verdict. */
export function verdictCount(input: ModerationInput): number {
  return input.type === "texts" ? input.texts.length : 1
}
