import { openSqliteConversations } from "./conversations.ts"
import { serveMethods } from "./thread-server.ts"

serveMethods(openSqliteConversations)
