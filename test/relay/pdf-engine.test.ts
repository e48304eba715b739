import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../support/gateway.ts"
import { completion } from "./billable-frames.ts"
import { type ScriptedVendor, startVendor } from "./scripted-vendor.ts"

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
  test("is parsed at OpenRouter by an engine that costs nothing", async () => {
    expect(await pluginsOf(path, { model: "openrouter/unknown", ...content })).toEqual([
      { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
    ])
  })

  test("is read by a model that can read it", async () => {
    const model = "openrouter/anthropic/claude-opus-4.5"
    expect(await pluginsOf(path, { model, ...content })).toBeUndefined()
  })

  test("names no engine at other providers", async () => {
    expect(await pluginsOf(path, { model: "other/model", ...content })).toBeUndefined()
  })
})

test("the caller's plugins and engine are kept", async () => {
  const [[path, content] = ["", {}]] = REQUESTS
  const healing = { id: "response-healing" }
  const sent = (...plugins: object[]) =>
    pluginsOf(path, { model: "openrouter/unknown", ...content, plugins })
  expect(await sent(healing)).toEqual([
    healing,
    { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
  ])
  const native = { id: "file-parser", pdf: { engine: "native" } }
  expect(await sent(native, healing)).toEqual([native, healing])
  expect(await sent({ id: "file-parser" })).toEqual([
    { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
  ])
})

test("a request without a file names no engine", async () => {
  const messages = [{ role: "user", content: "Hello" }]
  const body = { model: "openrouter/unknown", messages }
  expect(await pluginsOf("/v1/chat/completions", body)).toBeUndefined()
})
