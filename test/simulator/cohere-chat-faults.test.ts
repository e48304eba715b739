import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { FAULT_NAMES } from "../../simulator/faults.ts"
import {
  type SimulatedResponse,
  responseTo,
  ask,
  framesOf,
  PATH,
  rejectionOf,
  TOOLS,
  withCohere,
} from "./cohere-chat-support.ts"
import { keySet } from "./format-server.ts"
import { readUntilEnd } from "./support.ts"

function fault(name: string, more: Record<string, unknown> = {}) {
  return { ...ask("one two six ten", more), model: `fault-${name}` }
}

describe("the Cohere simulator with faults", () => {
  const STATUSES: [string, number][] = [
    ["429", 429],
    ["500", 500],
    ["503", 503],
    ["401", 401],
    ["402", 402],
    ["400-context", 400],
    ["400-policy", 498],
    ["404", 404],
  ]
  for (const [name, status] of STATUSES) {
    test(`simulates ${name} if the model or a header names the fault`, async () => {
      expect((await rejectionOf(fault(name)))[0]).toBe(status)
      expect((await rejectionOf(fault(name, { stream: true })))[0]).toBe(status)
      expect((await rejectionOf(ask("hi"), { "x-simulate-fault": name }))[0]).toBe(status)
    })
  }

  async function streamOf(name: string): Promise<{ text: string; error: unknown }> {
    await using server = withCohere()
    return await readUntilEnd(await server.post(PATH, fault(name, { stream: true })))
  }

  test("simulates the faults cut and malformed with and without streaming", async () => {
    const cut = await streamOf("cut")
    expect(cut.error).toBeInstanceOf(Error)
    expect(cut.text).not.toContain("message-end")
    const { text } = await streamOf("malformed")
    expect(() => framesOf(text)).toThrow()
    await using server = withCohere()
    const whole = await server.post(PATH, fault("malformed"))
    await expect(whole.json()).rejects.toThrow()
  })

  test("ends the message with the finish reason ERROR for the fault stream-error", async () => {
    const frames = framesOf((await streamOf("stream-error")).text)
    expect(frames.at(-1)).toMatchObject({ type: "message-end", delta: { finish_reason: "ERROR" } })
    expect(frames.some(({ type }) => type === "content-end")).toBe(false)
  })

  test("omits [DONE] for the fault no-done, and message-end for no-finish", async () => {
    const noDone = (await streamOf("no-done")).text
    expect(noDone).toContain("message-end")
    expect(noDone).not.toContain("[DONE]")
    expect((await streamOf("no-finish")).text).not.toContain("message-end")
  })

  test("simulates the faults crlf and comments", async () => {
    expect((await streamOf("crlf")).text.replaceAll("\r\n", "")).not.toContain("\n")
    expect((await streamOf("comments")).text).toContain(": PROCESSING\n\n")
  })

  test("simulates missing, zero and huge usage", async () => {
    expect(await responseTo(fault("no-usage"))).not.toHaveProperty("usage")
    const zero = await responseTo(fault("wrong-usage"))
    expect(zero.usage.tokens).toEqual({ input_tokens: 0, output_tokens: 0 })
    const huge = await responseTo(fault("huge-usage"))
    expect(huge.usage.tokens.output_tokens).toBeGreaterThan(1_000_000)
    expect((await streamOf("no-usage")).text).not.toContain('"usage"')
  })

  test("simulates the fault flaky with the requested number of failures for each distinct message", async () => {
    await using server = withCohere()
    const statuses: number[] = []
    for (const text of ["a", "a", "a", "b"]) {
      const response = await server.post(PATH, ask(text, { model: "flaky-2" }))
      statuses.push(response.status)
      await response.text()
    }
    expect(statuses).toEqual([500, 500, 200, 500])
  })

  test("simulates the faults html, empty, redirect and echo-headers", async () => {
    await using server = withCohere()
    const html = await server.post(PATH, fault("html"))
    expect(await html.text()).toContain("<html>")
    expect(await (await server.post(PATH, fault("empty"))).text()).toBe("")
    expect((await server.post(PATH, fault("redirect"))).status).toBe(302)
    const mirror = (await (
      await server.post(PATH, fault("echo-headers"), { headers: { "x-own": "yes" } })
    ).json()) as SimulatedResponse
    expect(JSON.parse(mirror.message.content?.[0]?.text ?? "")).toMatchObject({ "x-own": "yes" })
  })

  test("simulates a stream that stalls until its reader disconnects", async () => {
    await using server = withCohere()
    const leaving = new AbortController()
    const body = fault("stall", { stream: true })
    const response = await server.post(PATH, body, { signal: leaving.signal })
    await response.body?.getReader().read()
    expect(server.open).toBe(1)
    leaving.abort()
    await server.requests[0]?.settled()
    expect(server.requests[0]?.aborted).toBe(true)
  })

  test("simulates all faults without an internal error", async () => {
    await using server = withCohere()
    const quick = FAULT_NAMES.filter((name) => !/^(slow|stall|flaky)/.test(name))
    for (const name of quick) {
      for (const stream of [false, true]) {
        await readUntilEnd(await server.post(PATH, fault(name, { stream })))
      }
    }
    expect(server.open).toBe(0)
  })
})

const FOLDER = join(import.meta.dir, "../../../shared/fixtures/recorded/cohere-chat-v2")
const present = existsSync(FOLDER)
const SKIPPED = present ? "" : " (skipped: recordings are absent)"

function recorded(name: string): { json?: object; text?: string } {
  const { response } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8"))
  return response.body
}

describe(`the Cohere simulator compared with recordings${SKIPPED}`, () => {
  const BASIC =
    "chat-basic-chat-functionality-cohere-command-a-03-2025-can-have-a-basic-conversation--0"
  const REQUIRED =
    "chat-tool-choice-and-calls-control-cohere-command-a-03-2025-respects-choice-required-for-u--0"
  const THINKING =
    "chat-with-extended-thinking-cohere-command-a-reasoning-08-2025-preserves-thinking-signatur--0"
  const WHOLE: [string, object][] = [
    [BASIC, ask("hi")],
    [REQUIRED, ask("get_weather", { tools: TOOLS })],
    [THINKING, ask("hi", { thinking: { type: "enabled" } })],
  ]
  for (const [name, body] of WHOLE) {
    test.skipIf(!present)(
      `returns the same response without streaming: ${name}${SKIPPED}`,
      async () => {
        expect(keySet(await responseTo(body))).toEqual(keySet(recorded(name).json))
      },
    )
  }

  const STREAMED: [string, object][] = [
    [
      "chat-streaming-responses-cohere-command-a-03-2025-supports-streaming-responses--0",
      ask("a b"),
    ],
    [
      "chat-function-calling-cohere-command-a-03-2025-can-use-tools-with-multi-turn-streaming-con--0",
      ask("get_weather", { tools: TOOLS }),
    ],
    [
      "chat-with-extended-thinking-cohere-command-a-reasoning-08-2025-streams-thinking-content-wh--0",
      ask("a b", { thinking: { type: "enabled" } }),
    ],
  ]
  for (const [name, body] of STREAMED) {
    test.skipIf(!present)(`returns the same stream: ${name}${SKIPPED}`, async () => {
      await using server = withCohere()
      const ours = await (await server.post(PATH, { ...body, stream: true })).text()
      const theirs = recorded(name).text ?? ""
      const kinds = (text: string) => {
        const byType = new Map<unknown, object[]>()
        for (const frame of framesOf(text)) {
          byType.set(frame.type, [...(byType.get(frame.type) ?? []), frame])
        }
        return [...byType].map(([type, frames]) => [type, keySet(frames)])
      }
      expect(kinds(ours)).toEqual(kinds(theirs))
      expect(ours.startsWith("event: message-start\ndata: ")).toBe(true)
      expect(ours.endsWith("data: [DONE]\n\n")).toBe(theirs.trimEnd().endsWith("data: [DONE]"))
    })
  }
})

describe(`the Cohere simulator with recorded requests${SKIPPED}`, () => {
  for (const file of present ? readdirSync(FOLDER) : []) {
    const { request, response } = JSON.parse(readFileSync(join(FOLDER, file), "utf8"))
    if (response.status !== 200) continue
    test(`accepts ${file}`, async () => {
      await using server = withCohere()
      const answer = await server.post(PATH, request.body.json)
      expect(answer.status, await answer.text()).toBe(200)
    })
  }
})
