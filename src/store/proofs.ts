/**
 * What a proof is for: a link that sets a password, the step between password and code, a browser that needs
 * no code, the return from an issuer, an identity whose user has yet to confirm it, and what a passkey has to sign.
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
  /** Null while the user is not known. */
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
  /** Consumes it: of several concurrent calls, one gets it. */
  take(kind: ProofKind, hash: string, now: number): Promise<Proof | null>
  /** Counts an attempt with it. @returns false, deleting it, once `max` have been counted. */
  countAttempt(kind: ProofKind, hash: string, max: number): Promise<boolean>
  /** Deletes all of a user's. */
  endAll(user: string): Promise<void>
}
