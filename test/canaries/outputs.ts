import { Database } from "bun:sqlite"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Output } from "./search.ts"

const MAY_BE_GONE = { throwIfNoEntry: false } as const

/**
 * Every file of a folder, byte by byte; of a database each value too, since a long one lies in pages that are not next
 * to each other.
 */
export function filesOf(folder: string, called: string): Output[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  // SQLite's log and its index disappear when the last connection is closed.
  const files = names.filter((name) => statSync(join(folder, name), MAY_BE_GONE)?.isFile())
  return files.flatMap((name) => {
    const path = join(folder, name)
    const file = { name: `${called}/${name}`, bytes: readFileSync(path) }
    return name.endsWith(".db") ? [file, ...valuesOf(path, file.name)] : [file]
  })
}

function valuesOf(path: string, name: string): Output[] {
  using database = new Database(path, { readonly: true })
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
  return tables.flatMap(({ name: table }) =>
    database
      .query<unknown[], []>(`SELECT * FROM "${table}"`)
      .values()
      .flat()
      .filter((value) => typeof value === "string" || value instanceof Uint8Array)
      .map((value) => ({
        name: `${name}, table ${table}`,
        bytes: typeof value === "string" ? Buffer.from(value) : (value as Uint8Array),
      })),
  )
}

/** An answer, with its headers. */
export async function pageOf(name: string, answer: Promise<Response>): Promise<Output> {
  const response = await answer
  const headers = Buffer.from(`${response.status} ${JSON.stringify([...response.headers])}`)
  return { name, bytes: Buffer.concat([headers, await response.bytes()]) }
}
