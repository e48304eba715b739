import { InvalidArgumentError } from "commander"
import { email, label } from "#contract/common.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireUser, withUsers } from "./directory.ts"

/** `tollgate user rename EMAIL NAME [--email NEW]` */
export const registerUserRename: RegisterCommand = (program, terminal) => {
  commandGroup(program, "user", "users: who signs in to the console")
    .command("rename")
    .description("change a user's name, and the e-mail address that they sign in with")
    .argument("<EMAIL>", "the user's e-mail address")
    .argument("<NAME>", "their name from now on", nameArgument)
    .option("--email <EMAIL>", "also their e-mail address from now on", emailArgument)
    .action(async (current: string, name: string, options: { email?: string }, command) => {
      const user = await withUsers(command, async ({ users, directory }) => {
        const { id } = await requireUser(users, current)
        return directory.change(COMMAND_LINE, id, { name, ...options })
      })
      outputOf(command, terminal).result(
        { id: user.id, name: user.name, email: user.email },
        () => `${user.email} has the name ${user.name}.`,
      )
    })
}

function nameArgument(text: string): string {
  return checked(label.safeParse(text))
}

function emailArgument(text: string): string {
  return checked(email.safeParse(text))
}

function checked(result: ReturnType<typeof label.safeParse>): string {
  if (result.success) return result.data
  throw new InvalidArgumentError(`It ${result.error.issues[0]?.message ?? "is invalid"}.`)
}
