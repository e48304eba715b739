import type { WriteOffReason, WriteOffRecord } from "../../accounting/chained-records.ts"
import type { HoldRecord } from "../settlements.ts"
import type { Store } from "../store.ts"
import { oneOf, sql, where } from "./sql.ts"
import { rows, statements, type Step, type StepMethods } from "./step.ts"

interface HoldRow extends Omit<HoldRecord, "at"> {
  readonly at: bigint
}

interface WriteOffRow {
  readonly number: bigint
  readonly at: bigint
  readonly account: string
  readonly key: string
  readonly request: string
  readonly amount: bigint
  readonly reason: WriteOffReason
  readonly previous_hash: string
  readonly hash: string
}

const HOLD_COLUMNS = sql`request, account, key, amount, at, receipt`

/** The methods of settlements that both engines share. Charges and receipts are in different tables in each engine. */
export type SharedSettlements = Pick<Store["settlements"], "listHolds" | "listWriteOffs">

export const settlementSteps: StepMethods<SharedSettlements> = {
  listHolds: statements(listHolds),
  listWriteOffs: statements(listWriteOffs),
}

function* listHolds(account: string): Step<HoldRecord[]> {
  const found = yield* rows<HoldRow>(
    sql`SELECT ${HOLD_COLUMNS} FROM holds WHERE account = ${account} ORDER BY at, request`,
  )
  return found.map(holdFromRow)
}

/**
 * Deletes a node's holds.
 * @returns the deleted holds.
 */
export function* takeHolds(node: string): Step<HoldRecord[]> {
  const taken = yield* rows<HoldRow>(
    sql`DELETE FROM holds WHERE node = ${node} RETURNING ${HOLD_COLUMNS}`,
  )
  return taken.map(holdFromRow)
}

/** Lists the write-offs below a number, newest first. null starts at the newest write-off. */
function* listWriteOffs(
  accounts: readonly string[] | undefined,
  before: number | null,
  limit: number,
): Step<WriteOffRecord[]> {
  const found = yield* rows<WriteOffRow>(
    sql`SELECT number, at, account, key, request, amount, reason, previous_hash, hash FROM write_offs ${where(
      accounts && sql`account ${oneOf(accounts)}`,
      before !== null && sql`number < ${before}`,
    )} ORDER BY number DESC LIMIT ${limit}`,
  )
  return found.map(({ previous_hash: previousHash, ...row }) => ({
    ...row,
    number: Number(row.number),
    at: Number(row.at),
    previousHash,
  }))
}

function holdFromRow({ at, ...hold }: HoldRow): HoldRecord {
  return { ...hold, at: Number(at) }
}
