import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { ModerationRequest } from "../../../src/canon/moderation.ts"
import {
  mistralModeration,
  openAiModeration,
} from "../../../src/dialects/moderation/formats/openai.ts"
import {
  decodeChatModerationRequest,
  decodeModerationRequest,
} from "../../../src/dialects/moderation/request.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const OPENAI = openAiModeration(OPENAI_CHAT.decodeError)
const MISTRAL = mistralModeration(OPENAI_CHAT.decodeError)
const REQUEST: ModerationRequest = { model: "m", input: { type: "texts", texts: ["a"] } }

function decode(body: JsonObject, request = REQUEST) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return MISTRAL.decode([{ headers: new Headers(), bytes }], request)
}

describe("the moderation request encoder", () => {
  test("sends OpenAI all parts and unknown fields", () => {
    const url = "data:image/png;base64,AAAA"
    const body = {
      model: "a/b",
      input: [
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url } },
      ],
      safety: 1,
    }
    const request = decodeModerationRequest(body)
    expect(request.input).toEqual({
      type: "parts",
      parts: [
        { type: "text", text: "x" },
        { type: "image", url },
      ],
    })
    expect(OPENAI.encode(request, "m")).toEqual({
      calls: [{ path: "/moderations", body: { type: "json", json: { ...body, model: "m" } } }],
      losses: [],
    })
  })

  test("drops unknown fields for Mistral and reports a loss", () => {
    const request = decodeModerationRequest({ model: "a/b", input: "x", metadata: {} })
    expect(MISTRAL.encode(request, "m")).toEqual({
      calls: [{ path: "/moderations", body: { type: "json", json: { model: "m", input: ["x"] } } }],
      losses: [{ name: "metadata", effect: "dropped" }],
    })
  })
})

describe("moderation of a conversation", () => {
  const last = { role: "assistant", content: "b" }
  const messages = [{ role: "user", content: [{ type: "text", text: "a" }], name: "x" }, last]
  const json = (input: unknown) => ({ type: "json", json: { model: "m", input } })

  test("sends the conversation to Mistral without a loss", () => {
    const request = decodeChatModerationRequest({ model: "a/b", input: messages })
    const sent = [[{ role: "user", content: "a", name: "x" }, last]]
    expect(MISTRAL.encode(request, "m")).toMatchObject({
      calls: [{ path: "/chat/moderations", body: json(sent) }],
      losses: [],
    })
  })

  test("sends OpenAI only the last message and reports a loss", () => {
    const one = decodeChatModerationRequest({ model: "a/b", input: messages })
    const loss = { name: "input", effect: "approximated" } as const
    expect(OPENAI.encode(one, "m")).toMatchObject({
      calls: [{ path: "/moderations", body: json([{ type: "text", text: "b" }]) }],
      losses: [loss],
    })
    const named = decodeChatModerationRequest({ model: "a/b", input: [{ ...last, name: "x" }] })
    expect(OPENAI.encode(named, "m").losses).toEqual([loss])
    const whole = decodeChatModerationRequest({ model: "a/b", input: [[last], [last]] })
    expect(OPENAI.encode(whole, "m").losses).toEqual([])
    const two = decodeChatModerationRequest({ model: "a/b", input: [messages, [last]] })
    expect(OPENAI.encode(two, "m")).toMatchObject({
      calls: [{ body: json(["b", "b"]) }],
      losses: [loss],
    })
  })

  test("keeps the parts of a message for Mistral", () => {
    const content = ["a", "b"].map((text) => ({ type: "text", text }))
    const input = [{ role: "user", content }]
    const request = decodeChatModerationRequest({ model: "a/b", input })
    expect(MISTRAL.encode(request, "m")).toMatchObject({ calls: [{ body: json([input]) }] })
  })

  test("sends images to OpenAI and rejects images for Mistral", () => {
    const image = { type: "image_url", image_url: { url: "https://a/b.png" } }
    const shown = [{ role: "user", content: [image] }]
    const one = decodeChatModerationRequest({ model: "a/b", input: shown })
    expect(() => MISTRAL.encode(one, "m")).toThrow("only text")
    expect(OPENAI.encode(one, "m")).toMatchObject({ calls: [{ body: json([image]) }] })
    const two = decodeChatModerationRequest({ model: "a/b", input: [shown, shown] })
    expect(() => OPENAI.encode(two, "m")).toThrow("one conversation")
  })

  test("rejects an invalid conversation and names the field", () => {
    const cases: [JsonObject[string], string][] = [
      ["a", "input"],
      [[], "input"],
      [[[]], "input[0]"],
      [[["a"]], "input[0][0]"],
      [[{ content: "a" }], "input[0].role"],
      [[{ role: "user", content: 5 }], "input[0].content"],
      [[{ role: "user", content: [{ type: "text" }] }], "input[0].content[0].text"],
    ]
    for (const [input, parameter] of cases) {
      expect(() => decodeChatModerationRequest({ model: "a/b", input })).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ parameter }) }),
      )
    }
  })
})

describe("the moderation response decoder", () => {
  test("derives a missing flagged field from the categories", async () => {
    const scores = { violence: 0.8, health: 0.1 }
    const { verdicts, tokens } = await decode({
      results: [{ categories: { violence: true, health: false }, category_scores: scores }],
      usage: { prompt_tokens: 7 },
    })
    expect(verdicts).toEqual([
      { flagged: true, categories: { violence: true, health: false }, category_scores: scores },
    ])
    expect(tokens).toBe(7)
  })

  test("keeps the flagged field of a result, and reports no tokens if usage is missing", async () => {
    const result = { flagged: false, categories: { a: true }, category_scores: { a: 0.6 } }
    expect(await decode({ results: [result] })).toEqual({ verdicts: [result] })
  })

  test("rejects a response with a missing or an extra result", () => {
    const verdict = { categories: {}, category_scores: {} }
    for (const results of [[], [verdict, verdict], [{}], undefined]) {
      expect(() => decode({ ...(results && { results }) })).toThrow("cannot be used")
    }
  })
})
