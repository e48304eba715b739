import type { Upstream } from "./six-upstreams.ts"

/** What is known of the simulated vendor behind an upstream, from the outside. */
interface UpstreamFacts {
  /** Its model tells its thoughts without being asked to. */
  readonly tellsThoughts: boolean
  /** Its usage tells how many tokens were thought. */
  readonly countsThoughts: boolean
  /** Its streams tell from the first frame on how many tokens have been written so far. */
  readonly countsAlong: boolean
  /** Its reasoning comes with a proof that it wants back. */
  readonly signs: boolean
  /** Its model withholds what it thought when it is told to. */
  readonly withholds: boolean
  /** It can be held to a JSON schema; else a tool stands in. */
  readonly hasSchema: boolean
  /** What it makes of an image's address: it looks itself, or the gateway looks for it. */
  readonly imageByUrl: string
  /** It caches only what is marked. */
  readonly needsCacheMark: boolean
  /** Its bill does not say what was read from a cache. */
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

/** Members in which the vendors' formats hold what proves reasoning. */
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
