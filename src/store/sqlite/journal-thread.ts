import { openSqliteJournal } from "./journal-file.ts"
import { serveMethods } from "../threads/thread-server.ts"

serveMethods(openSqliteJournal)
