import type { Extra } from "../../canon/extra.ts"

/** What an answer, or its first event, says about itself. */
export interface AnswerHead {
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly created?: number
  readonly extra?: Extra
}
