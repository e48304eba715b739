import { openSqliteConversations } from "./conversations.ts"
import { serveMethods } from "../threads/thread-server.ts"

serveMethods(openSqliteConversations)
