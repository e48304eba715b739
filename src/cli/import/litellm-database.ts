import { readFileSync } from "node:fs"
import { isJsonObject, parseJsonObject } from "../../canon/json.ts"
import { CommandError } from "../exit-codes.ts"
import type { Differences } from "./plan.ts"

type Row = Readonly<Record<string, unknown>>

const TABLES = {
  keys: "LiteLLM_VerificationToken",
  teams: "LiteLLM_TeamTable",
  users: "LiteLLM_UserTable",
  budgets: "LiteLLM_BudgetTable",
} as const

/** The tables of LiteLLM's database that the import reads. */
export type LiteLlmRows = Readonly<Record<keyof typeof TABLES, readonly Row[]>>
/** The columns that each row must have. */
const IDENTIFIERS = {
  keys: "token",
  teams: "team_id",
  users: "user_id",
  budgets: "budget_id",
} as const

/**
 * Reads LiteLLM's database, or a JSON file with a list of rows for each table.
 * @param place `postgres://…`, or a path.
 * @throws CommandError if it cannot be read.
 */
export async function readLiteLlmRows(
  place: string,
  differences: Differences,
): Promise<LiteLlmRows> {
  if (/^postgres(ql)?:\/\//.test(place)) return rowsOf(await fromServer(place), differences)
  const tables = parseJsonObject(textOf(place))
  if (tables === undefined)
    throw new CommandError("usage", `${place} does not contain a JSON object`)
  for (const table of Object.values(TABLES)) {
    const list = tables[table] ?? []
    if (!Array.isArray(list)) throw new CommandError("usage", `${place}: '${table}' is not a list`)
  }
  if (!Array.isArray(tables[TABLES.keys]))
    throw new CommandError("usage", `${place} has no table '${TABLES.keys}'`)
  return rowsOf(tables, differences)
}

async function fromServer(url: string): Promise<Row> {
  const sql = new Bun.SQL({ url, max: 1, connectionTimeout: 10 })
  try {
    const tables: Record<string, readonly unknown[]> = {}
    for (const table of Object.values(TABLES)) {
      // The database is only read. The statement only contains names from the list above.
      const rows: { row: string }[] = await sql.unsafe(
        `SELECT row_to_json(t)::text AS row FROM "${table}" AS t`,
      )
      tables[table] = rows.map(({ row }) => parseJsonObject(row))
    }
    return tables
  } catch (error) {
    // The address contains a password, so it is removed from the reason.
    const reason = error instanceof Error ? error.message.replaceAll(url, "it") : "it failed"
    throw new CommandError("failed", `LiteLLM's database cannot be read: ${reason}`)
  } finally {
    await sql.close()
  }
}

function rowsOf(tables: Row, differences: Differences): LiteLlmRows {
  const find = (name: keyof typeof TABLES): Row[] => {
    const list = tables[TABLES[name]]
    return (Array.isArray(list) ? list : []).flatMap((row: unknown, index) => {
      if (isJsonObject(row) && isText(row[IDENTIFIERS[name]])) return [row]
      const words = `it has no '${IDENTIFIERS[name]}'`
      differences.leftOut(`row ${index + 1} of ${TABLES[name]}`, words)
      return []
    })
  }
  return {
    keys: find("keys"),
    teams: find("teams"),
    users: find("users"),
    budgets: find("budgets"),
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== ""
}

/**
 * Reads a file.
 * @throws CommandError `not_found`.
 */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError("not_found", `${path} cannot be read: ${reason}`)
  }
}
