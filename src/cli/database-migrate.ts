import { loadSettings } from "../config/load.ts"
import { databaseOf } from "../store/installation-database.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { DATABASE_GROUP } from "./database-status.ts"
import { loadOptions } from "./load-options.ts"

/** `tollgate database migrate` */
export const registerDatabaseMigrate: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...DATABASE_GROUP)
    .command("migrate")
    .description("create or update the tables without starting the gateway")
    .action(async (_options: object, command) => {
      const database = databaseOf(loadSettings(loadOptions(command)).settings)
      const { schema } = await database.status()
      await (await database.openStore())[Symbol.asyncDispose]()
      // With SQLite, users are in a separate file.
      const users = await database.openConsoleStore()
      users[Symbol.dispose]()
      const { schema: after } = await database.status()
      const document = { place: database.place, before: schema.found, after: after.found }
      outputOf(command, terminal).result(document, () => {
        if (schema.found === after.found) {
          return `${database.place} has the current schema ${after.found}: there is nothing to do.`
        }
        const from = schema.found === 0 ? "has its tables now" : `had schema ${schema.found}`
        return `${database.place} ${from}, and is at schema ${after.found}.`
      })
    })
}
