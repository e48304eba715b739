import type { VendorSetting } from "../../config/vendors.ts"
import { vendors } from "../../vendors/index.ts"

/** A provider's setting that an import fills in. */
export type Member = VendorSetting | "base_url"

/** The source of a value in the other gateway. */
export type Value =
  | { readonly text: string }
  /** An environment variable that the source names. */
  | { readonly variable: string }
  /** The name of a secret that the other gateway stores elsewhere. */
  | { readonly vault: string }

/** Valid placeholders for variables that are not set on this machine, for checking settings that refer to them. */
const PLACEHOLDERS: Partial<Record<Member, string>> = {
  base_url: "https://placeholder.invalid",
  region: "us-east-1",
  location: "global",
  credentials: JSON.stringify({
    type: "service_account",
    client_email: "placeholder",
    private_key: "-----BEGIN PRIVATE KEY-----",
    project_id: "placeholder",
  }),
}

/** Returns a valid placeholder for a variable whose value is unknown. */
export function placeholder(member: Member, name: string): string {
  return PLACEHOLDERS[member] ?? `placeholder-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`
}

type Environment = Readonly<Record<string, string | undefined>>

const SECRET_MEMBERS: ReadonlySet<Member> = new Set([
  "api_key",
  "access_key_id",
  "secret_access_key",
  "session_token",
])

/** The variables that providers use by default. */
const BUILT_IN: ReadonlySet<string> = new Set(
  [...vendors.values()].flatMap(({ keyVariables, variableSets = [] }) => [
    ...keyVariables,
    ...variableSets.flatMap(({ needed, optional = {} }) =>
      [...Object.values(needed), ...Object.values(optional)].flat(),
    ),
  ]),
)

/**
 * The environment variables of imported settings. Each secret of the source gets a separate variable with a new name,
 * so that no server receives the key of another server.
 */
export class Variables {
  /** Secrets of the source, by variable. */
  readonly values = new Map<string, string>()
  /** Variables whose values only the operator has, with the setting that each variable fills. */
  readonly references = new Map<string, Member>()
  readonly #prefix: string
  readonly #environment: Environment
  readonly #taken: Set<string>
  readonly #vaults = new Map<string, string>()

  /**
   * @param prefix of all new names.
   * @param source the text of the source. Each word in it counts as a variable in use.
   */
  constructor(prefix: string, source: string, environment: Environment = process.env) {
    this.#prefix = prefix
    this.#environment = environment
    this.#taken = new Set([...BUILT_IN, ...(source.toUpperCase().match(/\w+/g) ?? [])])
  }

  /** Returns the text that represents a value in the settings file. */
  written(value: Value, provider: string, member: Member): string {
    if ("variable" in value) {
      this.references.set(value.variable, member)
      return `\${${value.variable}}`
    }
    if ("vault" in value) return `\${${this.vaultVariable(value.vault, member)}}`
    const { text } = value
    const isSecret =
      SECRET_MEMBERS.has(member) || (member === "credentials" && text.trimStart().startsWith("{"))
    if (!isSecret) return text.replaceAll("${", "$${")
    const variable = this.#freeName(`${provider}_${member}`, text)
    this.values.set(variable, text)
    return `\${${variable}}`
  }

  /**
   * Returns the variable for a secret that the other gateway stores elsewhere. Repeated calls return the same variable.
   */
  vaultVariable(vault: string, member: Member): string {
    const known = this.#vaults.get(vault)
    if (known !== undefined) return known
    const variable = this.#freeName(`${vault}_${member}`)
    this.#vaults.set(vault, variable)
    this.references.set(variable, member)
    return variable
  }

  /**
   * Returns an unused name for a variable.
   * @param value the future value of the variable; absent if the operator sets it.
   */
  #freeName(wanted: string, value?: string): string {
    const base = `${this.#prefix}_${wanted}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}_${number}`
      const present = this.#environment[name]
      const isOther = value !== undefined && present !== undefined && present !== value
      if (this.#taken.has(name) || isOther) continue
      this.#taken.add(name)
      return name
    }
  }
}
