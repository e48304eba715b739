import { newProvider, type Provider } from "#contract/catalog.ts"
import type { Command } from "commander"
import { runtimeConfigOf } from "../app/state.ts"
import { SecretCipher } from "../config/secret-cipher.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { ConsoleChanges } from "../management/console-changes.ts"
import { LiveSettings } from "../management/live-settings.ts"
import { Providers } from "../management/providers.ts"
import { Health } from "../routing/health.ts"
import { vendors } from "../vendors/index.ts"
import { type RegisterCommand, commandGroup, outputOf } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"
import type { Column } from "./output.ts"
import { checkedArgument } from "./parse.ts"
import { printable } from "./printable.ts"
import { entryOf, pairArgument, type ProviderOptions } from "./provider-entry.ts"

const GROUP = ["provider", "manage the providers that serve models"] as const

const COLUMNS: readonly Column<Provider>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "VENDOR", cell: ({ vendor }) => vendor },
  { title: "FROM", cell: ({ origin }) => origin },
  { title: "MODELS", align: "right", cell: ({ models }) => String(models) },
  { title: "WITHOUT PRICE", align: "right", cell: (one) => String(one.unpriced_models) },
  { title: "PROBLEM", cell: ({ problem }) => problem ?? "-" },
]

/** `tollgate provider list` */
const registerProviderList: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("list")
    .description("list the providers of the settings and of the console")
    .action(async (_options: object, command) => {
      const providers = await withProviders(command, async (service) => {
        const { data } = service.list(COMMAND_LINE, { limit: Number.MAX_SAFE_INTEGER })
        return data
      })
      outputOf(command, terminal).table("providers", providers, {
        columns: COLUMNS,
        empty: "No providers yet. Add one with: tollgate provider add ID --key-variable NAME",
      })
    })
}

/** `tollgate provider add ID [--vendor VENDOR] [--key-variable NAME] [--base-url URL]` */
const registerProviderAdd: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("add")
    .description("add a provider; its secrets are read from variables and stored encrypted")
    .argument("<ID>", "id of the provider, the first part of its models' ids", idArgument)
    .option("--vendor <VENDOR>", "name of the vendor, such as openai-compatible (default: the id)")
    .option("--key-variable <NAME>", "environment variable with the API key")
    .option("--base-url <URL>", "base URL of the provider (default: from the vendor)")
    .option(
      "--setting <NAME=VALUE>",
      "another setting, such as region=us-east-1; can be repeated",
      pairArgument,
    )
    .option(
      "--secret <NAME=VARIABLE>",
      "another secret and its environment variable; can be repeated",
      pairArgument,
    )
    .action(async (id: string, options: ProviderOptions, command) => {
      const entry = entryOf(id, options)
      const provider = await withProviders(command, (service) =>
        service.create(COMMAND_LINE, entry),
      )
      outputOf(command, terminal).fields(provider, [
        ["provider", provider.id],
        ["vendor", provider.vendor_name],
        ["secrets", provider.secrets.join(", ") || "none"],
        ["models", String(provider.models)],
        ["next", `tollgate provider test ${provider.id}`],
      ])
    })
}

function idArgument(text: string): string {
  return checkedArgument(newProvider.shape.id, text)
}

/** `tollgate provider test ID` */
const registerProviderTest: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...GROUP)
    .command("test")
    .description("test the credential of a provider with a free request")
    .argument("<ID>", "id of the provider, from `tollgate provider list`")
    .action(async (id: string, _options: object, command) => {
      const result = await withProviders(command, (service) => service.test(COMMAND_LINE, id))
      outputOf(command, terminal).result({ provider: id, ...result }, () =>
        [result.message, ...(result.models ?? [])].map(printable).join("\n"),
      )
      if (!result.ok) throw new CommandError("failed", `provider '${id}' failed the test`)
    })
}

/** Opens the providers of an installation. A running gateway applies changes within a second. */
function withProviders<T>(
  command: Command,
  work: (providers: Providers) => Promise<T>,
): Promise<T> {
  return withInstallation(command, async ({ loaded, store, secrets, audit }) => {
    const live = await LiveSettings.open({
      store,
      cipher: new SecretCipher(secrets),
      vendors: [...vendors.values()],
      base: loaded,
      sandboxUrl: undefined,
      apply: () => {},
      onConsoleChange: () => {},
      warn: () => {},
    })
    const catalog = () => runtimeConfigOf(live.effective, live.lists).config.catalog
    const changes = new ConsoleChanges(live, store, audit)
    return work(new Providers({ changes, health: new Health(), catalog }))
  })
}

export const PROVIDER_COMMANDS: readonly RegisterCommand[] = [
  registerProviderList,
  registerProviderAdd,
  registerProviderTest,
]
