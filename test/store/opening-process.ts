/** A process that opens the database on request, and reports that it is open. */
import { AUDIT } from "./audit-record.ts"
import { databaseAt } from "../../src/store/installation-database.ts"

const [path = "", name = ""] = process.argv.slice(2)
await Bun.stdin.stream().getReader().read()
await using store = await databaseAt({ engine: "sqlite", path }).openStore()
await store.accounts.create({ id: name, name, createdAt: 1 }, AUDIT)
