import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireUser, withUsers } from "./directory.ts"

/** `tollgate user export EMAIL` */
export const registerUserExport: RegisterCommand = (program, terminal) => {
  commandGroup(program, "user", "users: who signs in to the console")
    .command("export")
    .description("write what is stored of a user as JSON")
    .argument("<EMAIL>", "the user's e-mail address")
    .action(async (email: string, _options: object, command) => {
      const person = await withUsers(command, async ({ users, directory }) => {
        const { id } = await requireUser(users, email)
        return directory.export(COMMAND_LINE, id)
      })
      outputOf(command, terminal).result(person, () => JSON.stringify(person, null, 2))
    })
}
