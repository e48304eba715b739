import type { Catalog } from "../catalog/catalog.ts"
import type { Model } from "../catalog/model.ts"
import { modelToTry } from "../catalog/model-to-try.ts"
import { FIRST_ACCOUNT } from "../management/first-account.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import { FIRST_CREDITS } from "./first-start.ts"

/** The model of the first request if no vendor is configured. */
const SANDBOX_MODEL = "sandbox/echo"

export interface BannerFacts {
  readonly url: string
  /** The console's address, or the one-time link that creates the first operator. */
  readonly consoleUrl: string
  /** The key that the first start created; undefined later. */
  readonly key: string | undefined
  readonly catalog: Catalog
  readonly hasSandbox: boolean
}

/** Returns the text printed at the start: the address, a key, and a command that works without changes. */
export function banner(facts: BannerFacts): string {
  const { url, consoleUrl, key, catalog, hasSandbox } = facts
  const models = catalog.list()
  const lines = [`Tollgate is listening on ${url}`, ""]
  if (hasSandbox) {
    lines.push(
      "No provider is configured, so a simulator serves the models (provider 'sandbox'). For real models,",
      "",
    )
  }
  lines.push(`models: ${models.length} (${url}/v1/models)`, ...catalog.withoutModels)
  lines.push(`console: ${consoleUrl}`)
  if (consoleUrl.includes("?token=")) {
    lines.push("Open it to create the first user, who becomes the operator. The link works once.")
  }
  if (key === undefined) {
    lines.push("key: shown once when it was created; create another with: tollgate key create", "")
    return lines.join("\n")
  }
  lines.push(`account: ${FIRST_ACCOUNT}, with ${FIRST_CREDITS} credits`, `key: ${key}`)
  lines.push("The key is shown only once; only its hash is stored.", "")
  const model = models.find(({ id }) => id === SANDBOX_MODEL) ?? modelToTry(models)
  if (model) lines.push("Try it:", "", curl(url, key, model), "")
  return lines.join("\n")
}

function curl(url: string, key: string, model: Model): string {
  const body = JSON.stringify({
    model: model.id,
    messages: [{ role: "user", content: "Hello, Tollgate!" }],
  })
  return [
    `  curl ${url}/v1/chat/completions \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    `    -H "Content-Type: application/json" \\`,
    `    -d '${body}'`,
  ].join("\n")
}

/**
 * Returns the address of the console, or the one-time link for creating the first operator if there is no operator.
 * @param url the gateway's own address.
 */
export function consoleAddress(
  url: string,
  { setupToken }: InstallationSecrets,
  hasOperator: boolean,
): string {
  if (!hasOperator) return `${url}/console/setup?token=${setupToken.readOrCreate()}`
  setupToken.remove()
  return `${url}/console/`
}
