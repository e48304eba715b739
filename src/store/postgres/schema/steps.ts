import type { SchemaStep } from "../migrate.ts"
import { KEY_LIMITS } from "./16-key-limits.ts"
import { PEOPLE } from "./17-people.ts"
import { PASSKEYS } from "./18-passkeys.ts"
import { REQUEST_SEGMENTS } from "./19-request-segments.ts"
import { SUMS_OF_AMOUNTS } from "./20-sums-of-amounts.ts"
import { KEY_CREATORS } from "./21-key-creators.ts"
import { RUNNING_SLOTS } from "./22-running-slots.ts"
import { RECONCILIATIONS } from "./23-reconciliations.ts"
import { CONCURRENT_REQUESTS } from "./10-concurrent-requests.ts"
import { NOTICES } from "./11-notices.ts"
import { ACCOUNT_LIMITS } from "./12-account-limits.ts"
import { FAILURES } from "./13-failures.ts"
import { USAGE_DIMENSIONS } from "./14-usage-dimensions.ts"
import { BACKUPS } from "./15-backups.ts"
import { MANAGEMENT } from "./1-management.ts"
import { LEDGER } from "./2-ledger.ts"
import { KEPT } from "./3-kept.ts"
import { USERS } from "./4-users.ts"
import { POSTING } from "./5-posting.ts"
import { LEASE_TERMS } from "./6-lease-terms.ts"
import { SETTLING } from "./7-settling.ts"
import { LIMITS_OVER_MACHINES } from "./8-limits-over-machines.ts"
import { SEALS } from "./9-seals.ts"

/** The tables of a PostgreSQL database, as the steps that lead to them. */
export const SCHEMA: readonly SchemaStep[] = [
  { sql: MANAGEMENT, oldest: 1 },
  { sql: LEDGER, oldest: 1 },
  { sql: KEPT, oldest: 1 },
  { sql: USERS, oldest: 1 },
  { sql: POSTING, oldest: 1 },
  { sql: LEASE_TERMS, oldest: 1 },
  { sql: SETTLING, oldest: 1 },
  { sql: LIMITS_OVER_MACHINES, oldest: 1 },
  { sql: SEALS, oldest: 1 },
  { sql: CONCURRENT_REQUESTS, oldest: 1 },
  { sql: NOTICES, oldest: 1 },
  { sql: ACCOUNT_LIMITS, oldest: 1 },
  { sql: FAILURES, oldest: 1 },
  { sql: USAGE_DIMENSIONS, oldest: 1 },
  { sql: BACKUPS, oldest: 1 },
  { sql: KEY_LIMITS, oldest: 1 },
  { sql: PEOPLE, oldest: 1 },
  { sql: PASSKEYS, oldest: 1 },
  { sql: REQUEST_SEGMENTS, oldest: 1 },
  { sql: SUMS_OF_AMOUNTS, oldest: 1 },
  { sql: KEY_CREATORS, oldest: 1 },
  { sql: RUNNING_SLOTS, oldest: 1 },
  { sql: RECONCILIATIONS, oldest: 1 },
]
