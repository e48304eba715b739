import type { Extra } from "../../../canon/chat.ts"
import type { Draft } from "../../../canon/draft.ts"
import {
  type JsonObject,
  objectAt,
  textAt,
  unknownFields,
  type JsonValue,
} from "../../../canon/json.ts"
import { DIALECT } from "../identifiers.ts"
import { extraOf } from "../../shared/extra.ts"

/** Members of an answer that have a name in the canon. */
const ANSWER_FIELDS = new Set([
  "candidates",
  "responseId",
  "modelVersion",
  "createTime",
  "usageMetadata",
])

/** What an answer, or the first piece of one, says of itself. */
export interface AnswerHead {
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly created?: number
  readonly extra?: Extra
}

export function answerHead(answer: JsonObject): AnswerHead {
  const head: Draft<AnswerHead> = {}
  const id = textAt(answer, "responseId")
  if (id !== undefined) head.id = id
  const model = textAt(answer, "modelVersion")
  if (model !== undefined) head.model = model
  const created = Date.parse(textAt(answer, "createTime") ?? "")
  if (!Number.isNaN(created)) head.created = Math.floor(created / 1_000)
  const rest = unknownFields(answer, ANSWER_FIELDS)
  if (rest !== undefined) head.extra = extraOf(DIALECT, rest)
  return head
}

/** Why the prompt was refused; such an answer has no candidates (WIRE.md 5). */
export function blockReason(answer: JsonObject): string | undefined {
  const feedback = objectAt(answer, "promptFeedback")
  return feedback === undefined ? undefined : textAt(feedback, "blockReason")
}

/** Members of a candidate that have a name in the canon. */
const CANDIDATE_FIELDS = new Set(["content", "finishReason", "index"])

/** What only this dialect knows of a candidate; empty members, which streams are full of, left out. */
export function candidateExtra(candidate: JsonObject): JsonObject | undefined {
  const fields = unknownFields(candidate, CANDIDATE_FIELDS)
  for (const name in fields) {
    if (isEmpty(fields[name])) delete fields[name]
  }
  return fields === undefined || isEmpty(fields) ? undefined : fields
}

function isEmpty(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0
}
