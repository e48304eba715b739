import { STATEMENT_RETRIES } from "../../src/store/retry-policy.ts"

/**
 * Loaded before all tests by `npm test`. The database servers of the tests share the processor with other tests, so a
 * statement may take far longer than a gateway waits.
 */
Object.assign(STATEMENT_RETRIES, { maxWaitMs: 60_000 })
