import type { WriteOff, WriteOffReason, WriteOffRecord } from "../../accounting/chained-records.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"

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

/** What of the cost of requests was not charged, by their ids. */
export async function writeOffsOfAll(
  statements: Statements,
  requests: readonly { readonly request: string }[],
): Promise<ReadonlyMap<string, WriteOff[]>> {
  const rows = await statements.rows<Pick<WriteOffRow, "request" | "amount" | "reason">>(
    "SELECT request, amount, reason FROM write_offs WHERE request = ANY($1) ORDER BY number",
    [texts(requests.map(({ request }) => request))],
  )
  const found = new Map<string, WriteOff[]>()
  for (const { request, amount, reason } of rows) {
    found.set(request, [...(found.get(request) ?? []), { amount, reason }])
  }
  return found
}

/** The newest first, those below a number; null starts at the newest. */
export async function listWriteOffs(
  statements: Statements,
  accounts: readonly string[] | undefined,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<WriteOffRecord[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  conditions.add("number < ?", before ?? undefined)
  const rows = await statements.rows<WriteOffRow>(
    `SELECT number, at, account, key, request, amount, reason, previous_hash, hash FROM write_offs
     ${conditions.where} ORDER BY number DESC LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  return rows.map((row) => ({
    number: Number(row.number),
    at: Number(row.at),
    account: row.account,
    key: row.key,
    request: row.request,
    amount: row.amount,
    reason: row.reason,
    previousHash: row.previous_hash,
    hash: row.hash,
  }))
}
