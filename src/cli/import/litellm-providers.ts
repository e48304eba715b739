import { type Differences } from "./plan.ts"
import { LITELLM_VENDORS, vendorOfName } from "./provider-names.ts"

type Fields = Readonly<Record<string, unknown>>

/** Where one of LiteLLM's deployments calls. */
export interface Place {
  readonly provider: string
  /** What the vendor calls the model. */
  readonly model: string
}

const REFERENCE = /^os\.environ\/(\w+)$/
/** What a provider is made of, by LiteLLM's name. */
const MEMBERS: Readonly<Record<string, string>> = {
  api_key: "api_key",
  api_base: "base_url",
  base_url: "base_url",
  api_version: "api_version",
  aws_region_name: "region",
  aws_access_key_id: "access_key_id",
  aws_secret_access_key: "secret_access_key",
  vertex_project: "project",
  vertex_location: "location",
  vertex_credentials: "credentials",
}
const SECRETS = new Set(["api_key", "access_key_id", "secret_access_key"])
/** Vendors whose own address is known, at which OpenAI's format is not theirs alone. */
const COMPATIBLE = "openai-compatible"

/** The providers of a settings file, made from deployments: those that are called in the same way share one. */
export class Providers {
  readonly settings: Record<string, Record<string, string>> = {}
  readonly variables = new Map<string, string>()
  readonly #byIdentity = new Map<string, string>()
  readonly #differences: Differences

  constructor(differences: Differences) {
    this.#differences = differences
  }

  /** @returns undefined for a vendor that is unknown here; that is said on the page. */
  place(subject: string, parameters: Fields): Place | undefined {
    const name = typeof parameters["model"] === "string" ? parameters["model"] : ""
    const named = vendorOf(name, parameters["custom_llm_provider"])
    if (!named) {
      this.#differences.leftOut(subject, `the vendor of '${name}' is unknown here`)
      return undefined
    }
    const members = this.#members(parameters, named.vendor)
    const hasOwnAddress = named.vendor === "openai" && members["base_url"] !== undefined
    const vendor = hasOwnAddress ? COMPATIBLE : named.vendor
    const identity = JSON.stringify([vendor, members])
    const known = this.#byIdentity.get(identity)
    const provider = known ?? this.#freeName(named.vendor)
    if (known === undefined) {
      this.#byIdentity.set(identity, provider)
      this.settings[provider] = { vendor, ...this.#withoutSecrets(provider, members) }
    }
    return { provider, model: named.model }
  }

  #members(parameters: Fields, vendor: string): Record<string, string> {
    const found: Record<string, string> = {}
    for (const [name, member] of Object.entries(MEMBERS)) {
      const value = parameters[name]
      // Only Azure has versions.
      if (typeof value !== "string" || value === "") continue
      if (member === "api_version" && vendor !== "azure") continue
      found[member] = value
    }
    return found
  }

  /** Secrets that stand in the file become variables; references to variables stay such. */
  #withoutSecrets(provider: string, members: Record<string, string>): Record<string, string> {
    const written = Object.entries(members).map(([member, value]) => {
      const reference = REFERENCE.exec(value)?.[1]
      if (reference !== undefined) return [member, `\${${reference}}`] as const
      if (!SECRETS.has(member)) return [member, value.replaceAll("${", "$${")] as const
      const variable = `${provider}_${member}`.toUpperCase().replaceAll(/\W/g, "_")
      this.variables.set(variable, value)
      return [member, `\${${variable}}`] as const
    })
    return Object.fromEntries(written)
  }

  #freeName(vendor: string): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? vendor : `${vendor}-${number}`
      if (!(name in this.settings)) return name
    }
  }
}

function vendorOf(
  name: string,
  stated: unknown,
): { readonly vendor: string; readonly model: string } | undefined {
  const slash = name.indexOf("/")
  const prefix = slash === -1 ? "" : name.slice(0, slash)
  const vendor = Object.hasOwn(LITELLM_VENDORS, prefix) ? LITELLM_VENDORS[prefix] : undefined
  if (vendor !== undefined)
    return { vendor, model: name.slice(slash + 1).replace(/^(converse|invoke)\//, "") }
  const own =
    typeof stated === "string" && Object.hasOwn(LITELLM_VENDORS, stated)
      ? LITELLM_VENDORS[stated]
      : undefined
  const guessed = own ?? vendorOfName(name)
  return guessed === undefined ? undefined : { vendor: guessed, model: name }
}
