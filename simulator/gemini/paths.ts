/** The parameters in the address of a request (docs/contribute/wire/gemini.md#f1). */
export interface Call {
  readonly version: string
  /** The model as the address names it, including the project if there is one. */
  readonly resource: string
  readonly model: string
  readonly method: string
  readonly isStream: boolean
  /** Whether a stream consists of server-sent events. Otherwise the stream is one JSON list. */
  readonly isSse: boolean
  readonly isVertex: boolean
  /** The API key in the query; undefined if there is none. */
  readonly key: string | undefined
}

const DEVELOPER = /^\/(v1beta|v1alpha|v1)\/models\/([^/:]+):(\w+)$/
const VERTEX =
  /^\/(v1|v1beta1)\/(projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/([^/:]+)):(\w+)$/

const METHODS = new Set(["generateContent", "streamGenerateContent"])

/** Whether a path belongs to this format. */
export function isOurs(path: string): boolean {
  return METHODS.has(path.slice(path.lastIndexOf(":") + 1)) && partsOf(path) !== undefined
}

/** Parses an address of this format, with its query. */
export function readCall(address: string): Call {
  const [path = "", query = ""] = address.split("?")
  const { version, resource, model, method, isVertex } = partsOf(path) ?? NOTHING
  const parameters = new URLSearchParams(query)
  return {
    version,
    resource,
    model: decodeURIComponent(model),
    method,
    isStream: method === "streamGenerateContent",
    isSse: parameters.get("alt") === "sse",
    isVertex,
    key: parameters.get("key") ?? undefined,
  }
}

type PathParts = Pick<Call, "version" | "resource" | "model" | "method" | "isVertex">

const NOTHING: PathParts = { version: "", resource: "", model: "", method: "", isVertex: false }

function partsOf(path: string): PathParts | undefined {
  const developer = DEVELOPER.exec(path)
  if (developer !== null) {
    const [, version = "", model = "", method = ""] = developer
    return { version, resource: `models/${model}`, model, method, isVertex: false }
  }
  const vertex = VERTEX.exec(path)
  if (vertex === null) return undefined
  const [, version = "", resource = "", model = "", method = ""] = vertex
  return { version, resource, model, method, isVertex: true }
}
