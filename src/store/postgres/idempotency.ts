import type { IdempotencyResult, IdempotencyStep } from "../idempotency.ts"
import type { Store } from "../store.ts"
import type { PostgresClient, Statements } from "./client.ts"

/** Maximum claims that one sweep deletes. */
const SWEEP_BATCH = 5_000n

export function idempotencyMethods(client: PostgresClient): Store["idempotency"] {
  return {
    perform: (steps) => perform(client, steps),
    /**
     * If the connection is lost, the deleted claims are not returned. Their responses are deleted later because of
     * their age.
     */
    async sweep(expired) {
      const rows = await client.rows<{ request: string }>(
        `WITH gone AS (
           DELETE FROM idempotency WHERE request IN (
             SELECT request FROM idempotency WHERE claimed_at <= $1 ORDER BY claimed_at LIMIT $2
             FOR UPDATE SKIP LOCKED
           ) RETURNING request, scope, size
         ), counted AS (
           SELECT count_idempotency(array_agg(scope), array_agg(-1::bigint), array_agg(-size)) FROM gone
         )
         SELECT request FROM gone, counted`,
        [BigInt(expired), SWEEP_BATCH],
      )
      return rows.map(({ request }) => request)
    },
  }
}

/** Performs the steps in one statement, which detects its own repetition. */
async function perform(
  statements: Statements,
  steps: readonly IdempotencyStep[],
): Promise<IdempotencyResult[]> {
  const rows = await statements.rows<{ result: IdempotencyResult }>(
    "SELECT result FROM perform_idempotency($1::text::json) ORDER BY place",
    [JSON.stringify(steps.map(inputOf))],
  )
  return rows.map(({ result }) => result)
}

function inputOf(step: IdempotencyStep) {
  switch (step.kind) {
    case "claim":
      return { kind: step.kind, ...step.claim }
    case "keep":
      return { kind: step.kind, ...step.response }
    case "drop":
    case "release":
      return step
  }
}
