/** A request that came with an idempotency key. Times are Unix milliseconds. */
export interface IdempotencyClaim {
  /** Whose key it is: of an account, or of someone who manages the gateway. */
  readonly scope: string
  /** A keyed hash of the idempotency key. */
  readonly key: string
  /** A keyed hash of what was asked. */
  readonly fingerprint: string
  /** The request that runs, or has run, under the key. */
  readonly request: string
  /** The process that runs it. */
  readonly node: string
  readonly at: number
  /** What its sender may do: a sender that may no longer do it does not get the answer. */
  readonly rights: string
}

export interface ClaimInput extends IdempotencyClaim {
  /** What was claimed at this moment or before has expired. */
  readonly expired: number
  /** A request that will never end, whose claim this one takes over. */
  readonly replaces: string | null
  /** Keys of one scope that are kept at once. */
  readonly maxKeys: number
}

/**
 * `running`: it may still end in anything. `done`: what it was to do is done, and its answer is not
 * kept. `kept`: its answer is on disk.
 */
export type IdempotencyState = "running" | "done" | "kept"

export interface IdempotencyRecord extends IdempotencyClaim {
  readonly state: IdempotencyState
}

/** An answer that is on disk. */
export interface KeptAnswer {
  readonly request: string
  /** On disk, in bytes. */
  readonly size: number
  /** How much may be kept of one scope, and of all together, in bytes. */
  readonly maxOfScope: number
  readonly maxOfAll: number
}

export interface KeepResult {
  /** False when the claim has expired or was taken over. */
  readonly isKept: boolean
  /** Requests whose answers had to make room. */
  readonly dropped: readonly string[]
}

/** One step on idempotency keys. */
export type IdempotencyStep =
  /** Claims a key. Its result is the claim that holds; null when the scope has used too many keys. */
  | { readonly kind: "claim"; readonly claim: ClaimInput }
  /** Says that an answer is on disk; the oldest ones make room for it. Its result is a `KeepResult`. */
  | { readonly kind: "keep"; readonly answer: KeptAnswer }
  /** Says that a request is done and its answer is not kept. Its result is true. */
  | { readonly kind: "drop"; readonly request: string }
  /** Forgets a request that did nothing. Its result is false when it did, or its claim now belongs to another request. */
  | { readonly kind: "release"; readonly request: string }

export type IdempotencyResult = IdempotencyRecord | KeepResult | boolean | null

export interface IdempotencyWrites {
  /** Performs steps on idempotency keys, all of them in one transaction. @returns their results in their order. */
  perform(steps: readonly IdempotencyStep[]): Promise<IdempotencyResult[]>
  /** Forgets claims of a moment and before, some thousands at most. @returns their requests. */
  sweep(expired: number): Promise<string[]>
}
