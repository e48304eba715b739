import { describe, expect, test } from "bun:test"
import type { TestCaller } from "../../support/gateway.ts"
import { stateGateway } from "./state-gateway.ts"
import { errorOf } from "../support.ts"

const RESPONSES = "/v1/responses"
const MESSAGES = "/v1/messages"
const CHAT = "/v1/chat/completions"
const ASKED = [{ role: "user", content: "Hi" }]
const UPLOADED = "https://generativelanguage.googleapis.com/v1beta/files/abc"

const setup = stateGateway()

describe("stored vendor state in other dialects", () => {
  const HEAD = { model: "claude/opus", max_tokens: 20, messages: ASKED }

  async function ofClaude(caller: TestCaller, body: object): Promise<Response> {
    return caller.post(MESSAGES, { ...HEAD, ...body })
  }

  const SERVER_TOOL = { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }
  const UPLOAD = (n: string) => [
    { role: "user", content: [{ type: "container_upload", file_id: `file_${n}` }] },
  ]
  const CLAUDE_WAYS: readonly [
    name: string,
    path: string,
    made: object,
    body: (n: string) => object,
  ][] = [
    [
      "thread",
      "thread.previous_message_id",
      { thread: { type: "create" } },
      (n) => ({ thread: { type: "continue", previous_message_id: `msg_${n}` } }),
    ],
    ["container", "container", SERVER_TOOL, (n) => ({ container: `container_${n}` })],
    [
      "container as an object",
      "container.id",
      SERVER_TOOL,
      (n) => ({ container: { id: `container_${n}` } }),
    ],
    ["file", "messages[0].content[0].file_id", SERVER_TOOL, (n) => ({ messages: UPLOAD(n) })],
    [
      "document",
      "messages[0].content[0].source.file_id",
      SERVER_TOOL,
      (n) => ({
        messages: [
          {
            role: "user",
            content: [{ type: "document", source: { type: "file", file_id: `file_${n}` } }],
          },
        ],
      }),
    ],
  ]

  for (const [name, path, made, body] of CLAUDE_WAYS) {
    for (const stream of [false, true]) {
      test(`belongs to its account: Claude's ${name}${stream ? ", streamed" : ""}`, async () => {
        const left = await ofClaude(setup.ann, { ...made, stream })
        const n = /msg_(\w+)/.exec(await left.text())?.[1] ?? ""
        const own = await ofClaude(setup.ann, body(n))
        await own.text()
        expect(own.status).toBe(200)
        const others = await ofClaude(setup.bob, body(n))
        expect(others.status).toBe(404)
        const { error } = (await others.json()) as { error: object }
        expect(error).toMatchObject({ type: "not_found_error", param: path })
        const { details } = error as { details?: object }
        expect(details).toEqual(name === "thread" ? { error_code: "thread_not_found" } : undefined)
      })
    }
  }

  test("does not exist for Anthropic requests that did not request it", async () => {
    const left = await ofClaude(setup.ann, {})
    const n = /msg_(\w+)/.exec(await left.text())?.[1] ?? ""
    const thread = { type: "continue", previous_message_id: `msg_${n}` }
    expect((await ofClaude(setup.ann, { thread })).status).toBe(404)
  })

  test("includes the audio of chat responses", async () => {
    const audio = { voice: "alloy", format: "wav" }
    const order = { model: "first/gpt", messages: ASKED }
    const left = await setup.ann.post(CHAT, { ...order, modalities: ["text", "audio"], audio })
    const id = /audio_\w+/.exec(await left.text())?.[0] ?? ""
    const messages = [...ASKED, { role: "assistant", audio: { id } }, ...ASKED]
    const own = await setup.ann.post(CHAT, { ...order, messages })
    expect(await own.text()).toContain("chatcmpl")
    expect(own.status).toBe(200)
    const others = await errorOf(await setup.bob.post(CHAT, { ...order, messages }))
    expect(others).toMatchObject({ status: 404, param: "messages[1].audio.id" })
  })

  test("includes files in chats, for every form of their URLs", async () => {
    const named: readonly [object, string][] = [
      [{ type: "file", file: { file_id: "file-1" } }, "file.file_id"],
      [{ type: "image_url", image_url: { url: UPLOADED } }, "image_url.url"],
    ]
    for (const [part, path] of named) {
      const messages = [{ role: "user", content: [part] }]
      for (const model of ["first/gpt", "claude/opus"]) {
        const rejected = await errorOf(await setup.ann.post(CHAT, { model, messages }))
        expect(rejected).toMatchObject({ status: 404, param: `messages[0].content[0].${path}` })
      }
    }
  })

  test("does not reach a vendor of another dialect, and the request is rejected", async () => {
    const ways = [
      ["previous_response_id", { previous_response_id: "resp_x" }],
      ["conversation", { conversation: "conv_x" }],
      ["prompt.id", { prompt: { id: "pmpt_x" } }],
      ["input[0].id", { input: [{ type: "item_reference", id: "msg_x" }, ...ASKED] }],
    ] as const
    for (const [path, body] of ways) {
      const order = { model: "claude/opus", input: "Hi", ...body }
      const rejected = await errorOf(await setup.ann.post(RESPONSES, order))
      expect(rejected).toMatchObject({ status: 400, code: "invalid_value", param: path })
    }
    const thread = { type: "continue", previous_message_id: "msg_x" }
    const order = { ...HEAD, model: "first/gpt", thread }
    const rejected = await setup.ann.post(MESSAGES, order)
    expect(rejected.status).toBe(400)
    expect(await rejected.json()).toMatchObject({
      error: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
    })
    expect(setup.first.bodies).toHaveLength(0)
  })
})
