import type { PasskeyReads, PasskeyWrites } from "./passkeys.ts"
import type { ProofReads, ProofWrites } from "./proofs.ts"
import type { SecondFactorReads, SecondFactorWrites } from "./second-factors.ts"
import type { SessionReads, SessionWrites } from "./sessions.ts"
import type { SignInAttempts } from "./sign-in-attempts.ts"
import type { UserReads, UserWrites } from "./users.ts"

/** Maximum length of an attempt window. Older attempts are no longer needed. */
export const MAX_ATTEMPT_WINDOW_MS = 60 * 60_000

/** The users of the console and their credentials. */
export interface ConsoleStore extends Disposable {
  readonly users: UserReads & UserWrites
  readonly sessions: SessionReads & SessionWrites
  readonly secondFactors: SecondFactorReads & SecondFactorWrites
  readonly passkeys: PasskeyReads & PasskeyWrites
  readonly proofs: ProofReads & ProofWrites
  readonly attempts: SignInAttempts
  /** Deletes expired data. */
  sweep(now: number): Promise<void>
}
