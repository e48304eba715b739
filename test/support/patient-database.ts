import { REPORT_WAIT } from "../../src/store/adaptive-timeout.ts"
import { ConnectionPool, type PooledConnection } from "../../src/store/postgres/connection-pool.ts"
import { STATEMENT_RETRIES } from "../../src/store/retry-policy.ts"

/**
 * Loaded before all tests by `npm test`. Databases and reports share the processor with other tests, so they may take
 * far longer than a gateway waits. An unavailable database is retried for the same time as in a gateway.
 */
const PATIENT_MS = 60_000

const USUAL_WAIT_MS = STATEMENT_RETRIES.maxWaitMs

REPORT_WAIT.maxMs = PATIENT_MS

const { use } = ConnectionPool.prototype

ConnectionPool.prototype.use = function <T>(
  this: ConnectionPool,
  timeoutMs: number,
  step: (connection: PooledConnection) => Promise<T>,
): Promise<T> {
  const isFirstAttempt = timeoutMs > STATEMENT_RETRIES.maxWaitMs / 2
  // A test of an unavailable database sets a shorter time.
  const isUsual = STATEMENT_RETRIES.maxWaitMs === USUAL_WAIT_MS
  return use.call(this, isFirstAttempt && isUsual ? PATIENT_MS : timeoutMs, step) as Promise<T>
}
