import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { ModerationRequest } from "../../../src/canon/moderation.ts"
import { openAiModeration } from "../../../src/dialects/moderation/formats/openai.ts"
import { decodeModerationRequest } from "../../../src/dialects/moderation/request.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const OPENAI = openAiModeration(OPENAI_CHAT.decodeError)
const MISTRAL = openAiModeration(OPENAI_CHAT.decodeError, { textsOnly: true })
const REQUEST: ModerationRequest = { model: "m", input: { type: "texts", texts: ["a"] } }

function decode(body: JsonObject, request = REQUEST) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return MISTRAL.decode([{ headers: new Headers(), bytes }], request)
}

describe("a request", () => {
  test("keeps its parts and unknown fields", () => {
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

  test("of texts is sent to a provider of texts without unknown fields", () => {
    const request = decodeModerationRequest({ model: "a/b", input: "x", metadata: {} })
    expect(MISTRAL.encode(request, "m")).toEqual({
      calls: [{ path: "/moderations", body: { type: "json", json: { model: "m", input: ["x"] } } }],
      losses: [{ name: "metadata", effect: "dropped" }],
    })
  })
})

describe("an answer", () => {
  test("without flags is flagged by its categories", async () => {
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

  test("keeps the flag of its provider and reports no usage without one", async () => {
    const result = { flagged: false, categories: { a: true }, category_scores: { a: 0.6 } }
    expect(await decode({ results: [result] })).toEqual({ verdicts: [result] })
  })

  test("with a missing or an extra verdict cannot be used", () => {
    const verdict = { categories: {}, category_scores: {} }
    for (const results of [[], [verdict, verdict], [{}], undefined]) {
      expect(() => decode({ ...(results && { results }) })).toThrow("cannot be used")
    }
  })
})
