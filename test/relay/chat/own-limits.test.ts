import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import {
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { CHAT, dataOf, receiptOf } from "../support.ts"

/** The simulator repeats this prompt. */
const PROMPT = "one two\nthree STOP four five six seven eight nine ten"
const MESSAGES = [{ role: "user", content: PROMPT }]

let gateway: TestGateway
let caller: TestCaller

function providersAt(url: string): Record<string, ProviderSettings> {
  const rest = { apiKey: "key", headers: {}, knownModels: false, origin: "file" } as const
  return {
    claude: { vendor: "anthropic", baseUrl: url, ...rest },
    google: { vendor: "google", baseUrl: url, ...rest },
    cohere: { vendor: "cohere", baseUrl: url, ...rest },
  }
}

beforeAll(async () => {
  gateway = await startGateway({
    providersAt,
    models: {
      "sim/echo": simulated(),
      "claude/claude-sonnet-4-5": simulated(),
      "google/gemini-2.5-flash": simulated(),
      "cohere/command-a-03-2025": simulated(),
      "sim/responses": simulated({ dialects: ["openai-responses"] }),
    },
  })
  caller = await gateway.caller("10")
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Asked {
  readonly model: string
  readonly stream: boolean
  readonly stop?: readonly string[]
  readonly max?: number
}

/** The parts of a response that all dialects have. */
interface Told {
  readonly text: string
  readonly finish: unknown
  readonly sequence?: unknown
}

interface Client {
  path(asked: Asked): string
  body(asked: Asked): object
  told(text: string, stream: boolean): Told
}

type Json = Readonly<Record<string, never>> & {
  readonly choices: readonly {
    readonly message: { readonly content: string }
    readonly delta: { readonly content?: string }
    readonly finish_reason: string | null
  }[]
  readonly content: readonly { readonly text: string }[]
  readonly delta?: { readonly text?: string; readonly stop_reason?: string }
  readonly response?: Json
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly { readonly text: string }[] }
    readonly finishReason?: string
  }[]
  readonly output: readonly { readonly content: readonly { readonly text: string }[] }[]
}

function framesOf(text: string): Json[] {
  return dataOf(text)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Json)
}

const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => CHAT,
    body: ({ model, stream, stop, max }) => ({
      model,
      stream,
      messages: MESSAGES,
      stop,
      max_tokens: max,
    }),
    told(text, stream) {
      if (!stream) {
        const [choice] = (JSON.parse(text) as Json).choices
        return { text: choice?.message.content ?? "", finish: choice?.finish_reason }
      }
      expect(text).toEndWith("data: [DONE]\n\n")
      const choices = framesOf(text).flatMap((frame) => frame.choices)
      return {
        text: choices.map(({ delta }) => delta.content ?? "").join(""),
        finish: choices.findLast((choice) => choice.finish_reason !== null)?.finish_reason,
      }
    },
  },
  messages: {
    path: () => "/v1/messages",
    body: ({ model, stream, stop, max = 100 }) => ({
      model,
      stream,
      messages: MESSAGES,
      stop_sequences: stop,
      max_tokens: max,
    }),
    told(text, stream) {
      if (!stream) {
        const { content, stop_reason: finish, stop_sequence: sequence } = JSON.parse(text) as Json
        return { text: content.map((block) => block.text).join(""), finish, sequence }
      }
      const frames = framesOf(text)
      expect(frames.at(-1)).toEqual({ type: "message_stop" } as never)
      const last = frames.findLast(({ delta }) => delta?.stop_reason !== undefined)?.delta
      return {
        text: frames.map(({ delta }) => delta?.text ?? "").join(""),
        finish: last?.stop_reason,
        sequence: (last as Json | undefined)?.["stop_sequence"],
      }
    },
  },
  responses: {
    path: () => "/v1/responses",
    body: ({ model, stream, max }) => ({
      model,
      stream,
      input: PROMPT,
      max_output_tokens: max,
    }),
    told(text, stream) {
      const last = stream ? framesOf(text).at(-1)?.response : (JSON.parse(text) as Json)
      const content = last?.output.flatMap((item) => item.content) ?? []
      return { text: content.map((part) => part.text).join(""), finish: last?.["status"] }
    },
  },
  google: {
    path: ({ model, stream }) =>
      `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: ({ stop, max }) => ({
      contents: [{ role: "user", parts: [{ text: PROMPT }] }],
      generationConfig: { stopSequences: stop, maxOutputTokens: max },
    }),
    told(text, stream) {
      const chunks = stream ? framesOf(text) : [JSON.parse(text) as Json]
      const candidates = chunks.flatMap((chunk) => chunk.candidates)
      const parts = candidates.flatMap((candidate) => candidate.content.parts)
      return {
        text: parts.map((part) => part.text).join(""),
        finish: candidates.at(-1)?.finishReason,
      }
    },
  },
}

async function ask(client: Client, asked: Asked) {
  const response = await caller.post(client.path(asked), client.body(asked))
  const text = await response.text()
  expect(`${response.status} ${text.slice(0, 200)}`).toStartWith("200")
  expect(response.headers.get("x-tollgate-losses")).toBeNull()
  return {
    ...client.told(text, asked.stream),
    text: client.told(text, asked.stream).text,
    response,
  }
}

/** Models that accept both sequences but do not report which of them ended a response. */
const SILENT = ["sim/echo", "google/gemini-2.5-flash", "cohere/command-a-03-2025"]

/**
 * Stop sequences that a model supports only through the relay, the remaining text, and the sequence that ended the
 * text.
 */
const STOPS: readonly [model: string, stop: readonly string[], left: string, sequence: string][] = [
  ["sim/responses", ["four"], "one two\nthree STOP ", "four"],
  ["sim/responses", ["never", "two\nthree STOP f"], "one ", "two\nthree STOP f"],
  ["sim/responses", [" "], "one", " "],
  ["sim/responses", ["one"], "", "one"],
  ["claude/claude-sonnet-4-5", ["\n"], "one two", "\n"],
  ["claude/claude-sonnet-4-5", ["", "five", " \n", "\n"], "one two", "\n"],
  ["sim/echo", ["a1", "b2", "c3", "d4", "four"], "one two\nthree STOP ", "four"],
]

/** The finish reason in formats that do not distinguish a stop sequence from another end. */
const ENDS: Readonly<Record<string, string>> = { chat: "stop", google: "STOP" }
const LENGTHS: Readonly<Record<string, string>> = {
  chat: "length",
  messages: "max_tokens",
  responses: "incomplete",
  google: "MAX_TOKENS",
}

for (const [name, client] of Object.entries(CLIENTS)) {
  for (const stream of [false, true]) {
    describe(`limits of the relay: ${name}${stream ? ", streamed" : ""}`, () => {
      for (const [model, stop, left, sequence] of name === "responses" ? [] : STOPS) {
        test(`stop ${model} before one of the stop sequences ${JSON.stringify(stop)}`, async () => {
          const told = await ask(client, { model, stream, stop })
          expect(told.text).toBe(left)
          if (ENDS[name]) expect(told.finish).toBe(ENDS[name])
          else expect(told).toMatchObject({ finish: "stop_sequence", sequence })
          const receipt = await receiptOf(caller, told.response)
          expect(receipt.status).toBe("settled")
          expect(receipt.usage?.["input"]).toBeGreaterThan(10)
          expect(receipt.usage?.["output"]).toBeGreaterThan(0)
        })
      }

      for (const model of name === "responses" ? [] : SILENT) {
        test(`report the matched stop sequence in formats that require it, although ${model} omits it`, async () => {
          const told = await ask(client, { model, stream, stop: ["never", "four"] })
          expect(told.text.trimEnd()).toBe("one two\nthree STOP")
          const asked = JSON.stringify(gateway.simulator.requests.at(-1)?.body)
          const end = ENDS[name]
          if (end !== undefined) expect(told.finish).toBe(end)
          else expect(told).toMatchObject({ finish: "stop_sequence", sequence: "four" })
          // If the caller does not ask for the matched sequence, the vendor ends the response.
          expect(asked.includes("never")).toBe(end !== undefined)
          const receipt = await receiptOf(caller, told.response)
          expect(receipt.status).toBe("settled")
          expect(receipt.usage?.["output"]).toBeGreaterThan(0)
        })
      }

      test("ignore empty stop sequences", async () => {
        if (name === "responses") return
        for (const model of ["sim/echo", "sim/responses", "claude/claude-sonnet-4-5"]) {
          const told = await ask(client, { model, stream, stop: [""] })
          expect(told.text).toBe(PROMPT)
          expect(told.finish).toBe(ENDS[name] ?? "end_turn")
        }
      })

      const FINISH = LENGTHS[name]
      for (const [max, left] of [
        [1, "one"],
        [3, "one two\n"],
        [5, "one two\nthree STOP"],
      ] as const) {
        test(`stop at ${max} tokens even if the model has a minimum of 16 tokens`, async () => {
          const told = await ask(client, { model: "sim/responses", stream, max })
          expect(told).toMatchObject({ text: left, finish: FINISH })
          const asked = gateway.simulator.requests.at(-1)
          expect(JSON.stringify(asked)).toContain("max_output_tokens")
          const receipt = await receiptOf(caller, told.response)
          expect(receipt.usage?.["output"]).toBeLessThanOrEqual(16)
        })
      }
    })
  }
}

test("each of several choices ends at its own stop sequence", async () => {
  for (const stream of [false, true]) {
    const body = { model: "sim/responses", messages: MESSAGES, stop: ["four"], n: 3, stream }
    const response = await caller.post(CHAT, body)
    const text = await response.text()
    const chunks = stream ? framesOf(text) : [JSON.parse(text) as Json]
    const choices = chunks.flatMap((chunk) => chunk.choices) as unknown as {
      index: number
      message?: { content: string }
      delta?: { content?: string }
      finish_reason: string | null
    }[]
    for (const index of [0, 1, 2]) {
      const own = choices.filter((choice) => choice.index === index)
      const told = own.map((choice) => choice.message?.content ?? choice.delta?.content ?? "")
      expect(told.join("")).toBe("one two\nthree STOP ")
      expect(own.findLast((choice) => choice.finish_reason !== null)?.finish_reason).toBe("stop")
    }
  }
})
