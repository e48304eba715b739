import { vendors } from "../../vendors/index.ts"
import { addressOf, isAzure } from "./addresses.ts"
import type { Connection, Members } from "./providers.ts"
import { LITELLM_VENDORS, vendorOfName } from "./provider-names.ts"
import type { Member, Value } from "./variables.ts"

type Fields = Readonly<Record<string, unknown>>

/** Maps LiteLLM's parameters to the gateway's settings. */
const MEMBERS: Readonly<Record<string, Member>> = {
  api_key: "api_key",
  api_base: "base_url",
  base_url: "base_url",
  aws_region_name: "region",
  aws_access_key_id: "access_key_id",
  aws_secret_access_key: "secret_access_key",
  aws_session_token: "session_token",
  aws_bedrock_runtime_endpoint: "base_url",
  vertex_project: "project",
  vertex_ai_project: "project",
  vertex_location: "location",
  vertex_ai_location: "location",
  vertex_credentials: "credentials",
  vertex_ai_credentials: "credentials",
}

/** The parameters that determine the connection of a deployment. */
export const CONNECTION_PARAMETERS = [
  ...Object.keys(MEMBERS),
  "model",
  "custom_llm_provider",
  "api_version",
  "litellm_credential_name",
]

/** Environment variables that LiteLLM reads if a deployment on Azure lacks the corresponding parameters. */
const AZURE: Members = {
  api_key: { variable: "AZURE_API_KEY" },
  base_url: { variable: "AZURE_API_BASE" },
}
const REFERENCE = /^os\.environ\/([A-Za-z_]\w*)$/
const REGION_IN_NAME = /^([a-z]{2}(?:-[a-z]+)+-\d)\//
/** Matches models on Vertex AI that do not use Gemini's format. */
const PARTNER_MODEL = /^(claude|mistral|codestral|llama|meta\/|jamba|deepseek|qwen|openai\/|gpt-)/

/**
 * Returns the connection of a LiteLLM deployment and the vendor's name for the model, or the reason why the deployment
 * cannot be called.
 */
export function liteLlmConnection(
  parameters: Fields,
): { readonly connection: Connection; readonly model: string } | string {
  const name = typeof parameters["model"] === "string" ? parameters["model"] : ""
  const named = vendorOf(name, parameters["custom_llm_provider"])
  if (!named) return `the vendor of '${name}' is unknown`
  const { vendor } = named
  const region = vendor === "bedrock" ? REGION_IN_NAME.exec(named.model)?.[1] : undefined
  const model = region === undefined ? named.model : named.model.slice(region.length + 1)
  if (vendor === "vertex" && PARTNER_MODEL.test(model))
    return `'${name}': of Vertex AI's models, Tollgate can call only Google's`
  const stated = {
    ...(region !== undefined && { region: { text: region } }),
    ...membersOf(parameters),
  }
  return { connection: { vendor, members: { ...implicit(vendor, stated), ...stated } }, model }
}

function membersOf(parameters: Fields): Members {
  const found: Members = {}
  for (const [name, member] of Object.entries(MEMBERS)) {
    const value = valueOf(parameters[name])
    if (value && found[member] === undefined) found[member] = value
  }
  return found
}

function valueOf(value: unknown): Value | undefined {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : value
  if (typeof text !== "string" || text.trim() === "") return undefined
  const variable = REFERENCE.exec(text)?.[1]
  if (variable !== undefined) return { variable }
  return text.startsWith("os.environ/") ? { vault: text.slice("os.environ/".length) } : { text }
}

/**
 * Returns the vendor's usual variable, but only if the vendor's own server is called. Another server must not receive
 * the vendor's key.
 */
function implicit(vendor: string, { base_url: base, api_key: key }: Members): Members {
  const isUnknown = base !== undefined && !("text" in base)
  if (key || (isUnknown && vendor !== "azure")) return {}
  const address = isUnknown ? undefined : base?.text
  const own = addressOf(vendor, address)
  if (own.vendor === "azure") return address === undefined || isAzure(address) ? AZURE : {}
  const known = vendors.get(own.vendor)
  const [variable] = known?.settings === undefined ? (known?.keyVariables ?? []) : []
  return variable === undefined || own.baseUrl !== undefined ? {} : { api_key: { variable } }
}

function vendorOf(
  name: string,
  stated: unknown,
): { readonly vendor: string; readonly model: string } | undefined {
  const slash = name.indexOf("/")
  const prefix = slash === -1 ? "" : name.slice(0, slash)
  const vendor = vendorNamed(prefix)
  if (vendor !== undefined)
    return { vendor, model: name.slice(slash + 1).replace(/^(converse|invoke)\//, "") }
  const own = typeof stated === "string" ? vendorNamed(stated) : undefined
  const guessed = own ?? vendorOfName(name)
  return guessed === undefined ? undefined : { vendor: guessed, model: name }
}

function vendorNamed(name: string): string | undefined {
  return Object.hasOwn(LITELLM_VENDORS, name) ? LITELLM_VENDORS[name] : undefined
}
