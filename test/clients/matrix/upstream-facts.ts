import type { Upstream } from "./six-upstreams.ts"

/** The behavior of the simulated vendor of an upstream, as seen from outside. */
interface UpstreamFacts {
  /** Whether the model returns its thoughts without a request for them. */
  readonly tellsThoughts: boolean
  /** Whether the usage reports the number of thought tokens. */
  readonly countsThoughts: boolean
  /** Whether each frame of a stream, from the first on, reports the number of tokens so far. */
  readonly countsAlong: boolean
  /** Whether reasoning has a signature that must be sent back. */
  readonly signs: boolean
  /** Whether the model can withhold its thoughts. */
  readonly withholds: boolean
  /** Whether JSON schemas are supported. Otherwise, a tool replaces them. */
  readonly hasSchema: boolean
  /** How an image address is handled: the vendor or the gateway fetches the image. */
  readonly imageByUrl: string
  /** Whether only marked parts are cached. */
  readonly needsCacheMark: boolean
  /** Whether usage omits tokens that were read from a cache. */
  readonly billsNoCache: boolean
}

const OWN_LOOK = "[image url]"
const FETCHED = "[image 40x30 png]"

export const FACTS: Readonly<Record<Upstream, UpstreamFacts>> = {
  "openai-chat": {
    tellsThoughts: false,
    countsThoughts: true,
    countsAlong: false,
    signs: false,
    withholds: false,
    hasSchema: true,
    imageByUrl: OWN_LOOK,
    needsCacheMark: false,
    billsNoCache: false,
  },
  "openai-responses": {
    tellsThoughts: false,
    countsThoughts: true,
    countsAlong: false,
    signs: true,
    withholds: false,
    hasSchema: true,
    imageByUrl: OWN_LOOK,
    needsCacheMark: false,
    billsNoCache: false,
  },
  "anthropic-messages": {
    tellsThoughts: true,
    countsThoughts: true,
    countsAlong: false,
    signs: true,
    withholds: true,
    hasSchema: true,
    imageByUrl: OWN_LOOK,
    needsCacheMark: true,
    billsNoCache: false,
  },
  gemini: {
    tellsThoughts: true,
    countsThoughts: true,
    countsAlong: true,
    signs: true,
    withholds: false,
    hasSchema: true,
    imageByUrl: FETCHED,
    needsCacheMark: false,
    billsNoCache: false,
  },
  "bedrock-converse": {
    tellsThoughts: true,
    countsThoughts: false,
    countsAlong: false,
    signs: true,
    withholds: true,
    hasSchema: false,
    imageByUrl: FETCHED,
    needsCacheMark: true,
    billsNoCache: false,
  },
  "cohere-chat": {
    tellsThoughts: true,
    countsThoughts: true,
    countsAlong: false,
    signs: false,
    withholds: false,
    hasSchema: true,
    imageByUrl: OWN_LOOK,
    needsCacheMark: false,
    billsNoCache: true,
  },
}

/** Fields of the vendors' formats that contain signatures of reasoning. */
const PROOFS = new Set([
  "signature",
  "data",
  "encrypted_content",
  "thoughtSignature",
  "redactedContent",
])

/** Returns all signatures of reasoning in a request to a vendor. */
export function proofsIn(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(proofsIn)
  if (typeof body !== "object" || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    PROOFS.has(name) && typeof value === "string" ? [value] : proofsIn(value),
  )
}
