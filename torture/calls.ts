/** The requests of callers and their results. A run is judged from these and from the ledger. */

/** The endpoints of calls. */
export const ENDPOINTS = ["chat", "messages", "responses", "embeddings"] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** A model of the simulator. */
export interface TortureModel {
  readonly id: string
  /**
   * Whether a complete response costs exactly what the vendor counted. For other models, the cost is estimated or
   * limited.
   */
  readonly isExact: boolean
}

/** A caller's key. */
export interface CallerKey {
  readonly account: string
  readonly id: string
  secret: string
}

/** One call of a caller, with any number of attempts. */
export interface CallPlan {
  /** A unique part of the request's text, by which the vendor's record of the call is found. */
  readonly marker: string
  readonly key: CallerKey
  readonly endpoint: Endpoint
  readonly model: TortureModel
  readonly isStreamed: boolean
  /** Number of words in the sent text, and in the requested response. */
  readonly words: number
  readonly responseWords: number
  /** The idempotency key. If it is present, the call is repeated until there is a response. */
  readonly idempotencyKey?: string
  /** The caller disconnects after receiving this number of bytes. */
  readonly leavesAfterBytes?: number
  /** The caller disconnects after this number of milliseconds. */
  readonly leavesAfter?: number
}

/** Tokens reported in a response. */
export interface ReportedUsage {
  readonly input: number
  readonly output: number
}

/** The outcome of one request, as its caller saw it. */
export interface Try {
  readonly node: number
  /** Start of the request in milliseconds since the run began. */
  readonly begun: number
  readonly ended: number
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** The request id in the response headers; null if there was no response. */
  readonly requestId: string | null
  /**
   * `whole`: the response is complete. `part`: the response began with 200 and is incomplete. `rejected`: another
   * status.
   * `lost`: no response.
   */
  readonly outcome: "whole" | "part" | "rejected" | "lost"
  readonly usage: ReportedUsage | null
  /** Whether any content of the model arrived. */
  readonly hasContent: boolean
  readonly isReplayed: boolean
  /** Hash of the text of a complete response. */
  readonly digest: string | null
  /** The id of the request that was charged for an idempotent call, if the response of that request is lost. */
  readonly originalId: string | null
  /** The error message, or the end of the text. */
  readonly detail: string
}

export interface CallRecord {
  readonly plan: CallPlan
  readonly tries: readonly Try[]
  /** The repetition at the end of the run. Only idempotent calls are repeated. */
  repeat?: Try
}

/** An operator's change with an idempotency key, repeated until there was a response. */
export interface GrantRecord {
  readonly account: string
  readonly kind: "grant" | "refund" | "adjustment"
  /** The amount in nanocredits. */
  readonly amount: bigint
  /** A unique note. */
  readonly note: string
  /** `open`: there was no response before the run ended. */
  readonly outcome: "done" | "rejected" | "open"
}

/** The vendor's record of a call. */
export interface VendorCall {
  readonly usage: ReportedUsage | null
  readonly isFinished: boolean
}
