import { GOOGLE_METHODS, GOOGLE_MODEL_PATHS } from "./v1/google-address.ts"

/** The address a request was probably meant for. */
export interface IntendedAddress {
  readonly path: string
  /** The model named in an address of Azure. */
  readonly model?: string
}

/** Path prefixes that clients use, from the usual base addresses of vendors and routers. */
const HABITS = new Set(["v1", "openai", "anthropic", "api", "v1beta", "v1alpha", "v1beta1"])
/**
 * Matches Azure OpenAI: `/openai/deployments/{deployment}/chat/completions?api-version=…`. Model names may contain
 * slashes.
 */
const DEPLOYMENT =
  /^\/openai\/deployments\/(.+?)\/((?:chat|images|audio)\/[a-z]+|embeddings|responses)$/
/** Equivalent paths of model servers and their load tests. */
const ALIASES: ReadonlyMap<string, string> = new Map([["/health", "/healthz"]])

/**
 * Matches addresses of Google: without `models/`, as several clients write a model with a slash in its name, or with
 * Vertex AI's folders before it.
 */
const MODEL_METHOD = new RegExp(
  `^/v1(?:alpha|beta1?)?/(?!tunedModels/)(?:(?:.+/)?models/)?(.+:(?:${GOOGLE_METHODS.join("|")}))$`,
)

/**
 * Returns the only endpoint that an address can mean, if it has extra slashes, `/v1` twice or not at all, or the form
 * of Azure.
 * @param isKnown returns whether a path is that of an endpoint.
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

/** Decodes a model name. Invalid encodings are kept, and reported as an unknown model. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
