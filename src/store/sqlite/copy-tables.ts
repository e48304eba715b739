import type { CopiedTable } from "../copy/tables.ts"

/** The files that contain tables. */
export type CopiedFileName = "ledger" | "console" | "contents" | "conversations"

const FILES: Readonly<Record<string, CopiedFileName>> = {
  users: "console",
  identities: "console",
  sessions: "console",
  second_factors: "console",
  passkeys: "console",
  proofs: "console",
  attempts: "console",
  contents: "contents",
  conversation_parts: "conversations",
}

const NAMES: Readonly<Record<string, string>> = { conversation_parts: "parts" }

/** Returns the file that contains a table. */
export function fileOf({ name }: CopiedTable): CopiedFileName {
  return FILES[name] ?? "ledger"
}

/** Returns the names of a table and its columns in SQLite. */
export function sqliteNames(table: CopiedTable): { table: string; columns: readonly string[] } {
  const isOfConsole = fileOf(table) === "console"
  const columns = table.columns.map((column) => {
    if (table.name === "entries" && column === "position") return "rowid"
    return isOfConsole && column === "user_id" ? "user" : column
  })
  return { table: NAMES[table.name] ?? table.name, columns }
}
