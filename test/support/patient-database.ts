import { REPORT_WAIT } from "../../src/store/adaptive-timeout.ts"
import { STATEMENT_RETRIES } from "../../src/store/retry-policy.ts"

/**
 * Loaded before all tests by `npm test`. Databases and reports share the processor with other tests, so they may take
 * far longer than a gateway waits.
 */
Object.assign(STATEMENT_RETRIES, { maxWaitMs: 60_000 })
REPORT_WAIT.maxMs = 60_000
