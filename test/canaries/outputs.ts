import { Database } from "bun:sqlite"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Output } from "./search.ts"

/**
 * Returns every file of a folder as bytes, and each value of a database separately, because a long value is spread over
 * several pages.
 */
export function filesOf(folder: string, called: string): Output[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  // Files are copied before any database is opened, because closing a database removes its write-ahead log and the
  // log's index.
  const files = names.flatMap((name): Output[] => {
    const path = join(folder, name)
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return []
    return [{ name: `${called}/${name}`, bytes: readFileSync(path) }]
  })
  const databases = names.filter((name) => name.endsWith(".db"))
  return [
    ...files,
    ...databases.flatMap((name) => valuesOf(join(folder, name), `${called}/${name}`)),
  ]
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

/** Returns a response with its headers. */
export async function pageOf(name: string, answer: Promise<Response>): Promise<Output> {
  const response = await answer
  const headers = Buffer.from(`${response.status} ${JSON.stringify([...response.headers])}`)
  return { name, bytes: Buffer.concat([headers, await response.bytes()]) }
}
