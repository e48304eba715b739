import { openSqliteJournal } from "./journal-file.ts"
import { serveMethods } from "./thread-server.ts"

serveMethods(openSqliteJournal)
