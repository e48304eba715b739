import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { ClientDialect, UpstreamDialect } from "../../src/canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { fitLimits } from "../../src/relay/fitting/own-limits.ts"
import { openEnvelopes, ReasoningSigner } from "../../src/relay/chat/reasoning-envelope.ts"
import { CLIENTS, MODELS, UPSTREAMS } from "./dialects.ts"
import {
  expectGolden,
  expectOnly,
  hasGolden,
  listGolden,
  readGolden,
} from "./golden-file.ts"
import { inTurn } from "./in-turn.ts"
import { printJson } from "./print-json.ts"

/**
 * `requests/<case>/<client>.json` is a caller's request that was written by hand. `<client>--<upstream>.json` contains
 * the request to a vendor and the losses. In each case, the vendors are divided among the clients, so that every vendor
 * has a file. All pairs are encoded.
 */
const ROOT = "requests"

/** Cases that depend on both the client and the vendor: names and ids of calls, and signed reasoning. */
const ALL_PAIRS = new Set([
  "reasoning-from-this-vendor",
  "reasoning-with-signatures",
  "two-parallel-tools",
])

const signer = new ReasoningSigner("golden")
const PROVIDER = "vendor"

const seen = new Set<string>()

for (const name of listGolden(ROOT)) {
  // Some dialects cannot express some features.
  const clients = CLIENTS.filter(({ id }) => hasGolden(`${ROOT}/${name}/${id}.json`))
  describe(`the golden request ${name}`, () => {
    const kept: string[] = []
    for (const [position, client] of clients.entries()) {
      const written = readGolden(`${ROOT}/${name}/${client.id}.json`)
      const share = inTurn(UPSTREAMS, name, { position, of: clients.length })
      for (const upstream of UPSTREAMS) {
        const pair = `${client.id}--${upstream.id}`
        const isKept = ALL_PAIRS.has(name) || share.includes(upstream)
        if (isKept) {
          kept.push(`${pair}.json`)
          seen.add(pair)
        }
        test(`translates from ${client.id} to ${upstream.id}${isKept ? "" : ", without a golden file"}`, () => {
          const { body, losses } = wayUp(written, client, upstream)
          const lost = losses.map(({ name: field, effect }) => `${field}:${effect}`)
          const text = printJson({ losses: lost, body })
          if (isKept) expectGolden(`${ROOT}/${name}/${pair}.json`, text)
          else expect(Object.keys(body)).not.toBeEmpty()
        })
      }
    }
    test("has no unused golden files", () => expectOnly(`${ROOT}/${name}`, kept))
  })
}

test("the golden requests include each combination of client and vendor", () => {
  expect(seen.size).toBe(CLIENTS.length * UPSTREAMS.length)
})

/** Performs the steps of the relay for a request, except those that need a gateway. */
function wayUp(written: string, client: ClientDialect, upstream: UpstreamDialect) {
  const asked = JSON.parse(written, signedFor(upstream)) as JsonObject
  const request = fetched(client.decodeRequest(asked), upstream)
  const { messages } = openEnvelopes(request, signer, PROVIDER)
  const isMany = upstream.supports.n !== "carried"
  const { maxTokens } = request
  const taken = upstream.responseLimits(MODELS[upstream.id])
  const fitted = fitLimits(request, maxTokens, taken, client.reportsStop)
  return upstream.encodeRequest({
    ...request,
    ...(fitted === undefined ? {} : { stop: fitted.stop }),
    messages,
    model: MODELS[upstream.id],
    streamUsage: true,
    choices: isMany ? 1 : request.choices,
  })
}

/** Returns the signature that replaces `<signed>`: a signature of this vendor, in the form that a caller receives. */
function signedFor({ id: signedBy }: UpstreamDialect) {
  // OpenAI's reasoning has ids, which must be sent back.
  const named = signedBy === "openai-responses" ? { id: "rs_1" } : {}
  const signed = { signedBy, signature: "c2lnbmVkIGJ5IHRoaXMgdmVuZG9y", ...named }
  const redacted = { signedBy, signature: "cmVkYWN0ZWQgYnkgdGhpcyB2ZW5kb3I=", isRedacted: true }
  return (_name: string, value: JsonValue): JsonValue => {
    if (value === "<signed>") return signer.sign(signed, PROVIDER)
    return value === "<signed and redacted>" ? signer.sign(redacted, PROVIDER) : value
  }
}

/**
 * Replaces addresses of files with bytes if the vendor does not accept addresses. The gateway would fetch the files.
 * Here, their content is always the same few bytes.
 */
function fetched(request: ChatRequest, { supports }: UpstreamDialect): ChatRequest {
  const inline = { image: supports["image.url"], file: supports["file.url"] }
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (part.type !== "image" && part.type !== "file") return part
      if (part.source.type !== "url" || inline[part.type] !== "approximated") return part
      const mediaType = part.type === "image" ? "image/png" : "application/pdf"
      return { ...part, source: { type: "base64", data: "ZmV0Y2hlZA==", mediaType } as const }
    }),
  }))
  return { ...request, messages }
}
