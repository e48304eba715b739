import type { Schema } from "../migrate.ts"
import audit from "./ledger/audit.sql" with { type: "text" }
import ledger from "./ledger/ledger.sql" with { type: "text" }
import management from "./ledger/management.sql" with { type: "text" }
import nodes from "./ledger/nodes.sql" with { type: "text" }
import notices from "./ledger/notices.sql" with { type: "text" }
import reconciliations from "./ledger/reconciliations.sql" with { type: "text" }
import storedData from "./ledger/stored-data.sql" with { type: "text" }

const INITIAL = [management, audit, ledger, nodes, storedData, notices, reconciliations]

/** The ledger and managed data, in `tollgate.db`. */
export const LEDGER_SCHEMA: Schema = {
  file: "the database",
  firstVersion: 100,
  steps: [INITIAL.join("\n")],
}
