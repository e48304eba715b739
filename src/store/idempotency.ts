/** A request with an idempotency key. Times are Unix milliseconds. */
export interface IdempotencyClaim {
  /** The owner of the key: an account, or a person who manages the gateway. */
  readonly scope: string
  /** A keyed hash of the idempotency key. */
  readonly key: string
  /** A keyed hash of the request. */
  readonly fingerprint: string
  /** The request that runs or ran under the key. */
  readonly request: string
  /** The process that runs the request. */
  readonly node: string
  readonly at: number
  /** The rights of its sender. A sender who has lost them does not get the answer. */
  readonly rights: string
}

export interface ClaimInput extends IdempotencyClaim {
  /** Claims from this moment or earlier have expired. */
  readonly expired: number
  /** A request that will never end. This claim replaces its claim. */
  readonly replaces: string | null
  /** Maximum keys of one scope. */
  readonly maxKeys: number
}

/**
 * `running`: the outcome is open. `done`: the work is done, but its answer is not stored. `kept`: its answer is on
 * disk.
 */
export type IdempotencyState = "running" | "done" | "kept"

export interface IdempotencyRecord extends IdempotencyClaim {
  readonly state: IdempotencyState
}

/** An answer on disk. */
export interface KeptAnswer {
  readonly request: string
  /** Size on disk, in bytes. */
  readonly size: number
  /** Maximum bytes stored for one scope, and in total. */
  readonly maxOfScope: number
  readonly maxOfAll: number
}

export interface KeepResult {
  /** False if the claim has expired or was taken over. */
  readonly isKept: boolean
  /** Requests that lost their stored answers. */
  readonly dropped: readonly string[]
}

/** One step on idempotency keys. */
export type IdempotencyStep =
  /** Claims a key. Its result is the current claim; null if the scope has too many keys. */
  | { readonly kind: "claim"; readonly claim: ClaimInput }
  /** Records that an answer is on disk, evicting the oldest ones. Its result is a `KeepResult`. */
  | { readonly kind: "keep"; readonly answer: KeptAnswer }
  /** Records that a request is done and its answer is not stored. Its result is true. */
  | { readonly kind: "drop"; readonly request: string }
  /**
   * Deletes the claim of a request that did nothing. Its result is false if it did something, or if its claim now
   * belongs to another request.
   */
  | { readonly kind: "release"; readonly request: string }

export type IdempotencyResult = IdempotencyRecord | KeepResult | boolean | null

export interface IdempotencyWrites {
  /**
   * Performs steps on idempotency keys in one transaction.
   * @returns their results in order.
   */
  perform(steps: readonly IdempotencyStep[]): Promise<IdempotencyResult[]>
  /**
   * Deletes claims from a moment or earlier, some thousands at most.
   * @returns their requests.
   */
  sweep(expired: number): Promise<string[]>
}
