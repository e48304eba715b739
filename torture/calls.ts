/** The requests of callers and their results: one half of the oracle's evidence. */

/** The endpoints of calls. */
export const ENDPOINTS = ["chat", "messages", "responses", "embeddings"] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** A model of the simulator. */
export interface TortureModel {
  readonly id: string
  /** Whether each whole answer costs exactly what its vendor counted. Others are estimated, or bounded. */
  readonly isExact: boolean
}

/** A caller's key. */
export interface CallerKey {
  readonly account: string
  readonly id: string
  secret: string
}

/** One call of a caller, with any number of tries. */
export interface CallPlan {
  /** Part of the request's text, so that the vendor's record of it can be found. */
  readonly marker: string
  readonly key: CallerKey
  readonly endpoint: Endpoint
  readonly model: TortureModel
  readonly isStreamed: boolean
  /** Words of the sent text, and of the requested answer. */
  readonly words: number
  readonly answerWords: number
  /** If present, the call is repeated with it until there is an answer. */
  readonly idempotencyKey?: string
  /** Disconnects after this many bytes. */
  readonly leavesAfterBytes?: number
  /** Disconnects after this many milliseconds. */
  readonly leavesAfter?: number
}

/** Tokens reported in an answer. */
export interface ReportedUsage {
  readonly input: number
  readonly output: number
}

/** The outcome of one request, as seen by its caller. */
export interface Try {
  readonly node: number
  /** Milliseconds since the run began. */
  readonly begun: number
  readonly ended: number
  /** 0 when there was no answer. */
  readonly status: number
  /** From the answer's headers; null without an answer. */
  readonly requestId: string | null
  /** `whole`: the answer is complete; `part`: it began with 200; `refused`: another status; `lost`: no answer. */
  readonly outcome: "whole" | "part" | "refused" | "lost"
  readonly usage: ReportedUsage | null
  /** Whether any of the model's content arrived. */
  readonly hasContent: boolean
  readonly isReplayed: boolean
  /** Hash of a whole answer's text. */
  readonly digest: string | null
  /** The request that an idempotent one was charged as, if its answer is lost. */
  readonly originalId: string | null
  /** The error, or the end of the text. */
  readonly detail: string
}

export interface CallRecord {
  readonly plan: CallPlan
  readonly tries: readonly Try[]
  /** Idempotent calls: asked once more at the end. */
  repeat?: Try
}

/** An operator's change under an idempotency key, repeated until it was answered. */
export interface GrantRecord {
  readonly account: string
  readonly kind: "grant" | "refund" | "adjustment"
  /** Nanocredits. */
  readonly amount: bigint
  /** Unique. */
  readonly note: string
  /** `open`: the run ended without an answer. */
  readonly outcome: "done" | "refused" | "open"
}

/** The vendor's record of a call. */
export interface VendorCall {
  readonly usage: ReportedUsage | null
  readonly isFinished: boolean
}
