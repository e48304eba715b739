import { PostgresClient } from "../../src/store/postgres/client.ts"
import { migrate } from "../../src/store/postgres/migrate.ts"
import { SCHEMA } from "../../src/store/postgres/schema/steps.ts"
import { PostgresServer } from "./postgres-server.ts"

/**
 * Databases of one server for the tests of a file, each of which belongs to a folder of a test. The server starts when the
 * first one is asked for, and ends with the process.
 */
export class TestDatabases {
  #server: Promise<{ server: PostgresServer; template: string }> | undefined
  readonly #databases = new Map<string, Promise<string>>()

  /** The address of a folder's database, which has our tables. */
  urlOf(folder: string): Promise<string> {
    let url = this.#databases.get(folder)
    if (!url) this.#databases.set(folder, (url = this.#create()))
    return url
  }

  async #create(): Promise<string> {
    const { server, template } = await (this.#server ??= start())
    return server.url(await server.create(template))
  }
}

async function start() {
  const server = await PostgresServer.start()
  const template = await server.create()
  await using client = new PostgresClient({
    url: server.url(template),
    max: 1,
    connectTime: 5_000,
  })
  await migrate(client, SCHEMA)
  return { server, template }
}
