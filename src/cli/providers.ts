import { newProvider, type Provider, type NewProvider } from "#contract/catalog.ts"
import { type Command, InvalidArgumentError } from "commander"
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
import { splitSecrets } from "../config/console-settings.ts"

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
      prepare: async () => () => {},
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

/** The options of `tollgate provider add`. */
interface ProviderOptions {
  readonly vendor?: string
  readonly keyVariable?: string
  readonly baseUrl?: string
  readonly setting?: Readonly<Record<string, string>>
  readonly secret?: Readonly<Record<string, string>>
}

/** Returns the entry of a new provider. @throws CommandError if a variable is not set. */
function entryOf(
  id: string,
  { vendor = id, keyVariable, baseUrl, setting = {}, secret = {} }: ProviderOptions,
): NewProvider {
  if (!vendors.has(vendor)) {
    const known = [...vendors.keys()].toSorted().join(", ")
    throw new CommandError("usage", `there is no vendor '${vendor}'`, `Vendors: ${known}`)
  }
  rejectWrongOptions(Object.keys(setting), Object.keys(secret))
  if (keyVariable !== undefined && secret["api_key"] !== undefined) {
    const words = "--key-variable and --secret both give 'api_key'"
    throw new CommandError("usage", words, "Use --key-variable alone.")
  }
  const variables = { ...secret, ...(keyVariable !== undefined && { api_key: keyVariable }) }
  const secrets = Object.entries(variables).map(([name, variable]) => [name, secretOf(variable)])
  return {
    id,
    vendor,
    ...setting,
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...Object.fromEntries(secrets),
  }
}

/** The arguments that give fields of the entry. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  id: "the argument ID",
  vendor: "--vendor VENDOR",
  base_url: "--base-url URL",
  api_key: "--key-variable NAME",
}

/**
 * Rejects settings that would replace another argument or show a secret, and secrets that would not be encrypted.
 * @throws CommandError that names the argument to use.
 */
function rejectWrongOptions(settings: readonly string[], secrets: readonly string[]): void {
  const replaced = settings.find((name) => Object.hasOwn(ARGUMENTS, name) || isSecret(name))
  if (replaced !== undefined) {
    const right = ARGUMENTS[replaced] ?? `--secret ${replaced}=VARIABLE`
    throw new CommandError("usage", `--setting cannot give '${replaced}'`, `Use ${right}.`)
  }
  const open = secrets.find((name) => !isSecret(name))
  if (open === undefined) return
  const right = ARGUMENTS[open] ?? `--setting ${open}=VALUE`
  throw new CommandError("usage", `--secret cannot give '${open}'`, `Use ${right}.`)
}

function isSecret(name: string): boolean {
  return name in splitSecrets({ [name]: "" }).secret
}

/**
 * Reads a secret from a variable. Secrets are never arguments, because other users of the machine can read arguments.
 */
function secretOf(variable: string): string {
  const value = process.env[variable]?.trim() ?? ""
  if (value !== "") return value
  throw new CommandError("usage", `${variable} is not set`, "Set it for this command.")
}

/** Parses settings, given in one or several arguments: `region=us-east-1`. */
function pairArgument(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([a-z_]+)=(.+)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { ...before, [name]: value }
  throw new InvalidArgumentError("It must be a name and a value, such as region=us-east-1.")
}
