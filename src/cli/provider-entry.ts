import { InvalidArgumentError } from "commander"
import { splitSecrets } from "../config/console-settings.ts"
import { vendors } from "../vendors/index.ts"
import type { NewProvider } from "#contract/catalog.ts"
import { CommandError } from "./exit-codes.ts"

/** The options of `tollgate provider add`. */
export interface ProviderOptions {
  readonly vendor?: string
  readonly keyVariable?: string
  readonly baseUrl?: string
  readonly setting?: Readonly<Record<string, string>>
  readonly secret?: Readonly<Record<string, string>>
}

/** Returns the entry of a new provider. @throws CommandError if a variable is not set. */
export function entryOf(
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

/** Secrets are never arguments, because other users of the machine can read arguments. */
function secretOf(variable: string): string {
  const value = process.env[variable]?.trim() ?? ""
  if (value !== "") return value
  throw new CommandError("usage", `${variable} is not set`, "Set it for this command.")
}

/** Parses settings, given in one or several arguments: `region=us-east-1`. */
export function pairArgument(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([a-z_]+)=(.+)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { ...before, [name]: value }
  throw new InvalidArgumentError("It must be a name and a value, such as region=us-east-1.")
}
