import type { Upstream } from "./six-upstreams.ts"

/** External facts about the simulated vendor behind an upstream. */
interface UpstreamFacts {
  /** Whether its model shows its thoughts by default. */
  readonly tellsThoughts: boolean
  /** Whether its usage contains the number of thinking tokens. */
  readonly countsThoughts: boolean
  /** Its streams tell from the first frame on how many tokens have been written so far. */
  readonly countsAlong: boolean
  /** Whether its reasoning has a signature that must come back. */
  readonly signs: boolean
  /** Whether its model can withhold its thoughts on request. */
  readonly withholds: boolean
  /** It can be held to a JSON schema; else a tool stands in. */
  readonly hasSchema: boolean
  /** The effect of an image's address: the vendor fetches it, or the gateway does. */
  readonly imageByUrl: string
  /** Whether it caches only marked prompts. */
  readonly needsCacheMark: boolean
  /** Whether its bill omits cached tokens. */
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

/** Members in which the vendors' formats contain the signature of reasoning. */
const PROOFS = new Set([
  "signature",
  "data",
  "encrypted_content",
  "thoughtSignature",
  "redactedContent",
])

/** All proofs of reasoning in a body that a vendor got, wherever they stand. */
export function proofsIn(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(proofsIn)
  if (typeof body !== "object" || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    PROOFS.has(name) && typeof value === "string" ? [value] : proofsIn(value),
  )
}
