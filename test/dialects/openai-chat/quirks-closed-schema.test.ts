import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { EncodedRequest } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import { COMPATIBLE } from "../../../src/vendors/compatible.ts"

const ROW = COMPATIBLE.find(({ id }) => id === "mistral")
const MISTRAL = openAiChat(ROW?.quirks)

function told({ body, losses }: EncodedRequest) {
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`).toSorted() }
}

/** Encodes the request in two ways: with the unchanged body, and through the canon. */
const WAYS: readonly [string, (body: JsonObject) => EncodedRequest][] = [
  ["patched", (body) => MISTRAL.patches.request(body, { model: "up" })],
  ["transcoded", (body) => MISTRAL.encodeRequest(OPENAI_CHAT.decodeRequest(body))],
]

const HI: JsonObject = { role: "user", content: "Hi" }
const PDF = "data:application/pdf;base64,JVBERi0="
const TOOLS = ["f", "g", "h"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object" } },
}))

for (const [way, send] of WAYS) {
  const sent = (body: JsonObject) => told(send({ model: "a/b", messages: [HI], ...body }))
  const said = (...messages: JsonObject[]) => {
    const { body, losses } = sent({ messages })
    return { messages: body.messages as JsonObject[], losses }
  }

  describe(`the OpenAI encoder for a vendor that rejects unknown fields, ${way}`, () => {
    test("drops OpenAI-only fields and reports their names", () => {
      const lacking = {
        logit_bias: { 5: 1 },
        modalities: ["text"],
        prompt_cache_retention: "24h",
        prompt_cache_options: {},
        safety_identifier: "s",
        service_tier: "flex",
        store: true,
        user: "u",
        verbosity: "low",
        web_search_options: {},
      }
      const { body, losses } = sent({ ...lacking, prompt_cache_key: "k", metadata: { a: "b" } })
      for (const name of Object.keys(lacking)) expect(body).not.toHaveProperty(name)
      expect(body).toMatchObject({ prompt_cache_key: "k", metadata: { a: "b" } })
      expect(losses).toEqual(
        Object.keys(lacking)
          .map((name) => `${name}:dropped`)
          .toSorted(),
      )
    })

    const efforts: [string, string][] = [
      ["none", "none"],
      ["minimal", "none"],
      ["low", "high"],
      ["medium", "high"],
      ["high", "high"],
      ["xhigh", "high"],
      ["max", "high"],
    ]
    test.each(efforts)("converts the effort %s to %s", (asked, wanted) => {
      const { body, losses } = sent({ reasoning_effort: asked })
      expect(body.reasoning_effort).toBe(wanted)
      expect(losses).toEqual(asked === wanted ? [] : ["reasoning_effort:approximated"])
    })

    test("keeps only the schema's members in messages", () => {
      const messages = [
        { role: "system", content: "A", name: "ann" },
        { role: "user", content: "Hi", name: "ben" },
        { role: "assistant", content: "Yes", refusal: null, annotations: [], audio: null },
        HI,
        { role: "assistant", content: "Yes", audio: { id: "audio_1" } },
        HI,
      ]
      const seen = said(...messages)
      expect(seen.messages).toEqual([
        { role: "system", content: "A" },
        HI,
        { role: "assistant", content: "Yes" },
        HI,
        { role: "assistant", content: "Yes" },
        HI,
      ])
      expect(seen.losses).toEqual(["audio:dropped", "name:dropped"])
      const prefixed = { role: "assistant", content: "Yes", prefix: true }
      expect(said(HI, prefixed)).toEqual({ messages: [HI, prefixed], losses: [] })
    })

    test("converts refusals to text", () => {
      const seen = said(
        HI,
        { role: "assistant", content: null, refusal: "No" },
        HI,
        { role: "assistant", content: [{ type: "refusal", refusal: "Never" }] },
        HI,
      )
      expect(seen.losses).toEqual(["refusal:approximated"])
      const [, one, , other] = seen.messages
      expect(JSON.stringify(one)).toContain("No")
      expect(JSON.stringify(other)).toContain("Never")
      for (const message of seen.messages) expect(message).not.toHaveProperty("refusal")
      expect(JSON.stringify(seen.messages)).not.toContain('"type":"refusal"')
    })

    test("uses the vendor's own form for documents and audio", () => {
      const seen = said({
        role: "user",
        content: [
          { type: "text", text: "Read" },
          { type: "file", file: { file_data: PDF, filename: "a.pdf" } },
          { type: "file", file: { file_data: "https://host/a.pdf" } },
          { type: "file", file: { file_id: "id-1" } },
          { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        ],
      })
      expect(seen.messages[0]?.content).toEqual([
        { type: "text", text: "Read" },
        { type: "document_url", document_url: PDF, document_name: "a.pdf" },
        { type: "document_url", document_url: "https://host/a.pdf" },
        { type: "file", file_id: "id-1" },
        { type: "input_audio", input_audio: "UklGRg==" },
      ])
      expect(seen.losses).toEqual([])
    })

    test("keeps parts in the vendor's own form unchanged", () => {
      const own = {
        role: "user",
        content: [
          { type: "document_url", document_url: "https://host/a.pdf" },
          { type: "text", text: "Read" },
        ],
      }
      expect(said(own)).toEqual({ messages: [own], losses: [] })
    })

    test("adds an empty parameter schema to functions without parameters", () => {
      const { body, losses } = sent({ tools: [{ type: "function", function: { name: "f" } }] })
      expect(body.tools).toEqual([
        {
          type: "function",
          function: { name: "f", parameters: { type: "object", properties: {} } },
        },
      ])
      expect(losses).toEqual([])
    })

    test("sends only the tools that the caller allows", () => {
      const allowed = TOOLS.slice(0, 2).map(({ function: { name } }) => ({
        type: "function",
        function: { name },
      }))
      for (const mode of ["auto", "required"]) {
        const choice = { type: "allowed_tools", allowed_tools: { mode, tools: allowed } }
        const { body, losses } = sent({ tools: TOOLS, tool_choice: choice })
        expect(body).toMatchObject({ tool_choice: mode, tools: TOOLS.slice(0, 2) })
        expect(losses).toEqual(["tool_choice:approximated"])
      }
      const one = { type: "function", function: { name: "f" } }
      expect(sent({ tools: TOOLS, tool_choice: one }).body.tool_choice).toEqual(one)
    })

    test("does not change the caller's request", () => {
      const messages = [{ role: "user", name: "ann", content: [{ type: "text", text: "Hi" }] }]
      const body = { messages, tools: [{ type: "function", function: { name: "f" } }] }
      const before = JSON.stringify(body)
      sent(body)
      expect(JSON.stringify(body)).toBe(before)
    })
  })
}

test("the Mistral encoder converts an Anthropic thinking budget to a reasoning effort", () => {
  const request: ChatRequest = ANTHROPIC_MESSAGES.decodeRequest({
    model: "a/b",
    max_tokens: 4000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    messages: [{ role: "user", content: "Hi" }],
  })
  expect(MISTRAL.encodeRequest(request).body.reasoning_effort).toBe("high")
})
