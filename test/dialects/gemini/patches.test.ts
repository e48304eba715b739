import { expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { createPatches } from "../../../src/dialects/gemini/patches/index.ts"
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

test("a verbatim Gemini request changes only the model and the stream option, which move into the address", () => {
  const before = structuredClone(BODY)
  const { model: _, stream: _1, ...rest } = BODY
  expect(patched(BODY)).toEqual({ body: rest, losses: [] })
  expect(BODY).toEqual(before)
})

test("a verbatim Gemini request gets a limit in addition to the caller's own settings", () => {
  expect(patched(BODY, GEMINI_QUIRKS, 5).body.generationConfig).toEqual({
    topK: 1,
    maxOutputTokens: 5,
  })
  expect(patched({ contents: [] }, GEMINI_QUIRKS, 5).body.generationConfig).toEqual({
    maxOutputTokens: 5,
  })
})

test("a verbatim Vertex request has no call ids and no service tier in its body", () => {
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
