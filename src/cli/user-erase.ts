import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withUsers } from "./directory.ts"
import { CommandError } from "./exit-codes.ts"

/** `tollgate user erase EMAIL --yes` */
export const registerUserErase: RegisterCommand = (program, terminal) => {
  commandGroup(program, "user", "users: who signs in to the console")
    .command("erase")
    .description("erase a person for good: what they did stays, under an id that names no one")
    .argument("<EMAIL>", "the e-mail address of a user, or of someone who was only invited")
    .option("--yes", "do it: it cannot be undone")
    .action(async (email: string, options: { yes?: boolean }, command) => {
      if (options.yes !== true) {
        const hint = `Export them first if you have to: tollgate user export ${email}. Then add --yes.`
        throw new CommandError("usage", "erasing a person cannot be undone", hint)
      }
      const erased = await withUsers(command, async ({ users, erasure }) => {
        const user = await users.findByEmail(email)
        return user
          ? erasure.erase(COMMAND_LINE, user.id)
          : erasure.eraseAddress(COMMAND_LINE, email)
      })
      outputOf(command, terminal).result(erased, () =>
        erased.user === null
          ? "There was no user with this address. Invitations to it are gone, and records no longer name it."
          : `Erased: records show ${erased.user} from now on. Backups made before still name the person.`,
      )
    })
}
