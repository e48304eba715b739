import { serveMethods } from "./thread-server.ts"
import { openSqliteStore } from "./sqlite-store.ts"

serveMethods(openSqliteStore)
