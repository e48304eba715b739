import { openSqliteReports } from "./requests-reports.ts"
import { serveMethods } from "../threads/thread-server.ts"

serveMethods(openSqliteReports)
