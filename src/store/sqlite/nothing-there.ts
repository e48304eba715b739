import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { LedgerError } from "../ledger-error.ts"
import { contentsPath } from "./log-file.ts"
import { conversationsPath } from "./conversations-file.ts"
import { copyPath } from "./database-file.ts"

/**
 * Checks that a folder contains no part of a ledger, so that a new ledger overwrites nothing and is not mixed with an
 * old one.
 * @param path the path of the ledger.
 * @throws LedgerError `exists`.
 */
export function requireNothing(path: string): void {
  const directory = dirname(path)
  const files = [path, `${path}-wal`, copyPath(path), contentsPath(path), conversationsPath(path)]
  const others = ["console.db", "reports.db", "anchor.json", "verified.json", "responses", "images"]
  const secrets = SECRET_NAMES.map((name) => join("secrets", name))
  const all = [...files, ...[...others, ...secrets].map((name) => join(directory, name))]
  const [found] = all.filter((file) => existsSync(file))
  if (found === undefined) return
  throw new LedgerError(
    "exists",
    `${found} already exists: choose a folder without a ledger, or remove the files of an unfinished copy`,
  )
}
