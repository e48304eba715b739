import type { Schema } from "../migrate.ts"
import { ROUTINES } from "../routines/routines.ts"
import audit from "./initial/audit.sql" with { type: "text" }
import ledger from "./initial/ledger.sql" with { type: "text" }
import management from "./initial/management.sql" with { type: "text" }
import nodes from "./initial/nodes.sql" with { type: "text" }
import notices from "./initial/notices.sql" with { type: "text" }
import receipts from "./initial/receipts.sql" with { type: "text" }
import reports from "./initial/reports.sql" with { type: "text" }
import storedData from "./initial/stored-data.sql" with { type: "text" }
import users from "./initial/users.sql" with { type: "text" }

/** The order matters, because tables may only refer to tables of earlier files. */
const INITIAL = [management, audit, users, ledger, receipts, reports, nodes, storedData, notices]

/** The tables and routines of a PostgreSQL database. */
export const SCHEMA: Schema = {
  firstVersion: 100,
  steps: [{ sql: INITIAL.join("\n"), oldest: 100 }],
  routines: ROUTINES,
}
