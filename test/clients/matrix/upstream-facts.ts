import type { Upstream } from "./six-upstreams.ts"

/** The externally visible behavior of the simulated vendor of an upstream. */
interface UpstreamFacts {
  /** Its model shows its thoughts without a request for them. */
  readonly tellsThoughts: boolean
  /** Its usage reports the number of thought tokens. */
  readonly countsThoughts: boolean
  /** Its streams tell from the first frame on how many tokens have been written so far. */
  readonly countsAlong: boolean
  /** Its reasoning has a signature that it requires back. */
  readonly signs: boolean
  /** Its model can withhold its thoughts. */
  readonly withholds: boolean
  /** It supports JSON schemas; otherwise a tool replaces them. */
  readonly hasSchema: boolean
  /** Its handling of an image's address: it fetches the image itself, or the gateway does. */
  readonly imageByUrl: string
  /** It caches only marked parts. */
  readonly needsCacheMark: boolean
  /** Its bill does not report tokens read from a cache. */
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

/** All signatures of reasoning in a vendor's request, at any place. */
export function proofsIn(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(proofsIn)
  if (typeof body !== "object" || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    PROOFS.has(name) && typeof value === "string" ? [value] : proofsIn(value),
  )
}
