import type { WriteOff, WriteOffReason } from "../../accounting/chained-records.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"

interface WriteOffRow {
  readonly request: string
  readonly amount: bigint
  readonly reason: WriteOffReason
}

/** What of the cost of requests was not charged, by their ids. */
export async function writeOffsOfAll(
  statements: Statements,
  requests: readonly { readonly request: string }[],
): Promise<ReadonlyMap<string, WriteOff[]>> {
  const rows = await statements.rows<WriteOffRow>(
    "SELECT request, amount, reason FROM write_offs WHERE request = ANY($1) ORDER BY number",
    [texts(requests.map(({ request }) => request))],
  )
  const found = new Map<string, WriteOff[]>()
  for (const { request, amount, reason } of rows) {
    found.set(request, [...(found.get(request) ?? []), { amount, reason }])
  }
  return found
}
