import type { LastResponses } from "../http/last-responses.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ServingDatabase } from "../store/serving-database.ts"
import type { Idempotency } from "../http/idempotency/idempotency.ts"
import type { Billing } from "../relay/billing/billing.ts"
import type { DeadlineWatch } from "../relay/lifetime/deadline-watch.ts"
import { CallEnded } from "../relay/lifetime/call-failure.ts"
import type { State } from "./state.ts"

/**
 * Maximum time for counting tokens, settling and answering requests that were cut off. The first token count takes a
 * second or two on a busy machine.
 */
const CUT_OFF_TIMEOUT_MS = 10_000
/** Additional time for settling requests whose callers have stopped reading. */
const SETTLE_TIMEOUT_MS = 5_000
/**
 * Maximum time for settling cut-off requests while the database is unavailable. Their callers must receive an error
 * before the connections close.
 */
const POSTING_TIMEOUT_MS = 5_000
/** Maximum time that the remaining shutdown steps wait for the database. */
const DATABASE_TIMEOUT_MS = 15_000
const POLL_INTERVAL_MS = 20

/** The parts of the gateway that are drained before the process ends. */
export interface Drained {
  readonly server: Bun.Server<undefined>
  readonly lastResponses: LastResponses
  readonly state: State
  readonly billing: Billing
  readonly ledger: Ledger
  readonly database: ServingDatabase
  readonly watch: DeadlineWatch
  readonly idempotency: Idempotency
}

/** Accepts requests during the configured delay, stops listening, waits for running requests, and cuts off the rest. */
export async function drain(drained: Drained): Promise<void> {
  const { server, lastResponses, state, billing, ledger, database, watch, idempotency } = drained
  const { drainDelay, drain: timeoutMs } = state.settings.server
  lastResponses.begin()
  watch.monitor.end()
  await waitUntil(() => state.skipsDrain, drainDelay)
  const deadline = performance.now() + timeoutMs
  // Closes idle connections. Not awaited, because connections of silent callers stay open.
  void server.stop(false)
  const isServed = (): boolean => server.pendingRequests === 0 && idempotency.running === 0
  await waitUntil(() => isServed() || state.skipsDrain, deadline - performance.now())
  watch.cut(new CallEnded("shutting_down"))
  ledger.endBy(performance.now() + POSTING_TIMEOUT_MS)
  database.endBy(performance.now() + DATABASE_TIMEOUT_MS)
  await waitUntil(isServed, CUT_OFF_TIMEOUT_MS)
  await server.stop(true)
  idempotency.end()
  // Requests that were cut off have delivered output, which must be settled before the ledger closes.
  await waitUntil(() => billing.open === 0, SETTLE_TIMEOUT_MS)
}

async function waitUntil(isOver: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!isOver() && performance.now() < deadline) await Bun.sleep(POLL_INTERVAL_MS)
}
