import type { AccountState } from "../store/accounts.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"

interface StateCommand {
  readonly name: string
  readonly state: AccountState
  readonly description: string
  readonly done: string
}

const COMMANDS: readonly StateCommand[] = [
  {
    name: "pause",
    state: "paused",
    description: "pay for nothing of an account until it is resumed",
    done: "is paused. Running gateways refuse its requests within a second.",
  },
  {
    name: "resume",
    state: "active",
    description: "let a paused or closed account work again",
    done: "works again.",
  },
  {
    name: "close",
    state: "closed",
    description:
      "close an account: nothing is paid for, and there are no new keys; its ledger stays",
    done: "is closed. Running gateways refuse its requests within a second.",
  },
]

/** `tollgate account pause|resume|close NAME` */
export const registerAccountState: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "account", "accounts: who pays")
  for (const { name, state, description, done } of COMMANDS) {
    group
      .command(name)
      .description(description)
      .argument("<ACCOUNT>", "its name or id")
      .action(async (idOrName: string, _options: object, command) => {
        const account = await withInstallation(command, async ({ store, accounts }) => {
          const { id } = await requireAccount(store, idOrName)
          return accounts.change(COMMAND_LINE, id, { state })
        })
        outputOf(command, terminal).result(account, () => `Account ${account.name} ${done}`)
      })
  }
}
