import { openSqliteConversations } from "./conversations.ts"
import { serveSteps } from "./serve-steps.ts"

serveSteps(openSqliteConversations)
