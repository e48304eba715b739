import type { Exchange } from "./exchange.ts"

/** Answers one request. */
export type Handler = (exchange: Exchange) => Response | Promise<Response>

/** One vendor's wire format: the paths that it answers, and the responses. */
export interface WireFormat {
  readonly name: string
  /** Returns the handler for a path (without its query), or undefined if the path belongs to another format. */
  match(method: string, path: string): Handler | undefined
}
