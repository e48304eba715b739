import type { WriteOffRecord } from "../../accounting/chained-records.ts"
import type { HoldRecord } from "../settlements.ts"
import type { Store } from "../store.ts"
import { RecordColumns } from "./record-columns.ts"
import { oneOf, sql, where } from "./sql.ts"
import { statements, type Step, type StepMethods } from "./step.ts"

const HOLD = new RecordColumns<HoldRecord>({
  request: "text",
  account: "text",
  key: "text",
  amount: "bigint",
  at: "number",
  receipt: "text",
})
const WRITE_OFF = new RecordColumns<WriteOffRecord>({
  number: "number",
  at: "number",
  account: "text",
  key: "text",
  request: "text",
  amount: "bigint",
  reason: "text",
  previousHash: "text",
  hash: "text",
})

/** The methods of settlements that both engines share. Charges and receipts are in different tables in each engine. */
export type SharedSettlements = Pick<Store["settlements"], "listHolds" | "listWriteOffs">

export const settlementSteps: StepMethods<SharedSettlements> = {
  listHolds: statements(listHolds),
  listWriteOffs: statements(listWriteOffs),
}

function listHolds(account: string): Step<HoldRecord[]> {
  return HOLD.rows(
    sql`SELECT ${HOLD.selected} FROM holds WHERE account = ${account} ORDER BY at, request`,
  )
}

/**
 * Deletes a node's holds.
 * @returns the deleted holds.
 */
export function takeHolds(node: string): Step<HoldRecord[]> {
  return HOLD.rows(sql`DELETE FROM holds WHERE node = ${node} RETURNING ${HOLD.selected}`)
}

function listWriteOffs(
  accounts: readonly string[] | undefined,
  before: number | null,
  limit: number,
): Step<WriteOffRecord[]> {
  return WRITE_OFF.rows(
    sql`SELECT ${WRITE_OFF.selected} FROM write_offs ${where(
      accounts && sql`account ${oneOf(accounts)}`,
      before !== null && sql`number < ${before}`,
    )} ORDER BY number DESC LIMIT ${limit}`,
  )
}
