import { decoded } from "./path-pattern.ts"
import { GOOGLE_METHODS, GOOGLE_MODEL_PATHS } from "./v1/google-address.ts"

/** The address for which a request was probably intended. */
export interface IntendedAddress {
  readonly path: string
  /** The model in a URL of Azure's form. */
  readonly model?: string
}

/** Path prefixes that clients add, from the usual base URLs of vendors and routers. */
const HABITS = new Set(["v1", "openai", "anthropic", "api", "v1beta", "v1alpha", "v1beta1"])
/**
 * Matches addresses of Azure OpenAI: `/openai/deployments/{deployment}/chat/completions?api-version=…`. Model names may
 * contain slashes.
 */
const DEPLOYMENT =
  /^\/openai\/deployments\/(.+?)\/((?:chat|images|audio)\/[a-z]+|embeddings|responses)$/
/** Paths that model servers and their load tests use for the same endpoints. */
const ALIASES: ReadonlyMap<string, string> = new Map([["/health", "/healthz"]])

/**
 * Matches Google's addresses without `models/`, which several clients omit if a model's name contains a slash, and
 * addresses with Vertex AI's folders.
 */
const MODEL_METHOD = new RegExp(
  `^/v1(?:alpha|beta1?)?/(?!tunedModels/)(?:(?:.+/)?models/)?(.+:(?:${GOOGLE_METHODS.join("|")}))$`,
)

/**
 * Returns the only endpoint that an address can mean. The address may have extra slashes, a repeated or missing `/v1`,
 * or Azure's form.
 * @param isKnown whether a path belongs to an endpoint.
 * @returns undefined if there is no such endpoint.
 */
export function intendedAddress(
  pathname: string,
  isKnown: (path: string) => boolean,
): IntendedAddress | undefined {
  const parts = pathname.split("/").filter((part) => part !== "")
  const tidy = `/${parts.join("/")}`
  if (isKnown(tidy)) return { path: tidy }
  const [, deployment, operation] = DEPLOYMENT.exec(tidy) ?? []
  if (deployment !== undefined && isKnown(`/v1/${operation}`)) {
    return { path: `/v1/${operation}`, model: decoded(deployment) }
  }
  const alias = ALIASES.get(tidy)
  if (alias !== undefined) return { path: alias }
  const [, method] = MODEL_METHOD.exec(tidy) ?? []
  if (method !== undefined) return { path: `${GOOGLE_MODEL_PATHS[0]}/${method}` }
  const habits = parts.findIndex((part) => !HABITS.has(part))
  const rest = parts.slice(habits).join("/")
  const path = [`/v1/${rest}`, `/${rest}`].find(isKnown)
  return path === undefined ? undefined : { path }
}
