import type { HoldRecord } from "../settlements.ts"
import type { Statements } from "./client.ts"

interface HoldRow extends Omit<HoldRecord, "at"> {
  readonly at: bigint
}

const COLUMNS = "request, account, key, amount, at, receipt"

/** What an account's requests hold, the oldest first, as far as the database has a record of it. */
export async function listHolds(statements: Statements, account: string): Promise<HoldRecord[]> {
  const rows = await statements.rows<HoldRow>(
    `SELECT ${COLUMNS} FROM holds WHERE account = $1 ORDER BY at, request`,
    [account],
  )
  return rows.map(holdFromRow)
}

/** Deletes a node's holds. @returns them. */
export async function takeHolds(transaction: Statements, node: string): Promise<HoldRecord[]> {
  const rows = await transaction.rows<HoldRow>(
    `DELETE FROM holds WHERE node = $1 RETURNING ${COLUMNS}`,
    [node],
  )
  return rows.map(holdFromRow)
}

function holdFromRow({ request, account, key, amount, at, receipt }: HoldRow): HoldRecord {
  return { request, account, key, amount, at: Number(at), receipt }
}
