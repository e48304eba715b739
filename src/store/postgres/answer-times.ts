import type { Latencies } from "../requests.ts"
import { type DurationRow, latenciesOf, LATENCY_SAMPLE } from "../usage-sums.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { ofAccounts } from "./receipts-of-accounts.ts"

/** Returns the latencies of the most recent answers since a moment. */
export async function latencies(
  statements: Statements,
  accounts: readonly string[] | undefined,
  from: number,
): Promise<Latencies> {
  const conditions = new Conditions()
  conditions.add("at >= ?", from)
  conditions.always("status = 'settled' AND duration IS NOT NULL")
  const found = ofAccounts(conditions, accounts, {
    columns: "at, duration",
    end: `ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
  })
  return latenciesOf(await statements.rows<DurationRow>(found, conditions.values))
}
