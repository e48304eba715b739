import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { keyDocument } from "./key-document.ts"
import { formatTable } from "./output.ts"

const COLUMNS = [
  { title: "ID" },
  { title: "NAME" },
  { title: "ACCOUNT" },
  { title: "KEY" },
  { title: "STATUS" },
  { title: "BUDGET LEFT", align: "right" },
  { title: "EXPIRES" },
] as const

/** `tollgate key list [--account NAME]` */
export const registerKeyList: RegisterCommand = (program, terminal) => {
  commandGroup(program, "key", "keys: what callers send")
    .command("list")
    .description("list the keys")
    .option("--account <NAME>", "only those of one account")
    .action(async (options: { account?: string }, command) => {
      const { keys, names } = await withInstallation(command, async ({ store, keys: service }) => {
        const account =
          options.account === undefined ? null : await requireAccount(store, options.account)
        const accounts = await store.accounts.list()
        const order = { limit: Number.MAX_SAFE_INTEGER, account: account?.id }
        const { data } = await service.list(COMMAND_LINE, order)
        return {
          keys: data.map(keyDocument).toReversed(),
          names: new Map(accounts.map(({ id, name }) => [id, name])),
        }
      })
      outputOf(command, terminal).result({ keys }, (style) => {
        if (keys.length === 0)
          return "No keys yet. Create one with: tollgate key create --account NAME"
        const rows = keys.map((key) => [
          key.id,
          key.name,
          names.get(key.account) ?? key.account,
          `sk-tg-...${key.hint ?? ""}`,
          key.status,
          key.budget_left === null ? "-" : `${key.budget_left} of ${key.budget}`,
          key.expires_at ?? "never",
        ])
        return formatTable(COLUMNS, rows, style)
      })
    })
}
