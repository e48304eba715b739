import type { Schema } from "../migrate.ts"
import { KEY_INDEXES } from "./book/23-key-indexes.ts"
import { KEY_LIMITS } from "./book/21-key-limits.ts"
import { PEOPLE } from "./book/22-people.ts"
import { BOOK } from "./book/1-book.ts"
import { IDEMPOTENCY } from "./book/10-idempotency.ts"
import { DEBTS } from "./book/11-debts.ts"
import { KEY_ORIGINS } from "./book/12-key-origins.ts"
import { ALIASES } from "./book/13-aliases.ts"
import { LIMITS_OVER_MACHINES } from "./book/14-limits-over-machines.ts"
import { SEALS } from "./book/15-seals.ts"
import { CONCURRENT_REQUESTS } from "./book/16-concurrent-requests.ts"
import { NOTICES } from "./book/17-notices.ts"
import { ACCOUNT_LIMITS } from "./book/18-account-limits.ts"
import { USAGE_DIMENSIONS } from "./book/19-usage-dimensions.ts"
import { BACKUPS } from "./book/20-backups.ts"
import { CHARGES } from "./book/2-charges.ts"
import { KEY_CREATORS } from "./book/24-key-creators.ts"
import { RUNNING_SLOTS } from "./book/25-running-slots.ts"
import { RECONCILIATIONS } from "./book/26-reconciliations.ts"
import { CREDITS } from "./book/3-credits.ts"
import { REPORTS } from "./book/4-reports.ts"
import { MEMBERS } from "./book/5-members.ts"
import { SETTINGS } from "./book/6-settings.ts"
import { NODES } from "./book/7-nodes.ts"
import { WRITE_OFFS } from "./book/8-write-offs.ts"
import { VENDOR_STATE } from "./book/9-vendor-state.ts"

/** The tables of the ledger: `tollgate.db`. */
export const BOOK_SCHEMA: Schema = {
  file: "the database",
  steps: [
    BOOK,
    CHARGES,
    CREDITS,
    REPORTS,
    MEMBERS,
    SETTINGS,
    NODES,
    WRITE_OFFS,
    VENDOR_STATE,
    IDEMPOTENCY,
    DEBTS,
    KEY_ORIGINS,
    ALIASES,
    LIMITS_OVER_MACHINES,
    SEALS,
    CONCURRENT_REQUESTS,
    NOTICES,
    ACCOUNT_LIMITS,
    USAGE_DIMENSIONS,
    BACKUPS,
    KEY_LIMITS,
    PEOPLE,
    KEY_INDEXES,
    KEY_CREATORS,
    RUNNING_SLOTS,
    RECONCILIATIONS,
  ],
}
