import type { ConsoleStore } from "../../console-store.ts"
import type { Proof, ProofKind } from "../../proofs.ts"
import { sql, type Sql } from "../sql.ts"
import { row, run, statements, type Step, type StepMethods, transaction } from "../step.ts"
import { USER_ID } from "./user-id.ts"

interface ProofRow {
  readonly user_id: string | null
  readonly value: string
  readonly expires_at: bigint
}

const COLUMNS = sql`${USER_ID} AS user_id, value, expires_at`

export const proofSteps: StepMethods<ConsoleStore["proofs"]> = {
  find: statements(find),
  create: statements(create),
  // A transaction is required. A single statement may be repeated after a lost connection, and would then not find the
  // deleted proof.
  take: transaction(take),
  countAttempt: transaction(countAttempt),
  endAll: statements(endAll),
}

function isValid(kind: ProofKind, hash: string, now: number): Sql {
  return sql`hash = ${hash} AND kind = ${kind} AND expires_at > ${now}`
}

function* find(kind: ProofKind, hash: string, now: number): Step<Proof | null> {
  const found = yield* row<ProofRow>(
    sql`SELECT ${COLUMNS} FROM proofs WHERE ${isValid(kind, hash, now)}`,
  )
  return found && proofOf(kind, hash, found)
}

function* create({ kind, hash, user, value, expiresAt }: Proof): Step<void> {
  yield* run(
    sql`INSERT INTO proofs (hash, kind, ${USER_ID}, value, attempts, expires_at)
      VALUES (${hash}, ${kind}, ${user}, ${value}, 0, ${expiresAt}) ON CONFLICT (hash) DO NOTHING`,
  )
}

function* take(kind: ProofKind, hash: string, now: number): Step<Proof | null> {
  const taken = yield* row<ProofRow>(
    sql`DELETE FROM proofs WHERE ${isValid(kind, hash, now)} RETURNING ${COLUMNS}`,
  )
  return taken && proofOf(kind, hash, taken)
}

function* countAttempt(kind: ProofKind, hash: string, max: number): Step<boolean> {
  const counted = yield* run(
    sql`UPDATE proofs SET attempts = attempts + 1 WHERE hash = ${hash} AND kind = ${kind} AND attempts < ${max}`,
  )
  if (counted > 0) return true
  yield* run(sql`DELETE FROM proofs WHERE hash = ${hash} AND kind = ${kind}`)
  return false
}

function* endAll(user: string): Step<void> {
  yield* run(sql`DELETE FROM proofs WHERE ${USER_ID} = ${user}`)
}

function proofOf(kind: ProofKind, hash: string, row: ProofRow): Proof {
  const { user_id: user, value, expires_at } = row
  return { kind, hash, user, value, expiresAt: Number(expires_at) }
}
