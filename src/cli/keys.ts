import type { Key } from "#contract/keys.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { KEY_GROUP, registerKeyCreate } from "./key-create.ts"
import { dateText, keyDocument } from "./key-document.ts"
import type { Column, Fields } from "./output.ts"
import { durationArgument } from "./parse.ts"

/** Returns the columns of a list of keys. */
function columnsOf(
  accountNames: ReadonlyMap<string, string>,
): readonly Column<ReturnType<typeof keyDocument>>[] {
  return [
    { title: "ID", cell: ({ id }) => id },
    { title: "NAME", cell: ({ name }) => name },
    { title: "ACCOUNT", cell: ({ account }) => accountNames.get(account) ?? account },
    { title: "KEY", cell: ({ hint }) => `sk-tg-...${hint ?? ""}` },
    { title: "STATUS", cell: stateOf },
    {
      title: "BUDGET LEFT",
      align: "right",
      cell: ({ budget, budget_left: left }) => (left === null ? "-" : `${left} of ${budget}`),
    },
    { title: "EXPIRES", cell: ({ expires_at }) => expires_at ?? "never" },
  ]
}

/** `tollgate key list [--account NAME]` */
const registerKeyList: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("list")
    .description("list the keys")
    .option("--account <NAME>", "only the keys of one account")
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
      outputOf(command, terminal).table("keys", keys, {
        columns: columnsOf(names),
        empty: "No keys yet. Create one with: tollgate key create --account NAME",
      })
    })
}

/** Returns the state of a key, or the code with which requests of an active key are rejected. */
function stateOf({ status, rejected_with: code }: Pick<Key, "status" | "rejected_with">): string {
  return status === "active" && code !== null ? `rejected: ${code}` : status
}

const DEFAULT_GRACE_MS = 24 * 60 * 60 * 1_000

/** `tollgate key rotate ID [--grace TIME]` */
const registerKeyRotate: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("rotate")
    .description("replace the secret of a key; the old secret remains valid for the grace period")
    .argument("<ID>", "id of the key, from `tollgate key list`")
    .option(
      "--grace <TIME>",
      "how long the old secret remains valid (default: 24h)",
      durationArgument,
    )
    .action(async (id: string, options: { grace?: number }, command) => {
      const grace = options.grace ?? DEFAULT_GRACE_MS
      const { secret, ...key } = await withInstallation(command, ({ keys }) =>
        keys.rotate(COMMAND_LINE, id, grace),
      )
      const fields: Fields = [
        ["id", key.id],
        ["old key", `works until ${dateText(Date.now() + grace)}`],
        ["note", "The new key is shown only once; only its hash is stored."],
      ]
      const document = { ...keyDocument(key), key: secret }
      outputOf(command, terminal).fields(document, fields, `key: ${secret}`)
    })
}

const PAUSE_COMMANDS = [
  {
    name: "pause",
    isPaused: true,
    description: "reject all requests of a key until it is resumed",
    done: "is paused. Running gateways reject it within a second.",
  },
  { name: "resume", isPaused: false, description: "resume a paused key", done: "is active again." },
] as const

/** `tollgate key pause|resume ID` */
const registerKeyPause: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, ...KEY_GROUP)
  for (const { name, isPaused, description, done } of PAUSE_COMMANDS) {
    group
      .command(name)
      .description(description)
      .argument("<ID>", "id of the key, from `tollgate key list`")
      .action(async (id: string, _options: object, command) => {
        const key = await withInstallation(command, ({ keys }) =>
          keys.change(COMMAND_LINE, id, { is_paused: isPaused }),
        )
        outputOf(command, terminal).result(keyDocument(key), () => `Key ${id} ${done}`)
      })
  }
}

/** `tollgate key revoke ID` */
const registerKeyRevoke: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...KEY_GROUP)
    .command("revoke")
    .description("revoke a key permanently, including its old secrets")
    .argument("<ID>", "id of the key, from `tollgate key list`")
    .action(async (id: string, _options: object, command) => {
      const key = await withInstallation(command, ({ keys }) => keys.revoke(COMMAND_LINE, id))
      outputOf(command, terminal).result(
        keyDocument(key),
        () => `Key ${id} is revoked. Running gateways reject it within a second.`,
      )
    })
}

export const KEY_COMMANDS: readonly RegisterCommand[] = [
  registerKeyCreate,
  registerKeyList,
  registerKeyRotate,
  registerKeyPause,
  registerKeyRevoke,
]
