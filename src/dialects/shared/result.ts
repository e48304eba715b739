import type { Extra } from "../../canon/extra.ts"

/** Facts about an answer that are in the answer itself, or in its first event. */
export interface AnswerHead {
  readonly id?: string
  readonly model?: string
  /** Unix seconds. */
  readonly created?: number
  readonly extra?: Extra
}
