import type { Extra } from "../../canon/extra.ts"

/** What an answer, or the first event of one, says of itself. */
export interface AnswerHead {
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly created?: number
  readonly extra?: Extra
}
