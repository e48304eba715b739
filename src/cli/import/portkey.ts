import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { CommandError } from "../exit-codes.ts"
import { textOf } from "./litellm-database.ts"
import { Providers } from "./litellm-providers.ts"
import { Differences, type ImportPlan } from "./plan.ts"

/** Portkey's names of vendors where they are not LiteLLM's. */
const VENDORS: Readonly<Record<string, string>> = {
  "azure-openai": "azure",
  "vertex-ai": "vertex_ai",
  google: "gemini",
  "mistral-ai": "mistral",
  "together-ai": "together_ai",
  "fireworks-ai": "fireworks_ai",
  "perplexity-ai": "perplexity",
  "x-ai": "xai",
}
const READ = new Set([
  "provider",
  "api_key",
  "virtual_key",
  "weight",
  "override_params",
  "custom_host",
])
const MODEL = "portkey/default"

/**
 * What a config of Portkey becomes here: one model with its targets, by weight or one after the other.
 * @throws CommandError `usage`.
 */
export async function planPortkey(file: string): Promise<ImportPlan> {
  const config = parseJsonObject(textOf(file))
  if (!config) throw new CommandError("usage", `${file} holds no JSON object`)
  const differences = new Differences()
  const providers = new Providers(differences)
  const targets = Array.isArray(config["targets"])
    ? config["targets"].filter(isJsonObject)
    : [config]
  const strategy = isJsonObject(config["strategy"]) ? config["strategy"]["mode"] : undefined
  const deployments = targets.flatMap((target, index) => {
    const subject = `target ${index + 1}`
    if (Array.isArray(target["targets"])) {
      differences.leftOut(
        subject,
        "it has targets of its own: name each of them as a target of the first",
      )
      return []
    }
    reportUnknown(target, subject, differences)
    const place = placeOf(target, providers, subject, differences)
    if (!place) return []
    differences.carried(subject, `${place.provider}/${place.model}`)
    const isLater = strategy === "fallback" && index > 0
    const weight = isLater ? 0 : target["weight"]
    return [{ ...place, ...(typeof weight === "number" && { weight }) }]
  })
  for (const name of Object.keys(config)) {
    if (!["targets", "strategy", ...READ].includes(name)) differences.leftOut("config", `'${name}'`)
  }
  if (deployments.length === 0)
    throw new CommandError("usage", `${file} has no target that is known here`)
  differences.toDecide("model", `callers name it '${MODEL}', or 'default'`)
  const settings = {
    providers: providers.settings,
    models: { [MODEL]: { deployments } },
    aliases: { default: MODEL },
  }
  return { settings, variables: providers.variables, accounts: [], differences: differences.list }
}

function placeOf(
  target: JsonObject,
  providers: Providers,
  subject: string,
  differences: Differences,
) {
  const parameters = isJsonObject(target["override_params"]) ? target["override_params"] : {}
  const stated = String(target["provider"] ?? "").replace(/^@/, "")
  const model = parameters["model"]
  if (typeof model !== "string") {
    differences.leftOut(
      subject,
      "'override_params.model' is missing: here a deployment has one model",
    )
    return undefined
  }
  for (const name of Object.keys(parameters)) {
    if (name !== "model") differences.leftOut(subject, `'override_params.${name}'`)
  }
  const vendor = Object.hasOwn(VENDORS, stated) ? VENDORS[stated] : stated
  const virtual = target["virtual_key"]
  // A name of a secret that Portkey keeps.
  const variable = `${String(virtual ?? stated)}_API_KEY`.toUpperCase().replaceAll(/\W/g, "_")
  if (typeof target["api_key"] !== "string") {
    differences.toDecide(subject, `set ${variable} to the vendor's key, which Portkey keeps`)
  }
  return providers.place(subject, {
    model: `${vendor}/${model}`,
    api_key: typeof target["api_key"] === "string" ? target["api_key"] : `os.environ/${variable}`,
    ...(typeof target["custom_host"] === "string" && { api_base: target["custom_host"] }),
  })
}

function reportUnknown(target: JsonObject, subject: string, differences: Differences): void {
  for (const name of Object.keys(target)) {
    if (!READ.has(name) && name !== "strategy") differences.leftOut(subject, `'${name}'`)
  }
}
