import type { Extra } from "../../canon/extra.ts"

/** Facts about an answer, in the answer itself or in its first event. */
export interface AnswerHead {
  readonly id?: string
  readonly model?: string
  /** Seconds since 1970. */
  readonly created?: number
  readonly extra?: Extra
}
