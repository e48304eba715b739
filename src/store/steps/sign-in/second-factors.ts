import type { ConsoleStore } from "../../console-store.ts"
import type { FailureLock, SecondFactor } from "../../second-factors.ts"
import { RecordColumns } from "../record-columns.ts"
import { sql, type Sql } from "../sql.ts"
import { run, statements, type Step, type StepMethods, transaction } from "../step.ts"
import { USER_ID } from "./user-id.ts"

const FACTOR = new RecordColumns<SecondFactor>({
  secret: "text",
  backupCodes: "text",
  isActive: "boolean",
  lockedUntil: "number",
})

/**
 * Changes are transactions. A single statement may be repeated after a lost connection, and would then report no
 * change.
 */
export const secondFactorSteps: StepMethods<ConsoleStore["secondFactors"]> = {
  find: statements(find),
  begin: transaction((...parameters) => changes(begin(...parameters))),
  useStep: transaction((...parameters) => changes(useStep(...parameters))),
  replaceBackupCodes: transaction((user, from, to) =>
    changes(
      sql`UPDATE second_factors SET backup_codes = ${to} WHERE ${USER_ID} = ${user} AND backup_codes = ${from}`,
    ),
  ),
  fail: transaction(fail),
  succeed: transaction(succeed),
  remove: transaction(remove),
}

function* changes(change: Sql): Step<boolean> {
  return (yield* run(change)) > 0
}

function find(user: string): Step<SecondFactor | null> {
  return FACTOR.row(sql`SELECT ${FACTOR.selected} FROM second_factors WHERE ${USER_ID} = ${user}`)
}

function begin(user: string, secret: string, backupCodes: string): Sql {
  return sql`INSERT INTO second_factors (${USER_ID}, secret, backup_codes, is_active, failures)
    VALUES (${user}, ${secret}, ${backupCodes}, false, 0)
    ON CONFLICT (${USER_ID}) DO UPDATE SET secret = excluded.secret, backup_codes = excluded.backup_codes,
      last_step = NULL WHERE NOT second_factors.is_active`
}

function useStep(user: string, step: number, latest: number): Sql {
  return sql`UPDATE second_factors SET last_step = ${step}, is_active = true, failures = 0, locked_until = NULL
    WHERE ${USER_ID} = ${user} AND (last_step IS NULL OR last_step < ${step} OR last_step > ${latest})`
}

/** Counts a failure. If a lock has expired, the failures that led to it no longer count. */
function* fail(user: string, now: number, { max, duration }: FailureLock): Step<void> {
  yield* run(
    sql`UPDATE second_factors SET
        failures = CASE WHEN locked_until IS NULL THEN failures + 1 ELSE 1 END,
        locked_until = CASE WHEN locked_until IS NULL AND failures + 1 >= ${max}
          THEN CAST(${now + duration} AS bigint) ELSE NULL END
      WHERE ${USER_ID} = ${user}`,
  )
}

function* succeed(user: string): Step<void> {
  yield* run(
    sql`UPDATE second_factors SET failures = 0, locked_until = NULL WHERE ${USER_ID} = ${user}`,
  )
}

function* remove(user: string): Step<void> {
  yield* run(sql`DELETE FROM second_factors WHERE ${USER_ID} = ${user}`)
  yield* run(sql`DELETE FROM proofs WHERE ${USER_ID} = ${user} AND kind = 'trusted-browser'`)
}
