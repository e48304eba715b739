import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { NO_USAGE, totalInput } from "../../../src/canon/usage.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { decodeUsage } from "../../../src/dialects/bedrock-converse/usage.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"

function response(content: JsonValue[], more: JsonObject = {}): JsonObject {
  return {
    output: { message: { role: "assistant", content } },
    stopReason: "end_turn",
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    metrics: { latencyMs: 1 },
    ...more,
  }
}

describe("the Bedrock response decoder", () => {
  test("decodes reasoning, text and calls in order", () => {
    const body = response(
      [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "s" } } },
        { reasoningContent: { redactedContent: "AAAA" } },
        { text: "Let me look." },
        { toolUse: { toolUseId: "t1", name: "look", input: { at: [1] } } },
        { toolUse: { toolUseId: "t2", name: "now", input: {} } },
      ],
      { stopReason: "tool_use" },
    )
    expect(BEDROCK_CONVERSE.decodeResult(body)).toEqual({
      choices: [
        {
          index: 0,
          parts: [
            { type: "reasoning", text: "Hm", signature: "s", signedBy: "bedrock-converse" },
            {
              type: "reasoning",
              text: "",
              signature: "AAAA",
              signedBy: "bedrock-converse",
              isRedacted: true,
            },
            { type: "text", text: "Let me look." },
            { type: "tool-call", id: "t1", name: "look", arguments: '{"at":[1]}' },
            { type: "tool-call", id: "t2", name: "now", arguments: "{}" },
          ],
          finish: "tool-calls",
        },
      ],
      usage: { ...NO_USAGE, inputFresh: 3, output: 2 },
    })
  })

  test("joins cited text with the text around it", () => {
    const body = response([
      { text: "It says " },
      {
        citationsContent: {
          content: [{ text: "yes" }],
          citations: [{ title: "A", sourceContent: [{ text: "y" }, { text: "es" }] }, 7],
        },
      },
      { text: "." },
    ])
    expect(BEDROCK_CONVERSE.decodeResult(body).choices[0]?.parts).toEqual([
      {
        type: "text",
        text: "It says yes.",
        citations: [{ title: "A", quote: "yes", start: 8, end: 11 }],
      },
    ])
  })

  test("skips unknown blocks", () => {
    const body = response([{ hologram: {} }, 7, { image: { format: "png" } }, { text: "Hi" }])
    expect(BEDROCK_CONVERSE.decodeResult(body).choices[0]?.parts).toEqual([
      { type: "text", text: "Hi" },
    ])
  })

  test("accepts a response that has no text and no usage", () => {
    const { usage: _, ...body } = response([], { stopReason: "guardrail_intervened" })
    expect(BEDROCK_CONVERSE.decodeResult(body)).toEqual({
      choices: [
        {
          index: 0,
          parts: [],
          finish: "content-filter",
          rawFinish: "guardrail_intervened",
        },
      ],
    })
  })

  test("reports the request's only stop string if the response does not name the matched string", () => {
    const body = response([{ text: "a" }], { stopReason: "stop_sequence" })
    const stoppedBy = (stop: readonly string[]) => {
      const request = { model: "amazon.nova-pro-v1:0", messages: [], stop, choices: 1 }
      const asked = { ...request, stream: false, streamUsage: false }
      return BEDROCK_CONVERSE.decodeResult(body, asked).choices[0]?.stopSequence
    }
    expect(stoppedBy(["END"])).toBe("END")
    expect(stoppedBy(["END", "FIN"])).toBeUndefined()
  })

  test("reports the stop string that the response names", () => {
    const body = response([{ text: "a" }], {
      stopReason: "stop_sequence",
      additionalModelResponseFields: { stop_sequence: "END" },
    })
    expect(BEDROCK_CONVERSE.decodeResult(body).choices[0]).toMatchObject({
      finish: "stop",
      rawFinish: "stop_sequence",
      stopSequence: "END",
    })
  })

  test.each<[string, JsonObject]>([
    ["an empty object", {}],
    ["an answer of another kind", { choices: [] }],
    ["Amazon's answer for an unknown path", { Output: { __type: "Unknown" } }],
    ["a message without content", { output: { message: { role: "assistant" } } }],
  ])("rejects %s", (_, body) => {
    expect(() => BEDROCK_CONVERSE.decodeResult(body)).toThrow(GatewayError)
  })
})

describe("the Bedrock usage decoder", () => {
  test("counts cached tokens in addition to the input", () => {
    const usage = decodeUsage({
      inputTokens: 3,
      outputTokens: 121,
      cacheReadInputTokens: 1712,
      cacheWriteInputTokens: 236,
      totalTokens: 2072,
    })
    expect(usage).toEqual({
      ...NO_USAGE,
      inputFresh: 3,
      inputCacheRead: 1712,
      inputCacheWrite: 236,
      output: 121,
    })
    expect(totalInput(usage!)).toBe(1951)
  })

  test("separates one-hour cache writes", () => {
    const usage = decodeUsage({
      inputTokens: 1,
      outputTokens: 1,
      cacheWriteInputTokens: 300,
      cacheDetails: [{ ttl: "1h", inputTokens: 200 }, { ttl: "5m", inputTokens: 100 }, 7],
    })
    expect(usage).toMatchObject({ inputCacheWrite: 100, inputCacheWrite1h: 200 })
  })

  test("limits cache writes of one hour to the total of cache writes", () => {
    const usage = decodeUsage({
      inputTokens: 1,
      outputTokens: 1,
      cacheWriteInputTokens: 50,
      cacheDetails: [{ ttl: "1h", inputTokens: 200 }],
    })
    expect(usage).toMatchObject({ inputCacheWrite: 0, inputCacheWrite1h: 50 })
  })

  test("reads older field names if the newer names are missing", () => {
    const usage = decodeUsage({
      inputTokens: 1,
      outputTokens: 1,
      cacheReadInputTokenCount: 5,
      cacheWriteInputTokenCount: 6,
    })
    expect(usage).toMatchObject({ inputCacheRead: 5, inputCacheWrite: 6 })
  })

  test("counts impossible and missing quantities as zero, and reads numbers written as text", () => {
    const usage = decodeUsage({ inputTokens: -4, outputTokens: "7", cacheReadInputTokens: null })
    expect(usage).toEqual({ ...NO_USAGE, output: 7 })
    expect(decodeUsage(undefined)).toBeUndefined()
    expect(decodeUsage({})).toBeUndefined()
    expect(decodeUsage({ totalTokens: 4 })).toBeUndefined()
    expect(decodeUsage([1])).toBeUndefined()
  })
})

interface OracleCase {
  readonly body: { readonly usage?: JsonObject }
  readonly extracted: readonly {
    readonly usage: Readonly<Record<string, number>>
    readonly extractors: readonly { provider_id: string; api_flavor: string }[]
  }[]
}

test.skipIf(!HAS_FIXTURES)(
  `Bedrock usage agrees with the independent oracle${WITHOUT_FIXTURES}`,
  () => {
    const cases: OracleCase[] = JSON.parse(readFixture("prices/genai-prices.usages-oracle.json"))
    let compared = 0
    for (const { body, extracted } of cases) {
      const usage = decodeUsage(body.usage)
      const expected = extracted.find(({ extractors }) =>
        extractors.some(({ provider_id, api_flavor }) =>
          `${provider_id}/${api_flavor}`.startsWith("aws/default"),
        ),
      )?.usage
      if (usage === undefined || expected === undefined) continue
      expect(totalInput(usage)).toBe(expected.input_tokens ?? 0)
      expect(usage.output).toBe(expected.output_tokens ?? 0)
      expect(usage.inputCacheRead).toBe(expected.cache_read_tokens ?? 0)
      expect(usage.inputCacheWrite).toBe(expected.cache_write_tokens ?? 0)
      compared++
    }
    expect(compared).toBe(2)
  },
)
