/**
 * The purpose of a proof. It is a link for setting a password, the step between password and code, a browser that needs
 * no code, the return from an issuer, an identity that its user has to confirm, or the challenge of a passkey.
 */
export type ProofKind =
  | "reset-password"
  | "challenge"
  | "trusted-browser"
  | "oidc"
  | "identity"
  | "passkey-creation"
  | "passkey-sign-in"

/** A short-lived credential of a browser or a link. Only a hash of its token is stored. */
export interface Proof {
  readonly kind: ProofKind
  readonly hash: string
  /** The user; null if the user is not known yet. */
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
  /** Deletes and returns a proof. If several callers take the proof concurrently, only one of them receives it. */
  take(kind: ProofKind, hash: string, now: number): Promise<Proof | null>
  /**
   * Counts an attempt.
   * @returns false if `max` attempts have been counted. The proof is then deleted.
   */
  countAttempt(kind: ProofKind, hash: string, max: number): Promise<boolean>
  /** Deletes all proofs of a user. */
  endAll(user: string): Promise<void>
}
