import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"

/** A part of an input that has several parts. */
export type ModerationPart =
  | { readonly type: "text"; readonly text: string }
  /** An image as an HTTP URL or a data URL. */
  | { readonly type: "image"; readonly url: string }

export interface ModerationMessage {
  readonly role: string
  readonly parts: readonly ModerationPart[]
  /** Unknown fields. */
  readonly extra?: JsonObject
}

/** The input to classify: separate texts, the parts of a single input, or the last message of each conversation. */
export type ModerationInput =
  | { readonly type: "texts"; readonly texts: readonly string[] }
  | { readonly type: "parts"; readonly parts: readonly ModerationPart[] }
  | {
      readonly type: "conversations"
      readonly conversations: readonly (readonly ModerationMessage[])[]
    }

/** Inputs to be rated for harmful content. */
export interface ModerationRequest {
  readonly model: string
  readonly input: ModerationInput
  /** Unknown fields. */
  readonly extra?: JsonObject
}

/** The classification of one input. The categories and scores are the model's own. */
export interface ModerationVerdict extends JsonObject {
  readonly flagged: boolean
  readonly categories: JsonObject
  readonly category_scores: JsonObject
}

export interface ModerationResult {
  /** One verdict for each text or conversation, or one verdict for all parts of an input. */
  readonly verdicts: readonly ModerationVerdict[]
  /** Input tokens as the vendor counted them; absent if the vendor does not report them. */
  readonly tokens?: number
}

/** Encodes and decodes classifications for one family of vendors. */
export type ModerationFormat = OperationFormat<ModerationRequest, ModerationResult>

/** Returns all parts of an input. */
export function moderatedParts(input: ModerationInput): readonly ModerationPart[] {
  switch (input.type) {
    case "texts":
      return input.texts.map((text) => ({ type: "text", text }))
    case "parts":
      return input.parts
    case "conversations":
      return input.conversations.flatMap((messages) => messages.flatMap(({ parts }) => parts))
  }
}

export function textsOf(parts: readonly ModerationPart[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
}

/** Returns the number of verdicts that an input receives. */
export function verdictCount(input: ModerationInput): number {
  switch (input.type) {
    case "texts":
      return input.texts.length
    case "parts":
      return 1
    case "conversations":
      return input.conversations.length
  }
}
