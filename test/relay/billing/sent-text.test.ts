import { afterAll, beforeAll, expect, spyOn, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { maxTextTokens, normalizationGrowth } from "../../../src/canon/text-bytes.ts"
import { CHAT, nanocredits, onlyReceipt } from "../support.ts"

/** A token of cl100k_base with 114 characters. */
const LONG_TOKEN = 90_280
/** Number of tokens that a vendor counts for each character: one, or more for characters that it normalizes. */
let tokensPerCharacter = 1
let vendor: Bun.Server<undefined>
let gateway: TestGateway

type Body = Record<string, unknown>

/** Returns the texts of an embedding or rerank request, in the format of any vendor. */
function textsOf(body: Body): string[] {
  if (Array.isArray(body["requests"])) {
    return (body["requests"] as { content: { parts: { text: string }[] } }[]).map(
      ({ content }) => content.parts[0]?.text ?? "",
    )
  }
  const query = body["query"] === undefined ? [] : [body["query"]]
  const texts = body["texts"] ?? body["input"] ?? body["documents"] ?? body["inputText"] ?? []
  return [...query, ...[texts].flat()] as string[]
}

function answer(body: Body, path: string): Body {
  const texts = textsOf(body)
  const tokens = texts.join("").length * tokensPerCharacter
  if (path.endsWith("/rerank")) {
    const results = [{ index: 0, relevance_score: 0.5 }]
    return {
      results,
      meta: { billed_units: { input_tokens: tokens } },
      usage: { total_tokens: tokens },
    }
  }
  if (body["inputText"] !== undefined) return { embedding: [0.1], inputTextTokenCount: tokens }
  if (body["texts"] !== undefined) {
    const meta = { billed_units: { input_tokens: tokens } }
    return { id: "1", embeddings: { float: texts.map(() => [0.1]) }, meta }
  }
  if (body["requests"] !== undefined) {
    return {
      embeddings: texts.map(() => ({ values: [0.1] })),
      usageMetadata: { promptTokenCount: tokens },
    }
  }
  const data = texts.map((_, index) => ({ object: "embedding", index, embedding: [0.1] }))
  return {
    object: "list",
    model: "x",
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

const EMBEDDING = { kind: "embedding", price: { input: "100" } } as const
const MODELS = [
  "cohere/embed",
  "jina/embed",
  "voyage/embed",
  "google/embed",
  "bedrock/amazon.titan-embed-text-v2:0",
]

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      return Response.json(answer((await request.json()) as Body, new URL(request.url).pathname))
    },
  })
  const url = `http://127.0.0.1:${vendor.port}`
  gateway = await startGateway({
    providers: {
      cohere: provider(url, "cohere"),
      jina: provider(`${url}/v1`, "jina"),
      voyage: provider(`${url}/v1`, "voyage"),
      google: provider(url, "google"),
      bedrock: provider(url, "bedrock"),
    },
    models: {
      ...Object.fromEntries(MODELS.map((id) => [id, EMBEDDING])),
      "sim/model": simulated({
        context: 2_000_000,
        deployments: [{ provider: "sim", model: "echo", weight: 1 }],
      }),
      "jina/rerank": { kind: "rerank", price: { input: "100" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

/**
 * Sends a request, and checks that nothing was written off and that the hold covered the charge.
 * @returns the charge.
 */
async function charge(path: string, body: object): Promise<bigint> {
  const caller = await gateway.caller("100")
  const before = await caller.balance()
  const response = await caller.post(path, body)
  expect([response.status, await response.text()]).toMatchObject([200, expect.any(String)])
  const { cost, hold } = await onlyReceipt(gateway, caller)
  expect(nanocredits(cost)).toBeLessThanOrEqual(nanocredits(hold))
  const charged = before - (await caller.balance())
  expect(charged).toBe(nanocredits(cost))
  return charged
}

for (const model of MODELS) {
  test(`${model}: tokens that the gateway sends as text are held and charged as text`, async () => {
    tokensPerCharacter = 1
    const input = Array.from({ length: 3 }, () => [LONG_TOKEN, LONG_TOKEN, LONG_TOKEN])
    // The price is 100 credits per million tokens. Each of the nine ids has 114 tokens.
    expect(await charge("/v1/embeddings", { model, input })).toBe(9n * 114n * 100_000n)
  })
}

/** Characters that published tokenizers normalize, with the number of tokens for each. */
const NORMALIZED = [
  ["\ufdfa", 15],
  ["\u0f76", 6],
  ["\ufb2c", 5],
  ["\u0344", 4],
] as const

for (const [character, tokens] of NORMALIZED) {
  const code = character.charCodeAt(0).toString(16)
  const text = character.repeat(2_000)
  const cost = BigInt(2_000 * tokens) * 100_000n

  test(`the hold for embeddings of U+${code} covers the tokens of its normal form`, async () => {
    tokensPerCharacter = tokens
    expect(await charge("/v1/embeddings", { model: "cohere/embed", input: text })).toBe(cost)
  })

  test(`the hold for a rerank request with U+${code} covers the tokens of its normal form`, async () => {
    tokensPerCharacter = tokens
    const body = { model: "jina/rerank", query: character, documents: [text] }
    expect(await charge("/v1/rerank", body)).toBe(cost + BigInt(tokens) * 100_000n)
  })
}

test("the hold for a chat covers the tokens of its text in normal form, even if the text has escapes", async () => {
  for (const [character, tokens] of NORMALIZED) {
    const text = character.repeat(2_000)
    const escaped = String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
    for (const [written, times] of [
      [text, 1],
      [escaped.repeat(2_000), 1],
      // The text is longer than one read.
      [text, 10],
    ] as const) {
      const caller = await gateway.caller("100")
      const body = `{"model":"sim/model","messages":[{"role":"user","content":"${written.repeat(times)}"}]}`
      const response = await fetch(`${gateway.url}${CHAT}`, {
        method: "POST",
        headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
        body,
      })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
      const { hold } = await onlyReceipt(gateway, caller)
      // The price is one credit per million tokens.
      expect(nanocredits(hold)).toBeGreaterThan(BigInt(2_000 * times * tokens) * 1_000n)
    }
  }
})

test("the token bound of a text covers its own bytes and its normal forms", () => {
  for (const text of [
    "plain",
    "Größe “so” 😀",
    "今天天气很好",
    "\ufdfa",
    "ａ\u0f76",
    "\ud834\udd60",
    "\ud800x",
  ]) {
    const forms = [text, text.normalize("NFC"), text.normalize("NFKC")].map((each) =>
      Buffer.byteLength(each),
    )
    expect(maxTextTokens(text)).toBeGreaterThanOrEqual(Math.max(...forms))
  }
  expect(normalizationGrowth("plain Größe “so” 😀 今天天气很好")).toBe(0)
  expect(maxTextTokens("\ufdfa")).toBe(33)
})

test("the token bound of an ASCII text is computed without reading its characters", () => {
  const text = "\\u0001 plain".repeat(1_000)
  using characters = spyOn(String.prototype, "charCodeAt")
  const growth = normalizationGrowth(text)
  expect(characters).not.toHaveBeenCalled()
  expect(growth).toBe(0)
})
