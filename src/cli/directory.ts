import type { Command } from "commander"
import { addressOf } from "../app/address.ts"
import { Erasure } from "../management/erasure.ts"
import { UserDirectory } from "../management/user-directory.ts"
import type { UserRecord } from "../store/users.ts"
import { Users } from "../users/users.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"

/** @throws CommandError `not_found`. */
export async function requireUser(users: Users, email: string): Promise<UserRecord> {
  const user = await users.findByEmail(email)
  if (user) return user
  const hint = "See who there is with: tollgate user list"
  throw new CommandError("not_found", `there is no user '${email}'`, hint)
}

/** The users of an installation, and what operators do with them. */
interface UserServices {
  readonly users: Users
  readonly directory: UserDirectory
  readonly erasure: Erasure
}

/** Opens the users of an installation, lets a command work with them, and closes them. */
export function withUsers<T>(
  command: Command,
  work: (services: UserServices) => Promise<T>,
): Promise<T> {
  return withInstallation(command, async ({ loaded, database, secrets, store, audit }) => {
    const { publicUrl, server } = loaded.settings
    using users = new Users({
      store: await database.openConsoleStore(),
      secrets,
      isInvited: (email) => store.invitations.isInvited(email, Date.now()),
      // A command reports its failure itself.
      onFailure: () => {},
    })
    const baseUrl = (): string => publicUrl ?? addressOf(server.host, server.port)
    // Awaited here: they are closed at the end of this block.
    const directory = new UserDirectory({ store, users, audit, baseUrl })
    return await work({ users, directory, erasure: new Erasure({ store, users, audit }) })
  })
}
