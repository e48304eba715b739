import { SQL } from "bun"
import { PostgresServer } from "../support/postgres-server.ts"
import type { Canary, Output } from "./search.ts"

const SECRET = "canary-secret-of-all-nodes-0123456789abcdef"

/** Secrets of the settings, by name. */
export const DATABASE_SECRETS = {
  password: "the database's password",
  secret: "the secret of all nodes",
} as const

/** A PostgreSQL database that a gateway uses instead of SQLite files. */
export class ObservedDatabase implements AsyncDisposable {
  readonly #server: PostgresServer
  readonly #url: string

  private constructor(server: PostgresServer, url: string) {
    this.#server = server
    this.#url = url
  }

  static async start(): Promise<ObservedDatabase> {
    const server = await PostgresServer.start()
    return new ObservedDatabase(server, server.url(await server.create()))
  }

  get settings(): object {
    return { database: { url: this.#url, secret: SECRET } }
  }

  get secrets(): readonly Canary[] {
    return [
      { name: DATABASE_SECRETS.password, text: new URL(this.#url).password },
      { name: DATABASE_SECRETS.secret, text: SECRET },
    ]
  }

  /** Returns every row of every table. */
  async outputs(): Promise<Output[]> {
    await using client = new SQL(this.#url)
    const tables = await client<{ name: string }[]>`
      SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`
    const outputs: Output[] = []
    for (const { name } of tables) {
      const rows = await client.unsafe<{ row: string }[]>(`SELECT t::text AS row FROM ${name} AS t`)
      for (const { row } of rows) {
        outputs.push({ name: `database, table ${name}`, bytes: Buffer.from(row) })
      }
    }
    return outputs
  }

  /** Makes the database unreachable. */
  crash(): void {
    this.#server.crash()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }
}
