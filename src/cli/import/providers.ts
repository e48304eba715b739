import { join } from "node:path"
import { stringify } from "yaml"
import { DEFAULT_FILE, SettingsFile } from "../../config/file.ts"
import { USUAL_SETTINGS } from "../../config/provider-rules.ts"
import { vendors } from "../../vendors/index.ts"
import { addressOf, COMPATIBLE } from "./addresses.ts"
import type { Differences } from "./plan.ts"
import { type Member, placeholder, type Value, type Variables } from "./variables.ts"

/** Values of a provider or of one of its credentials. */
export type Members = Partial<Record<Member, Value>>

/** The other gateway's connection to a vendor. */
export interface Connection {
  /** The gateway's id of the vendor. */
  readonly vendor: string
  readonly members: Members
  /** Present if the provider has several credentials. */
  readonly credentials?: readonly Members[]
}

/** A provider's model, as the target of a deployment. */
export interface ProviderModel {
  readonly provider: string
  /** The vendor's name for the model. */
  readonly model: string
}

type Written = Readonly<Record<string, unknown>>

/** Members that can sign requests. A single one is enough. */
const CREDENTIALS: readonly Member[] = ["api_key", "access_key_id", "credentials"]
/** Maximum credentials of a provider that the settings accept. */
const MAX_CREDENTIALS = 100

/** Collects the providers of a settings file. Equal connections share a provider. */
export class Providers {
  readonly settings: Record<string, Written> = {}
  readonly #byIdentity = new Map<string, string>()
  /** The number in the last provider's name, by vendor. */
  readonly #lastNumbers = new Map<string, number>()
  readonly #differences: Differences
  readonly #variables: Variables
  readonly #directory: string

  /** @param directory the folder of the settings file, which relative paths start from. */
  constructor(differences: Differences, variables: Variables, directory: string) {
    this.#differences = differences
    this.#variables = variables
    this.#directory = directory
  }

  /**
   * Returns the provider's model for a connection.
   * @returns undefined if the gateway would not start with the provider. The page then contains the reason.
   */
  modelAt(subject: string, stated: Connection, model: string): ProviderModel | undefined {
    if (model.trim() === "" || /\s|\$\{/.test(model)) {
      const words =
        model.trim() === ""
          ? "it names no model or deployment"
          : "its name is not the name of a model"
      this.#differences.leftOut(subject, words)
      return undefined
    }
    const connection = this.#resolved(subject, stated)
    const identity = JSON.stringify(connection)
    const known = this.#byIdentity.get(identity)
    if (known !== undefined) return { provider: known, model }
    const fault = this.#faultOf(connection)
    if (fault !== undefined) {
      this.#differences.toDecide(subject, `not carried over, add the provider by hand: ${fault}`)
      return undefined
    }
    const provider = this.#freeName(connection.vendor)
    this.#byIdentity.set(identity, provider)
    this.settings[provider] = this.#written(provider, connection)
    return { provider, model }
  }

  /** Whether the catalog contains the provider's models. Self-hosted servers have their own models. */
  hasKnownModels(provider: string): boolean {
    const vendor = vendors.get(String(this.settings[provider]?.["vendor"]))
    return vendor !== undefined && vendor.isSelfHosted !== true
  }

  /** Returns a connection with the server's vendor, without members that this vendor does not accept. */
  #resolved(subject: string, { vendor: stated, members, credentials }: Connection): Connection {
    const { base_url: base, ...rest } = members
    const isText = base !== undefined && "text" in base
    const { vendor, baseUrl } = addressOf(stated, isText ? base.text : undefined)
    // If the address is in a variable, the vendor is unknown.
    const isUnknown = base !== undefined && !isText && vendor === "openai"
    const taken = new Set<string>(vendors.get(vendor)?.settings ?? USUAL_SETTINGS)
    const kept = Object.entries(rest).filter(([member]) => taken.has(member))
    for (const member of Object.keys(rest))
      if (!taken.has(member)) this.#differences.leftOut(subject, `'${member}'`)
    const isSigned = CREDENTIALS.some((member) => member in rest) || credentials
    const isMachine = taken.has("identity") && !isSigned
    if (isMachine) {
      const words = "it has no key: it signs with the identity of the machine that Tollgate runs on"
      this.#differences.changed(subject, words)
    }
    return {
      vendor: isUnknown ? COMPATIBLE : vendor,
      members: {
        ...Object.fromEntries(kept),
        ...(isMachine && { identity: { text: "machine" } }),
        ...(baseUrl !== undefined && { base_url: { text: baseUrl } }),
        ...(base !== undefined && !isText && { base_url: base }),
      },
      ...(credentials && { credentials: this.#distinct(subject, credentials) }),
    }
  }

  #distinct(subject: string, credentials: readonly Members[]): readonly Members[] {
    const distinct = [...new Map(credentials.map((one) => [JSON.stringify(one), one])).values()]
    const rest = distinct.length - MAX_CREDENTIALS
    if (rest > 0)
      this.#differences.leftOut(subject, `${rest} of its keys: a provider has ${MAX_CREDENTIALS}`)
    return distinct.slice(0, MAX_CREDENTIALS)
  }

  /**
   * Returns the reason why the gateway would not start with a connection, which is the first fault of settings that
   * contain only this connection.
   */
  #faultOf(connection: Connection): string | undefined {
    const provider = entryOf(connection, (value, member) =>
      "text" in value
        ? value.text.replaceAll("${", "$${")
        : placeholder(member, "vault" in value ? value.vault : value.variable),
    )
    const id = connection.vendor
    const text = stringify({ providers: { [id]: provider } })
    const file = new SettingsFile(join(this.#directory, DEFAULT_FILE), text, {})
    const [problem] = file.read([...vendors.values()], []).problems
    return (
      problem &&
      `${problem.path.replace(`providers.${id}`, "").replace(/^\./, "")} ${problem.message}`.trim()
    )
  }

  #written(provider: string, connection: Connection): Written {
    return entryOf(connection, (value, member) => this.#variables.written(value, provider, member))
  }

  #freeName(vendor: string): string {
    for (let number = (this.#lastNumbers.get(vendor) ?? 0) + 1; ; number++) {
      const name = number === 1 ? vendor : `${vendor}-${number}`
      if (Object.hasOwn(this.settings, name)) continue
      this.#lastNumbers.set(vendor, number)
      return name
    }
  }
}

/** Returns a provider's entry in the settings file. */
function entryOf(
  { vendor, members, credentials = [] }: Connection,
  write: (value: Value, member: Member) => string,
): Written {
  const writeAll = (values: Members): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([member, value]) => [member, write(value, member as Member)]),
    )
  const [only = {}, second] = credentials
  if (!second) return { vendor, ...writeAll({ ...members, ...only }) }
  const keys = credentials.map(writeAll).map((written) => {
    const { api_key: key, ...others } = written
    return key !== undefined && Object.keys(others).length === 0 ? key : written
  })
  return { vendor, ...writeAll(members), api_keys: keys }
}
