import { email } from "#contract/common.ts"
import { ACCOUNT_ROLES } from "#contract/roles.ts"
import type { User } from "#contract/members.ts"
import { type Command, Option } from "commander"
import { addressOf } from "../app/address.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { Erasure } from "../management/erasure.ts"
import { Invitations } from "../management/invitations.ts"
import { wholeExport } from "../management/person-export.ts"
import { UserDirectory } from "../management/user-directory.ts"
import type { Store } from "../store/store.ts"
import type { UserRecord } from "../store/users.ts"
import { Users } from "../users/users.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import type { Column, Fields } from "./output.ts"
import { checkedArgument, labelArgument } from "./parse.ts"
import { printableJson } from "./printable.ts"

const GROUP = ["user", "manage the users of the console"] as const

const COLUMNS: readonly Column<User>[] = [
  { title: "EMAIL", cell: ({ email }) => email },
  { title: "NAME", cell: ({ name }) => name },
  {
    title: "ROLE",
    cell: (user) => (user.is_disabled ? "disabled" : user.is_operator ? "operator" : "user"),
  },
  {
    title: "ACCOUNTS",
    cell: ({ accounts }) => accounts.map(({ name, role }) => `${name} (${role})`).join(", ") || "-",
  },
  { title: "2FA", cell: ({ two_factor }) => (two_factor ? "yes" : "no") },
  { title: "LAST SEEN", cell: ({ last_seen_at }) => last_seen_at ?? "never" },
]

/** `tollgate user list` */
const registerUserList: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("list")
    .description("list the users")
    .action(async (_options: object, command) => {
      const users = await withUsers(command, async ({ directory }) => {
        const { data } = await directory.list(COMMAND_LINE, { limit: 100_000 })
        return data
      })
      outputOf(command, terminal).table("users", users, {
        columns: COLUMNS,
        empty: "No users yet. When the gateway starts, it prints a link to create the first user.",
      })
    })
}

interface InviteOptions {
  readonly account: string
  readonly role: (typeof ACCOUNT_ROLES)[number]
}

/** `tollgate user invite EMAIL --account NAME [--role ROLE]` */
const registerUserInvite: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("invite")
    .description("create a link, valid for seven days, with which a person joins an account")
    .argument("<EMAIL>", "email address of the person", emailArgument)
    .requiredOption("--account <NAME>", "name or id of the account")
    .addOption(
      new Option("--role <ROLE>", "role in the account").choices(ACCOUNT_ROLES).default("member"),
    )
    .action(async (address: string, { account, role }: InviteOptions, command) => {
      const invitation = await withUsers(command, async ({ store, invitations }) => {
        const { id } = await requireAccount(store, account)
        return invitations.create(COMMAND_LINE, { account: id, email: address, role })
      })
      const fields: Fields = [
        ["account", `${invitation.account_name} (${role})`],
        ["valid", `once, until ${invitation.expires_at}`],
        ["note", "Send the link to the person. It is not shown again."],
      ]
      outputOf(command, terminal).fields(invitation, fields, `link: ${invitation.link}`)
    })
}

/** `tollgate user reset EMAIL [--two-factor]` */
const registerUserReset: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("reset")
    .description("create a one-time link, valid for a day, to set a new password")
    .argument("<EMAIL>", "email address of the user")
    .option("--two-factor", "also remove the user's second factor and passkeys")
    .action(async (email: string, options: { twoFactor?: boolean }, command) => {
      const { link, expires_at } = await withUsers(command, async ({ users, directory }) => {
        const { id } = await requireUser(users, email)
        return directory.reset(COMMAND_LINE, id, options.twoFactor ?? false)
      })
      const fields: Fields = [
        ["valid", `once, until ${expires_at}`],
        [
          "note",
          "The link sets a new password, which ends all sessions of the user. Send it only to the user.",
        ],
      ]
      outputOf(command, terminal).fields({ email, link, expires_at }, fields, `link: ${link}`)
    })
}

/** `tollgate user rename EMAIL NAME [--email NEW]` */
const registerUserRename: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("rename")
    .description("change the name or the email address of a user")
    .argument("<EMAIL>", "email address of the user")
    .argument("<NAME>", "the new name", labelArgument)
    .option("--email <EMAIL>", "the new email address", emailArgument)
    .action(async (current: string, name: string, options: { email?: string }, command) => {
      const user = await withUsers(command, async ({ users, directory }) => {
        const { id } = await requireUser(users, current)
        return directory.change(COMMAND_LINE, id, { name, ...options })
      })
      outputOf(command, terminal).result(
        { id: user.id, name: user.name, email: user.email },
        () => `${user.email} is now named ${user.name}.`,
      )
    })
}

function emailArgument(text: string): string {
  return checkedArgument(email, text)
}

/** `tollgate user export EMAIL` */
const registerUserExport: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("export")
    .description("export the stored data of a user as JSON")
    .argument("<EMAIL>", "email address of the user")
    .action(async (email: string, _options: object, command) => {
      const person = await withUsers(command, async ({ users, directory }) => {
        const { id } = await requireUser(users, email)
        return wholeExport(await directory.export(COMMAND_LINE, id))
      })
      outputOf(command, terminal).result(person, () =>
        printableJson(JSON.stringify(person, null, 2)),
      )
    })
}

/** `tollgate user erase EMAIL --yes` */
const registerUserErase: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("erase")
    .description(
      "erase a person permanently; records of their actions remain, with an anonymous id",
    )
    .argument("<EMAIL>", "email address of a user or an invited person")
    .option("--yes", "confirm; this cannot be undone")
    .action(async (email: string, options: { yes?: boolean }, command) => {
      if (options.yes !== true) {
        const hint = `To export the data first: tollgate user export ${email}. Then add --yes.`
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
          ? "No user had this address. Its invitations were deleted, and records no longer contain it."
          : `Erased: records show ${erased.user} from now on. Older backups still contain the person's name.`,
      )
    })
}

/**
 * Finds a user by email address.
 * @throws CommandError `not_found`.
 */
async function requireUser(users: Users, email: string): Promise<UserRecord> {
  const user = await users.findByEmail(email)
  if (user) return user
  const hint = "List the users with: tollgate user list"
  throw new CommandError("not_found", `there is no user '${email}'`, hint)
}

/** The users of an installation, with the actions that operators can perform. */
interface UserServices {
  readonly store: Store
  readonly users: Users
  readonly invitations: Invitations
  readonly directory: UserDirectory
  readonly erasure: Erasure
}

/** Opens the users of an installation, runs a command with them, and closes them. */
function withUsers<T>(command: Command, work: (services: UserServices) => Promise<T>): Promise<T> {
  return withInstallation(command, async ({ loaded, database, secrets, store, audit }) => {
    const { publicUrl, server } = loaded.settings
    using users = new Users({
      store: await database.openConsoleStore(),
      secrets,
      isInvited: (email) => store.invitations.isInvited(email, Date.now()),
      // Failures are reported by the command itself.
      onFailure: () => {},
    })
    const baseUrl = (): string => publicUrl ?? addressOf(server.host, server.port)
    // Awaited here, because the resources are closed at the end of this block.
    const directory = new UserDirectory({ store, users, audit, baseUrl })
    const invitations = new Invitations({ store, users, audit, baseUrl })
    const erasure = new Erasure({ store, users, audit })
    return await work({ store, users, directory, invitations, erasure })
  })
}

export const USER_COMMANDS: readonly RegisterCommand[] = [
  registerUserList,
  registerUserInvite,
  registerUserReset,
  registerUserRename,
  registerUserExport,
  registerUserErase,
]
