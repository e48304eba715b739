import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import { vendors } from "../../vendors/index.ts"
import { addressOf } from "./addresses.ts"
import { LITELLM_VENDORS, vendorOfName } from "./provider-names.ts"
import type { Connection, Members } from "./providers.ts"
import type { Member, Value } from "./variables.ts"

/** Portkey's vendor names that differ from LiteLLM's, with the gateway's names. */
const VENDORS: Readonly<Record<string, string>> = {
  "azure-openai": "azure",
  "vertex-ai": "vertex",
  google: "google",
  "mistral-ai": "mistral",
  "together-ai": "together",
  "fireworks-ai": "fireworks",
  "perplexity-ai": "perplexity",
  "x-ai": "xai",
  zhipu: "zhipu",
  nvidia: "nvidia",
  siliconflow: "siliconflow",
  upstage: "upstage",
}
/** Maps Portkey's fields to the gateway's settings. */
const MEMBERS: Readonly<Record<string, Member>> = {
  api_key: "api_key",
  custom_host: "base_url",
  aws_region: "region",
  aws_access_key_id: "access_key_id",
  aws_secret_access_key: "secret_access_key",
  aws_session_token: "session_token",
  vertex_project_id: "project",
  vertex_region: "location",
  vertex_service_account_json: "credentials",
}
/** Fields of a config or target that the import reads. */
export const PORTKEY_READ: ReadonlySet<string> = new Set([
  ...Object.keys(MEMBERS),
  ..."name strategy targets weight provider virtual_key override_params resource_name deployment_id api_version".split(
    " ",
  ),
])

interface Found {
  readonly connection: Connection
  readonly model: string
  /** Parameters that are not imported. */
  readonly ignored: readonly string[]
}

/** Returns the connection of a Portkey target, or the reason why the target cannot be called. */
export function portkeyConnection(target: JsonObject): Found | string {
  const parameters = isJsonObject(target["override_params"]) ? target["override_params"] : {}
  const { slug, model } = modelOf(target, parameters)
  if (model === undefined)
    return "'override_params.model' is missing: in Tollgate, a deployment has one model"
  const vendor = vendorOf(slug, model)
  if (vendor === undefined) return `the vendor '${slug}' is unknown`
  const ignored = Object.keys(parameters)
    .filter((name) => name !== "model")
    .map((name) => `'override_params.${name}'`)
  const stated = membersOf(target, vendor)
  const members = { ...credentialOf(target, slug, { vendor, stated }), ...stated }
  return { connection: { vendor, members }, model, ignored }
}

/** Returns the model. In `@slug/model`, the slug names the integration with the key. */
function modelOf(target: JsonObject, parameters: JsonObject) {
  const { model } = parameters
  const stated = typeof model === "string" ? model : target["deployment_id"]
  const slug = String(target["virtual_key"] ?? target["provider"] ?? "").replace(/^@/, "")
  if (typeof stated !== "string") return { slug, model: undefined }
  const [, integration, name] = /^@([^/]+)\/(.+)$/.exec(stated) ?? []
  return { slug: integration ?? slug, model: name ?? stated }
}

/** Returns the vendor of a slug, which is the vendor's name or starts with it, such as `openai-prod`. */
function vendorOf(slug: string, model: string): string | undefined {
  const names = [slug, slug.replace(/[-_][^-_]*$/, ""), slug.split(/[-_]/)[0] ?? ""]
  for (const name of names) {
    const found = Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined
    const other = Object.hasOwn(LITELLM_VENDORS, name) ? LITELLM_VENDORS[name] : undefined
    if (found ?? other ?? vendors.has(name)) return found ?? other ?? name
  }
  return vendorOfName(model)
}

function membersOf(target: JsonObject, vendor: string): Members {
  const found: Members = {}
  for (const [field, member] of Object.entries(MEMBERS)) {
    const value = target[field]
    const text = isJsonObject(value) ? JSON.stringify(value) : value
    if (typeof text === "string" && text !== "") found[member] = { text }
  }
  const resource = target["resource_name"]
  if (vendor === "azure" && typeof resource === "string" && !found.base_url)
    found.base_url = { text: `https://${resource}.openai.azure.com` }
  return found
}

/**
 * Returns the credential, which Portkey stores. The vendor's usual variable is only used with the vendor's own server.
 */
function credentialOf(
  target: JsonObject,
  slug: string,
  { vendor, stated }: { readonly vendor: string; readonly stated: Members },
): Members {
  const known = vendors.get(vendor)
  const hasOwn = stated.api_key ?? stated.access_key_id ?? stated.credentials
  if (hasOwn || known?.settings !== undefined) return {}
  const base = stated.base_url
  const own = addressOf(vendor, base && "text" in base ? base.text : undefined)
  const [usual] =
    own.vendor === vendor && own.baseUrl === undefined ? (known?.keyVariables ?? []) : []
  const isPlain = target["virtual_key"] === undefined && slug === target["provider"]
  const value: Value = isPlain && usual !== undefined ? { variable: usual } : { vault: slug }
  return { api_key: value }
}
