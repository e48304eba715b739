import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withUsers } from "./directory.ts"
import { formatTable } from "./output.ts"

const COLUMNS = [
  { title: "E-MAIL" },
  { title: "NAME" },
  { title: "ROLE" },
  { title: "ACCOUNTS" },
  { title: "2FA" },
  { title: "LAST SEEN" },
] as const

/** `tollgate user list` */
export const registerUserList: RegisterCommand = (program, terminal) => {
  commandGroup(program, "user", "users: who signs in to the console")
    .command("list")
    .description("list the users of the console")
    .action(async (_options: object, command) => {
      const users = await withUsers(command, async ({ directory }) => {
        const { data } = await directory.list(COMMAND_LINE, { limit: 100_000 })
        return data
      })
      outputOf(command, terminal).result({ users }, (style) => {
        if (users.length === 0)
          return "No users yet. The gateway prints a link that makes the first when it starts."
        const rows = users.map((user) => [
          user.email,
          user.name,
          user.is_disabled ? "disabled" : user.is_operator ? "operator" : "user",
          user.accounts.map(({ name, role }) => `${name} (${role})`).join(", ") || "-",
          user.two_factor ? "yes" : "no",
          user.last_seen_at ?? "never",
        ])
        return formatTable(COLUMNS, rows, style)
      })
    })
}
