import { type ConsoleStore, MAX_ATTEMPT_WINDOW_MS } from "../../console-store.ts"
import { sql } from "../sql.ts"
import { run, type Step, type StepGroups } from "../step.ts"
import { passkeySteps } from "./passkeys.ts"
import { proofSteps } from "./proofs.ts"
import { secondFactorSteps } from "./second-factors.ts"
import { sessionSteps } from "./sessions.ts"
import { signInAttemptSteps } from "./sign-in-attempts.ts"
import { userSteps } from "./users.ts"

/** The aggregates of the console's store. */
export type ConsoleAggregates = Omit<ConsoleStore, "sweep" | symbol>

export const CONSOLE_STEPS: StepGroups<ConsoleAggregates> = {
  users: userSteps,
  sessions: sessionSteps,
  secondFactors: secondFactorSteps,
  passkeys: passkeySteps,
  proofs: proofSteps,
  attempts: signInAttemptSteps,
}

/** Deletes expired data. */
export function* sweepExpired(now: number): Step<void> {
  yield* run(sql`DELETE FROM sessions WHERE expires_at <= ${now}`)
  yield* run(sql`DELETE FROM proofs WHERE expires_at <= ${now}`)
  yield* run(sql`DELETE FROM attempts WHERE begun_at <= ${now - MAX_ATTEMPT_WINDOW_MS}`)
}
