import type { Extra } from "../../canon/extra.ts"

/** Facts about a response that are in the response itself, or in its first event. */
export interface ResponseHead {
  readonly id?: string
  readonly model?: string
  /** Unix seconds. */
  readonly created?: number
  readonly extra?: Extra
}
