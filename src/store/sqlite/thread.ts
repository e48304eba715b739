import { openSqliteStore } from "./sqlite-store.ts"
import { serveMethods } from "../threads/thread-server.ts"

serveMethods(openSqliteStore)
