import type { Database } from "bun:sqlite"
import type { Latencies } from "../requests.ts"
import { type DurationRow, latenciesOf, LATENCY_SAMPLE } from "../usage-sums.ts"
import { Conditions } from "./conditions.ts"

/** Returns the latencies of the most recent answers since a moment. */
export function latencies(
  index: Database,
  accounts: readonly string[] | undefined,
  from: number,
): Latencies {
  const durations = (accounts ?? [undefined]).flatMap((account) => {
    const conditions = new Conditions()
    conditions.add("account = ?", account)
    conditions.add("at >= ?", from)
    conditions.always("status = 'settled' AND duration IS NOT NULL")
    const input = account === undefined ? "requests_by_time" : "requests_by_account"
    return index
      .query<DurationRow, (string | bigint)[]>(
        `SELECT at, duration FROM requests INDEXED BY ${input} ${conditions.where}
        ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
      )
      .all(...conditions.values)
  })
  return latenciesOf(durations)
}
