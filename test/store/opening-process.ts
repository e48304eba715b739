/** A process that opens the database as soon as it is told to, and says that it could. */
import { AUDIT } from "./audit-record.ts"
import { openStore } from "../../src/store/open-store.ts"

const [path = "", name = ""] = process.argv.slice(2)
await Bun.stdin.stream().getReader().read()
await using store = await openStore(path)
await store.accounts.create({ id: name, name, createdAt: 1 }, AUDIT)
