import { expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { createPatches } from "../../../src/dialects/gemini/patches.ts"
import { GEMINI_QUIRKS } from "../../../src/dialects/gemini/quirks.ts"

const CONTENTS: JsonObject[] = [
  { role: "user", parts: [{ text: "Hi" }] },
  {
    role: "model",
    parts: [
      { functionCall: { id: "call_1", name: "f", args: {} } },
      { functionCall: { name: "g" } },
    ],
  },
  { role: "user", parts: [{ functionResponse: { id: "call_1", name: "f", response: {} } }] },
  { role: "user" },
]
const BODY = {
  model: "google/gemini",
  stream: true,
  serviceTier: "flex",
  generationConfig: { topK: 1 },
  contents: CONTENTS,
}
const VERTEX = { ...GEMINI_QUIRKS, functionCallIds: false, serviceTier: false }

function patched(body: JsonObject, quirks = GEMINI_QUIRKS, maxTokens?: number) {
  const patch = { model: "gemini", ...(maxTokens !== undefined && { maxTokens }) }
  return createPatches(quirks).request(body, patch)
}

test("the patcher of Gemini requests removes only the model and the stream option", () => {
  const before = structuredClone(BODY)
  const { model: _, stream: _1, ...rest } = BODY
  expect(patched(BODY)).toEqual({ body: rest, losses: [] })
  expect(BODY).toEqual(before)
})

test("the patcher of Gemini requests adds an output limit to the caller's settings", () => {
  expect(patched(BODY, GEMINI_QUIRKS, 5).body.generationConfig).toEqual({
    topK: 1,
    maxOutputTokens: 5,
  })
  expect(patched({ contents: [] }, GEMINI_QUIRKS, 5).body.generationConfig).toEqual({
    maxOutputTokens: 5,
  })
})

test("the patcher of Vertex requests removes call ids and the service tier", () => {
  const before = structuredClone(BODY)
  const { body, losses } = patched(BODY, VERTEX)
  expect(body).not.toHaveProperty("serviceTier")
  expect(losses).toMatchObject([{ name: "service_tier" }])
  expect(body.contents).toEqual([
    CONTENTS.at(0) ?? null,
    {
      role: "model",
      parts: [{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "g" } }],
    },
    { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] },
    { role: "user" },
  ])
  expect(BODY).toEqual(before)
  expect(patched({ contents: "Hi" }, VERTEX)).toEqual({ body: { contents: "Hi" }, losses: [] })
})
