import type { AuditRecord } from "../../accounting/chained-records.ts"
import { hashAudit } from "../../accounting/hash-chain.ts"
import type { NewAuditRecord } from "../audit.ts"
import { lockChainEnd, moveChainEnd } from "./chain-ends.ts"
import type { PostgresClient, Statements, Transaction } from "./client.ts"
import { PostgresFailure } from "./failure.ts"
import { markDone } from "./idempotency.ts"

/** The columns of the audit log. */
export const AUDIT_COLUMNS =
  "number, at, actor_kind, actor_id, actor_name, action, account, target, before_body, after_body, address, previous_hash, hash"

/** How often a step is begun whose connection is lost at its end. */
const ATTEMPTS = 3

/** What a step has done, and its record in the audit log. */
interface Recorded<T> {
  readonly result: T
  readonly record: AuditRecord
}

/**
 * A step that changes what people manage, and its record in the audit log: both or neither, and once. Where the connection
 * was lost at its end, the record tells whether it was committed.
 * @throws PostgresFailure `unclear` when the database is gone before it has told.
 */
export async function recorded<T>(
  client: PostgresClient,
  record: NewAuditRecord,
  step: (transaction: Transaction) => Promise<T>,
): Promise<Recorded<T>> {
  for (let attempt = 1; ; attempt++) {
    const last: { made?: Recorded<T> } = {}
    try {
      return await client.transaction(async (transaction) => {
        delete last.made
        const result = await step(transaction)
        return (last.made = { result, record: await appendAudit(transaction, record) })
      })
    } catch (error) {
      const isUnclear = error instanceof PostgresFailure && error.outcome === "unclear"
      if (!isUnclear || !last.made) throw error
      if (await isInLog(client, last.made.record)) return last.made
      if (attempt === ATTEMPTS) throw error.notDone()
    }
  }
}

async function isInLog(
  client: PostgresClient,
  { number, hash }: Pick<AuditRecord, "number" | "hash">,
): Promise<boolean> {
  // The server may still be at it: until it is over, it holds the lock.
  await client.row("SELECT number FROM chain_ends WHERE name = 'audit' FOR UPDATE")
  const row = await client.row<{ hash: string }>("SELECT hash FROM audit WHERE number = $1", [
    BigInt(number),
  ])
  return row?.hash === hash
}

/**
 * Writes a record into the audit log, as the last statements of the transaction that makes the change: the end of the log
 * is locked from here on.
 * @throws StoreError `conflict` when the change was made under a claim that now belongs to another request.
 */
async function appendAudit(
  transaction: Statements,
  { claim, ...change }: NewAuditRecord,
): Promise<AuditRecord> {
  if (claim !== undefined) await markDone(transaction, claim)
  const end = await lockChainEnd(transaction, "audit")
  const unhashed = { ...change, number: end.number + 1, previousHash: end.hash }
  const record = { ...unhashed, hash: hashAudit(unhashed) }
  await transaction.run(
    `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      BigInt(record.number),
      BigInt(record.at),
      record.actorKind,
      record.actorId,
      record.actorName,
      record.action,
      record.account,
      record.target,
      record.before,
      record.after,
      record.address,
      record.previousHash,
      record.hash,
    ],
  )
  await moveChainEnd(transaction, "audit", record)
  return record
}
