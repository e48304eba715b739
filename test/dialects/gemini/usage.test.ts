import { describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE, type Usage } from "../../../src/canon/usage.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { response } from "./support.ts"

function usageOf(usageMetadata: JsonObject): Usage | undefined {
  return GEMINI.decodeResult({ ...response([]), usageMetadata }).usage
}

function sound(tokenCount: number): JsonObject[] {
  return [
    { modality: "TEXT", tokenCount: 1 },
    { modality: "AUDIO", tokenCount },
  ]
}

describe("Gemini usage", () => {
  test.each<[string, JsonObject, Partial<Usage>]>([
    [
      "thoughts are separate from the candidates",
      {
        promptTokenCount: 10,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 5,
        totalTokenCount: 35,
      },
      { inputFresh: 10, output: 25, reasoning: 5 },
    ],
    [
      "input from server tools counts as input",
      { promptTokenCount: 10, toolUsePromptTokenCount: 100, totalTokenCount: 110 },
      { inputFresh: 110 },
    ],
    [
      "the cached part is a part of the prompt",
      { promptTokenCount: 10, cachedContentTokenCount: 4, totalTokenCount: 10 },
      { inputFresh: 6, inputCacheRead: 4 },
    ],
    [
      "cached input is limited to the prompt",
      { promptTokenCount: 10, cachedContentTokenCount: 40, totalTokenCount: 10 },
      { inputCacheRead: 10 },
    ],
    [
      "audio is counted in input and output",
      {
        promptTokenCount: 50,
        promptTokensDetails: sound(30),
        candidatesTokenCount: 40,
        candidatesTokensDetails: sound(35),
        totalTokenCount: 90,
      },
      { inputFresh: 20, audioInput: 30, output: 5, audioOutput: 35 },
    ],
    [
      "cached audio is read from the cache",
      {
        promptTokenCount: 50,
        promptTokensDetails: sound(30),
        cachedContentTokenCount: 25,
        cacheTokensDetails: sound(20),
        totalTokenCount: 50,
      },
      { inputFresh: 15, audioInput: 10, inputCacheRead: 5, audioCacheRead: 20 },
    ],
    [
      "images are counted apart from text",
      {
        promptTokenCount: 9,
        candidatesTokenCount: 1295,
        candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1290 }],
      },
      { inputFresh: 9, output: 5, imageOutput: 1290 },
    ],
    [
      "an empty answer has no output",
      { promptTokenCount: 14, totalTokenCount: 14 },
      { inputFresh: 14 },
    ],
    ["invalid values count as zero", { promptTokenCount: "x", totalTokenCount: -1 }, {}],
  ])("%s", (_, reported, expected) => {
    expect(usageOf(reported)).toEqual({ ...NO_USAGE, ...expected })
  })

  test("stays undefined if the response reports no token counts", () => {
    expect(usageOf({ trafficType: "ON_DEMAND" })).toBeUndefined()
    expect(GEMINI.decodeResult(response([])).usage).toBeUndefined()
  })
})

interface OracleCase {
  readonly body: { readonly usageMetadata?: JsonObject; readonly file: string }
  readonly extracted: readonly {
    readonly usage: Readonly<Record<string, number>>
    readonly extractors: readonly { readonly provider_id: string; readonly api_flavor: string }[]
  }[]
}

/** Converts a usage to the oracle's classes, in which input and output include their parts. */
function inOraclesWords(usage: Usage): Record<string, number> {
  const words = {
    input_tokens: usage.inputFresh + usage.inputCacheRead + usage.audioInput,
    cache_read_tokens: usage.inputCacheRead,
    input_audio_tokens: usage.audioInput,
    output_tokens: usage.output + usage.audioOutput + usage.imageOutput,
    output_reasoning_tokens: usage.reasoning,
    output_audio_tokens: usage.audioOutput,
  }
  return Object.fromEntries(Object.entries(words).filter(([, quantity]) => quantity !== 0))
}

/** Matches counts that the oracle divides further than prices do. */
const FINER = /_(text|image|tool|video|document)_|_tool_tokens$/

describe(`Gemini usage compared with the oracle${WITHOUT_FIXTURES}`, () => {
  const cases = HAS_FIXTURES
    ? (JSON.parse(readFixture("prices/genai-prices.usages-oracle.json")) as OracleCase[])
    : []
  let compared = 0
  for (const [index, { body, extracted }] of cases.entries()) {
    for (const { usage: expected, extractors } of extracted) {
      const isGoogle = extractors.some(({ provider_id: provider }) => provider === "google")
      if (!isGoogle || !isJsonObject(body.usageMetadata)) continue
      const reported = body.usageMetadata
      compared++
      test(`matches the oracle: ${index} ${body.file.replace(/^.*\//, "")}`, () => {
        const usage = usageOf(reported)
        if (usage === undefined) throw new Error("no usage")
        const words = Object.entries(expected).filter(([name]) => !FINER.test(name))
        expect(inOraclesWords(usage)).toEqual(Object.fromEntries(words))
      })
    }
  }

  test.skipIf(!HAS_FIXTURES)(`covers more than 15 recorded bodies${WITHOUT_FIXTURES}`, () => {
    expect(compared).toBeGreaterThan(15)
  })
})
