/** A request with an idempotency key. Times are Unix milliseconds. */
export interface IdempotencyClaim {
  /** The owner of the key, which is an account or a person who manages the gateway. */
  readonly scope: string
  /** A keyed hash of the idempotency key. */
  readonly key: string
  /** A keyed hash of the request. */
  readonly fingerprint: string
  /** The id of the request that runs or ran with the key. */
  readonly request: string
  /** The process that runs or ran the request. */
  readonly node: string
  readonly at: number
  /** The permissions of the sender. A sender who has lost them does not receive the response. */
  readonly rights: string
}

export interface ClaimInput extends IdempotencyClaim {
  /** Unix milliseconds. Claims from this moment or earlier have expired. */
  readonly expired: number
  /** The id of a request that will never end. This claim replaces the claim of that request. */
  readonly replaces: string | null
  /** Maximum number of keys in one scope. */
  readonly maxKeys: number
}

/**
 * The state of a claim. `running`: the outcome is open. `done`: the request is complete, but its response is not
 * stored.
 * `kept`: the response is on disk.
 */
export type IdempotencyState = "running" | "done" | "kept"

export interface IdempotencyRecord extends IdempotencyClaim {
  readonly state: IdempotencyState
}

/** A response that is on disk. */
export interface KeptResponse {
  readonly request: string
  /** Size on disk, in bytes. */
  readonly size: number
  /** Maximum bytes that are stored for one scope, and in total. */
  readonly maxOfScope: number
  readonly maxOfAll: number
}

export interface KeepResult {
  /** False if the claim has expired or was taken over. */
  readonly isKept: boolean
  /** Ids of requests whose stored responses were evicted. */
  readonly dropped: readonly string[]
}

/** One change to the claims of idempotency keys. */
export type IdempotencyStep =
  /** Claims a key. The result is the claim that applies, or null if the scope has too many keys. */
  | { readonly kind: "claim"; readonly claim: ClaimInput }
  /**
   * Records that a response is on disk. The oldest responses are evicted if necessary. The result is a `KeepResult`.
   */
  | { readonly kind: "keep"; readonly response: KeptResponse }
  /** Records that a request is complete without a stored response. The result is true. */
  | { readonly kind: "drop"; readonly request: string }
  /**
   * Deletes the claim of a request that had no effect. The result is false if the request had an effect, or if the
   * claim now belongs to another request.
   */
  | { readonly kind: "release"; readonly request: string }

export type IdempotencyResult = IdempotencyRecord | KeepResult | boolean | null

export interface IdempotencyWrites {
  /**
   * Performs changes to claims in one transaction.
   * @returns their results in order.
   */
  perform(steps: readonly IdempotencyStep[]): Promise<IdempotencyResult[]>
  /**
   * Deletes claims from a moment or earlier, at most a few thousand.
   * @returns the ids of their requests.
   */
  sweep(expired: number): Promise<string[]>
}
