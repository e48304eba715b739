import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireUser, withUsers } from "./directory.ts"
import { formatFields } from "./output.ts"

/** `tollgate user reset EMAIL [--two-factor]` */
export const registerUserReset: RegisterCommand = (program, terminal) => {
  commandGroup(program, "user", "users: who signs in to the console")
    .command("reset")
    .description("make a link that sets a user's password, once, within a day")
    .argument("<EMAIL>", "the user's e-mail address")
    .option("--two-factor", "also remove their second factor and passkeys")
    .action(async (email: string, options: { twoFactor?: boolean }, command) => {
      const reset = await withUsers(command, async ({ users, directory }) => {
        const { id } = await requireUser(users, email)
        return directory.reset(COMMAND_LINE, id, options.twoFactor ?? false)
      })
      outputOf(command, terminal).result(
        { email, link: reset.link, expires_at: reset.expires_at },
        (style) =>
          // A line that scripts look for, so it is not padded.
          `link: ${reset.link}\n${formatFields(
            [
              ["works", `once, until ${reset.expires_at}`],
              ["note", "Who opens it sets the password; all sessions of the user end then."],
            ],
            style,
          )}`,
      )
    })
}
