/**
 * The purpose of a proof: a link that sets a password, the step between password and code, or a browser that needs no
 * code; the return from an issuer, an identity that its user has yet to confirm, or the challenge of a passkey.
 */
export type ProofKind =
  | "reset-password"
  | "challenge"
  | "trusted-browser"
  | "oidc"
  | "identity"
  | "passkey-creation"
  | "passkey-sign-in"

/** A short-lived credential of a browser or a link; only a hash of its token is stored. */
export interface Proof {
  readonly kind: ProofKind
  readonly hash: string
  /** Null if the user is not known yet. */
  readonly user: string | null
  readonly value: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

export interface ProofReads {
  find(kind: ProofKind, hash: string, now: number): Promise<Proof | null>
}

export interface ProofWrites {
  create(proof: Proof): Promise<void>
  /** Consumes a proof: of several concurrent calls, only one gets it. */
  take(kind: ProofKind, hash: string, now: number): Promise<Proof | null>
  /**
   * Counts an attempt.
   * @returns false, deleting the proof, once `max` have been counted.
   */
  countAttempt(kind: ProofKind, hash: string, max: number): Promise<boolean>
  /** Deletes all proofs of a user. */
  endAll(user: string): Promise<void>
}
