import { readFileSync } from "node:fs"
import { parseJsonObject } from "../../canon/json.ts"
import { CommandError } from "../exit-codes.ts"

type Row = Readonly<Record<string, unknown>>

const TABLES = {
  keys: "LiteLLM_VerificationToken",
  teams: "LiteLLM_TeamTable",
  users: "LiteLLM_UserTable",
  budgets: "LiteLLM_BudgetTable",
} as const

/** What LiteLLM has in its database, as far as it is read here. */
export type LiteLlmRows = Readonly<Record<keyof typeof TABLES, readonly Row[]>>

/**
 * Reads LiteLLM's database, or a file of JSON that has its tables by name, each a list of rows.
 * @param place `postgres://…`, or a path.
 * @throws CommandError
 */
export async function readLiteLlmRows(place: string): Promise<LiteLlmRows> {
  if (/^postgres(ql)?:\/\//.test(place)) return fromServer(place)
  const tables = parseJsonObject(textOf(place))
  if (tables === undefined) throw new CommandError("usage", `${place} holds no JSON object`)
  return rowsOf((table) => listIn(tables, table))
}

async function fromServer(url: string): Promise<LiteLlmRows> {
  const sql = new Bun.SQL({ url, max: 1, connectionTimeout: 10 })
  try {
    const tables = new Map<string, readonly Row[]>()
    for (const table of Object.values(TABLES)) {
      // Nothing is written to it. Only these names are ever in the statement.
      const rows: { row: string }[] = await sql.unsafe(
        `SELECT row_to_json(t)::text AS row FROM "${table}" AS t`,
      )
      tables.set(
        table,
        rows.map(({ row }) => parseJsonObject(row) ?? {}),
      )
    }
    return rowsOf((table) => tables.get(table) ?? [])
  } catch (error) {
    // The address has a password.
    const reason = error instanceof Error ? error.message.replaceAll(url, "it") : "it failed"
    throw new CommandError("failed", `LiteLLM's database cannot be read: ${reason}`)
  } finally {
    await sql.close()
  }
}

function rowsOf(find: (table: string) => readonly Row[]): LiteLlmRows {
  const { keys, teams, users, budgets } = TABLES
  return { keys: find(keys), teams: find(teams), users: find(users), budgets: find(budgets) }
}

function listIn(tables: Row, table: string): readonly Row[] {
  const list = tables[table]
  return Array.isArray(list) ? (list as Row[]) : []
}

/** @throws CommandError `not_found`. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError("not_found", `${path} cannot be read: ${reason}`)
  }
}
