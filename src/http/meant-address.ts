import { GOOGLE_METHODS, GOOGLE_MODEL_PATHS } from "./v1/google-address.ts"

/** Where a request was probably meant to go. */
export interface MeantAddress {
  readonly path: string
  /** The model that an address of Azure's names. */
  readonly model?: string
}

/** What clients put before the path of an endpoint, by how base addresses of vendors and routers are usually written. */
const HABITS = new Set(["v1", "openai", "anthropic", "api", "v1beta", "v1alpha", "v1beta1"])
/** Azure OpenAI: `/openai/deployments/{deployment}/chat/completions?api-version=…`. A model's name may hold slashes. */
const DEPLOYMENT =
  /^\/openai\/deployments\/(.+?)\/((?:chat|images|audio)\/[a-z]+|embeddings|responses)$/
/** What servers of models and their load tests call the same. */
const ALIASES: ReadonlyMap<string, string> = new Map([["/health", "/healthz"]])

/** Google: without `models/`, as several clients write a model with a slash in its name, or with Vertex AI's folders before it. */
const MODEL_METHOD = new RegExp(
  `^/v1(?:alpha|beta1?)?/(?!tunedModels/)(?:(?:.+/)?models/)?(.+:(?:${GOOGLE_METHODS.join("|")}))$`,
)

/**
 * The address of ours that another one can only mean: with slashes too many, with `/v1` twice or not at all, or as Azure has it.
 * @param isKnown whether a path is an endpoint's.
 * @returns undefined when there is none.
 */
export function meantAddress(
  pathname: string,
  isKnown: (path: string) => boolean,
): MeantAddress | undefined {
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

/** What cannot be decoded is not the name of a model, and is reported as such. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
