import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"

const PDF = { data: "JVBERi0xLjQK", type: "application/pdf" }
const TEXT = { type: "text", text: "Summarize it" }
const FILE = { file_data: `data:${PDF.type};base64,${PDF.data}`, filename: "a.pdf" }
const REQUESTS: readonly [path: string, content: object][] = [
  [
    "/v1/chat/completions",
    { messages: [{ role: "user", content: [TEXT, { type: "file", file: FILE }] }] },
  ],
  [
    "/v1/messages",
    {
      max_tokens: 50,
      messages: [
        {
          role: "user",
          content: [
            TEXT,
            { type: "document", source: { type: "base64", media_type: PDF.type, data: PDF.data } },
          ],
        },
      ],
    },
  ],
  [
    "/v1/responses",
    {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: TEXT.text },
            { type: "input_file", ...FILE },
          ],
        },
      ],
    },
  ],
]

let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor(() => Response.json(completion()))
  gateway = await startGateway({
    providers: {
      openrouter: { ...provider(vendor.url, "openrouter"), dialects: ["openai-chat"] },
      other: provider(vendor.url),
    },
    models: {
      "openrouter/unknown": simulated(),
      "openrouter/anthropic/claude-opus-4.5": simulated(),
      "other/model": simulated(),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function pluginsOf(path: string, body: object): Promise<unknown> {
  const caller = await gateway.caller("10")
  const posted = await caller.post(path, body)
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  return vendor.bodies.at(-1)?.["plugins"]
}

describe.each(REQUESTS)("a PDF file at %s", (path, content) => {
  test("causes a request for a free parser at OpenRouter", async () => {
    expect(await pluginsOf(path, { model: "openrouter/unknown", ...content })).toEqual([
      { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
    ])
  })

  test("causes no request for a parser for a model that reads PDF files", async () => {
    const model = "openrouter/anthropic/claude-opus-4.5"
    expect(await pluginsOf(path, { model, ...content })).toBeUndefined()
  })

  test("causes no request for a parser at other providers", async () => {
    expect(await pluginsOf(path, { model: "other/model", ...content })).toBeUndefined()
  })
})

test("the caller's own plugins and PDF engine are kept", async () => {
  const [[path, content] = ["", {}]] = REQUESTS
  const healing = { id: "response-healing" }
  const sent = (...plugins: object[]) =>
    pluginsOf(path, { model: "openrouter/unknown", ...content, plugins })
  expect(await sent(healing)).toEqual([
    healing,
    { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
  ])
  const native = { id: "file-parser", pdf: { engine: "native" } }
  expect(await sent(native, healing)).toEqual([healing, native])
  expect(await sent({ id: "file-parser" })).toEqual([
    { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
  ])
})

test.each([
  ["no engine", [{ id: "file-parser", pdf: { engine: null } }]],
  ["an engine in another form", [{ id: "file-parser", pdf: [{ engine: "mistral-ocr" }] }]],
  ["a parser in capitals", [{ id: "File-Parser", pdf: { pages: 3 } }]],
  ["two parsers", [{ id: "file-parser", pdf: {} }, { id: "file-parser" }]],
])("a request with %s names a free PDF engine exactly once", async (_, plugins) => {
  const [[path, content] = ["", {}]] = REQUESTS
  const named = await pluginsOf(path, { model: "openrouter/unknown", ...content, plugins })
  expect(named).toEqual([
    { id: "file-parser", pdf: expect.objectContaining({ engine: "cloudflare-ai" }) },
  ])
})

test("a request with a PDF file in a tool result also names a PDF engine", async () => {
  const source = { type: "base64", media_type: PDF.type, data: PDF.data }
  const use = { type: "tool_use", id: "toolu_1", name: "read", input: {} }
  const content = [{ type: "document", source }]
  const plugins = await pluginsOf("/v1/messages", {
    model: "openrouter/unknown",
    max_tokens: 50,
    tools: [{ name: "read", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Read it" },
      { role: "assistant", content: [use] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
    ],
  })
  expect(plugins).toEqual([{ id: "file-parser", pdf: { engine: "cloudflare-ai" } }])
})

test("a request without a file names no PDF engine", async () => {
  const messages = [{ role: "user", content: "Hello" }]
  const body = { model: "openrouter/unknown", messages }
  expect(await pluginsOf("/v1/chat/completions", body)).toBeUndefined()
})
