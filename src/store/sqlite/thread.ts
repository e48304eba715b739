import { serveSteps } from "./serve-steps.ts"
import { openSqliteStore } from "./sqlite-store.ts"

serveSteps(openSqliteStore)
