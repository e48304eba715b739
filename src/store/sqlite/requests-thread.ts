import { openSqliteReports } from "./requests-reports.ts"
import { serveSteps } from "./serve-steps.ts"

serveSteps(openSqliteReports)
