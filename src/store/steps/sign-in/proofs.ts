import type { ConsoleStore } from "../../console-store.ts"
import type { Proof, ProofKind } from "../../proofs.ts"
import { column, RecordColumns } from "../record-columns.ts"
import { sql, type Sql } from "../sql.ts"
import { run, statements, type Step, type StepMethods, transaction } from "../step.ts"
import { USER_ID } from "./user-id.ts"

const PROOF = new RecordColumns<Proof>({
  kind: "text",
  hash: "text",
  user: column("text", USER_ID),
  value: "text",
  expiresAt: "number",
})

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

function find(kind: ProofKind, hash: string, now: number): Step<Proof | null> {
  return PROOF.row(sql`SELECT ${PROOF.selected} FROM proofs WHERE ${isValid(kind, hash, now)}`)
}

function* create(proof: Proof): Step<void> {
  yield* run(
    sql`INSERT INTO proofs (${PROOF.names}, attempts) VALUES (${PROOF.values(proof)}, 0) ON CONFLICT (hash) DO NOTHING`,
  )
}

function take(kind: ProofKind, hash: string, now: number): Step<Proof | null> {
  return PROOF.row(
    sql`DELETE FROM proofs WHERE ${isValid(kind, hash, now)} RETURNING ${PROOF.selected}`,
  )
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
