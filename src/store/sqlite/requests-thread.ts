import { openSqliteReports } from "./requests-reports.ts"
import { serveMethods } from "./thread-server.ts"

serveMethods(openSqliteReports)
