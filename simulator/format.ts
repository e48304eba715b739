import type { Exchange } from "./exchange.ts"

/** Answers one request. */
export type Answer = (exchange: Exchange) => Response | Promise<Response>

/** One vendor's wire format: which paths it answers, and how. */
export interface WireFormat {
  readonly name: string
  /** The answer to a path (without its query), or undefined when it is not this format's. */
  match(method: string, path: string): Answer | undefined
}
