/** What callers ask for, and what they get: one half of what the oracle judges by. */

/** How a call asks. */
export const ENDPOINTS = ["chat", "messages", "responses", "embeddings"] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** A model of the simulator. */
export interface TortureModel {
  readonly id: string
  /** Whether each whole answer costs exactly what its vendor counted. Others are estimated, or bounded. */
  readonly isExact: boolean
}

/** A key that a caller has. */
export interface CallerKey {
  readonly account: string
  readonly id: string
  secret: string
}

/** One thing that a caller wants, however often it has to ask. */
export interface CallPlan {
  /** In the text of the request, so that the vendor's record of it is found. */
  readonly marker: string
  readonly key: CallerKey
  readonly endpoint: Endpoint
  readonly model: TortureModel
  readonly isStreamed: boolean
  /** Words of the text that is sent, and of the answer that is asked for. */
  readonly words: number
  readonly answerWords: number
  /** Asks with it until there is an answer. */
  readonly idempotencyKey?: string
  /** Leaves when it has got so many bytes. */
  readonly leavesAfterBytes?: number
  /** Leaves after so many milliseconds. */
  readonly leavesAfter?: number
}

/** Tokens, as an answer reports them. */
export interface ReportedUsage {
  readonly input: number
  readonly output: number
}

/** How one request ended, as its caller saw it. */
export interface Try {
  readonly node: number
  /** Milliseconds since the run began. */
  readonly begun: number
  readonly ended: number
  /** 0 when there was no answer. */
  readonly status: number
  /** Of the answer's headers; null when none came. */
  readonly requestId: string | null
  /** `whole`: nothing is missing; `part`: it began with 200; `refused`: another status; `lost`: no answer. */
  readonly outcome: "whole" | "part" | "refused" | "lost"
  readonly usage: ReportedUsage | null
  /** Whether any of what the model said came. */
  readonly hasContent: boolean
  readonly isReplayed: boolean
  /** Hash of a whole answer's text. */
  readonly digest: string | null
  /** The request that an idempotent one was charged as, where its answer is lost. */
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

/** What an operator asked for under an idempotency key, until it was answered. */
export interface GrantRecord {
  readonly account: string
  readonly kind: "grant" | "refund" | "adjustment"
  /** Nanocredits. */
  readonly amount: bigint
  /** Unique. */
  readonly note: string
  /** `open`: the run ended before there was an answer. */
  readonly outcome: "done" | "refused" | "open"
}

/** What the vendor did for a call. */
export interface VendorCall {
  readonly usage: ReportedUsage | null
  readonly isFinished: boolean
}
