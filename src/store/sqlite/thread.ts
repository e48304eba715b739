import { openSqliteStore } from "./sqlite-store.ts"
import { serveMethods } from "./thread-server.ts"

serveMethods(openSqliteStore)
