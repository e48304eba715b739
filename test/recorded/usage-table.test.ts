import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { receiptOf } from "./checks.ts"
import { askStream, askWhole, CALLER_FORMATS } from "./caller-formats.ts"
import { creditsText, plainCost, type PlainUsage, shown } from "./plain-price.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"
import { stagedResponse } from "./stage-vendor-responses.ts"
import { toldUsage, totals, totalsIn } from "./reported-usage.ts"
import { type Ending, writtenResponse } from "./written-responses.ts"

/** A row of docs/contribute/wire/README.md#f4: a vendor's fields, and the expected usage, computed by hand. */
interface Row {
  readonly name: string
  readonly dialect: DialectId
  readonly usage: JsonObject
  readonly means: Partial<PlainUsage>
}

const ROWS: readonly Row[] = [
  {
    name: "OpenAI chat: cached and written tokens inside the prompt, reasoning inside the completion",
    dialect: "openai-chat",
    usage: {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 10, audio_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 4 },
    },
    means: {
      input: 55,
      cached_input: 30,
      cache_write: 10,
      audio_input: 5,
      output: 46,
      audio_output: 4,
      reasoning: 20,
    },
  },
  {
    name: "xAI chat: reasoning outside the completion",
    dialect: "openai-chat",
    usage: {
      prompt_tokens: 100,
      completion_tokens: 30,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    means: { input: 60, cached_input: 40, output: 50, reasoning: 20 },
  },
  {
    name: "more cached tokens than prompt, as recorded for Grok at Azure",
    dialect: "openai-chat",
    usage: {
      prompt_tokens: 7,
      completion_tokens: 5,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 163 },
    },
    means: { cached_input: 7, output: 5 },
  },
  {
    name: "OpenAI responses: all details inside",
    dialect: "openai-responses",
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 150,
    },
    means: { input: 60, cached_input: 30, cache_write: 10, output: 50, reasoning: 20 },
  },
  {
    name: "Anthropic: the cache outside the input, one-hour writes priced separately",
    dialect: "anthropic-messages",
    usage: {
      input_tokens: 60,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 3 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      server_tool_use: { web_search_requests: 2 },
    },
    means: {
      input: 60,
      cached_input: 30,
      cache_write: 7,
      cache_write_1h: 3,
      output: 50,
      reasoning: 20,
      search: 2,
    },
  },
  {
    name: "Bedrock: the cache outside the input",
    dialect: "bedrock-converse",
    usage: {
      inputTokens: 60,
      cacheReadInputTokens: 30,
      cacheWriteInputTokens: 10,
      outputTokens: 50,
      totalTokens: 150,
    },
    means: { input: 60, cached_input: 30, cache_write: 10, output: 50 },
  },
  {
    name: "Gemini: the cache inside the prompt, tool input and thoughts outside it",
    dialect: "gemini",
    usage: {
      promptTokenCount: 90,
      cachedContentTokenCount: 30,
      toolUsePromptTokenCount: 10,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 20,
      totalTokenCount: 150,
    },
    means: { input: 70, cached_input: 30, output: 50, reasoning: 20 },
  },
  {
    name: "Cohere: billed tokens, without its own tokens around them",
    dialect: "cohere-chat",
    usage: {
      billed_units: { input_tokens: 44, output_tokens: 40, search_units: 1 },
      tokens: { input_tokens: 100, output_tokens: 50, reasoning_tokens: 20 },
      cached_tokens: 30,
    },
    means: { input: 44, output: 40, reasoning: 20, search: 1 },
  },
]

/** The finish reason of each dialect for a response that ended normally. */
const ENDS: Readonly<Record<DialectId, string>> = {
  "openai-chat": "stop",
  "openai-responses": "completed",
  "anthropic-messages": "end_turn",
  gemini: "STOP",
  "bedrock-converse": "end_turn",
  "cohere-chat": "COMPLETE",
}

const NOTHING: PlainUsage = {
  input: 0,
  cached_input: 0,
  cache_write: 0,
  cache_write_1h: 0,
  output: 0,
  audio_input: 0,
  audio_output: 0,
  image_output: 0,
  search: 0,
  reasoning: 0,
}

const WAYS = ["whole", "streamed"] as const

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(
    ROWS.flatMap(({ name, dialect, usage }) =>
      WAYS.map((way) => {
        const ending: Ending = { word: ENDS[dialect], usage }
        const id = `${name}, ${way}`
        return stagedResponse(writtenResponse(id, dialect, ending, way === "streamed"))
      }),
    ),
  )
})

afterAll(() => replaying[Symbol.asyncDispose]())

describe("the usage of every vendor", () => {
  for (const { name, dialect, means } of ROWS) {
    for (const way of WAYS) {
      for (const callerFormat of CALLER_FORMATS) {
        test(`appears in the response and in the charge: ${name}, ${way}, through ${callerFormat.path}`, async () => {
          const { caller, gateway } = replaying
          const usage = { ...NOTHING, ...means }
          const request = callerFormat.request(replaying.modelOf(`${name}, ${way}`), [])
          const door = { url: gateway.url, key: caller.key }
          const ask = way === "whole" ? askWhole : askStream
          const response = await ask(callerFormat, door, request)
          const receipt = await receiptOf(caller, response.headers.get("x-request-id") ?? "")
          expect(receipt).toMatchObject({ status: "settled", estimated: false })
          expect(receipt.usage).toEqual(shown(usage))
          expect(receipt.charged).toBe(creditsText(plainCost(usage)))
          if (way === "whole") expect(response.headers.get("x-tollgate-cost")).toBe(receipt.charged)
          else expect(response.text).toContain(`"cost":${JSON.stringify(Number(receipt.charged))}`)
          if (callerFormat.dialect === dialect) return
          const told = toldUsage(callerFormat.dialect, response.body)
          expect(told && totals(told)).toEqual(totalsIn(callerFormat.dialect, usage))
        })
      }
    }
  }
})
