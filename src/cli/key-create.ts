import type { KeyOrder } from "../keys/keyring.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { keyDocument } from "./key-document.ts"
import { formatFields } from "./output.ts"
import {
  creditsArgument,
  durationArgument,
  listArgument,
  positiveIntegerArgument,
} from "./parse.ts"

interface KeyCreateOptions {
  readonly account: string
  readonly name: string
  readonly models?: readonly string[]
  readonly budget?: bigint
  readonly rpm?: number
  readonly tpm?: number
  readonly expires?: number
}

/** `tollgate key create --account NAME [...]` */
export const registerKeyCreate: RegisterCommand = (program, terminal) => {
  commandGroup(program, "key", "keys: what callers send")
    .command("create")
    .description("create a key; it is shown once")
    .requiredOption("--account <NAME>", "the account that pays, by name or id")
    .option("--name <NAME>", "what it is for", "unnamed")
    .option("--models <GLOB,..>", "the models it may call, such as openai/*", listArgument)
    .option("--budget <N>", "all the credits it may ever spend", creditsArgument)
    .option("--rpm <N>", "requests per minute", positiveIntegerArgument)
    .option("--tpm <N>", "tokens per minute", positiveIntegerArgument)
    .option("--expires <TIME>", "how long it works, such as 30d", durationArgument)
    .action(async (options: KeyCreateOptions, command) => {
      const { secret, key } = await withInstallation(command, async ({ store, issuer }) => {
        const account = await requireAccount(store, options.account)
        return issuer.issue(orderOf(account.id, options))
      })
      outputOf(command, terminal).result(
        { ...keyDocument(key), key: secret },
        (style) =>
          // A line that scripts look for, so it is not padded.
          `key: ${secret}\n${formatFields(
            [
              ["id", key.id],
              ["account", options.account],
              ["note", "This is the only time the key is shown; only a hash of it is kept."],
            ],
            style,
          )}`,
      )
    })
}

function orderOf(account: string, options: KeyCreateOptions): KeyOrder {
  const { name, models, budget, rpm, tpm, expires } = options
  return {
    account,
    name,
    ...(models === undefined ? {} : { models }),
    ...(budget === undefined ? {} : { budget }),
    ...(rpm === undefined ? {} : { requestsPerMinute: rpm }),
    ...(tpm === undefined ? {} : { tokensPerMinute: tpm }),
    ...(expires === undefined ? {} : { expiresAt: Date.now() + expires }),
  }
}
