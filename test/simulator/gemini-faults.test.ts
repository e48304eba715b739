import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { FAULT_NAMES } from "../../simulator/faults.ts"
import { keySet } from "./format-server.ts"
import {
  type SimulatedResponse,
  responseTo,
  ask,
  chunksOf,
  framesOf,
  pathOf,
  rejectionOf,
  TOOLS,
  withGemini,
} from "./gemini-support.ts"
import { readUntilEnd } from "./support.ts"

const BODY = ask("one two six ten")

async function streamOf(fault: string): Promise<{ text: string; error: unknown }> {
  await using server = withGemini()
  const path = pathOf({ model: `fault-${fault}`, isStream: true })
  return await readUntilEnd(await server.post(path, BODY))
}

describe("the Gemini simulator with faults", () => {
  const STATUSES: [string, number, string][] = [
    ["429", 429, "RESOURCE_EXHAUSTED"],
    ["500", 500, "INTERNAL"],
    ["503", 503, "UNAVAILABLE"],
    ["401", 400, "INVALID_ARGUMENT"],
    ["402", 403, "PERMISSION_DENIED"],
    ["400-context", 400, "INVALID_ARGUMENT"],
    ["404", 404, "NOT_FOUND"],
  ]
  for (const [name, status, word] of STATUSES) {
    test(`simulates ${name} if the model or a header names the fault`, async () => {
      const asked = { headers: { "x-simulate-fault": name } }
      const model = `fault-${name}`
      expect(await rejectionOf(BODY, asked)).toMatchObject({ status, word })
      expect(await rejectionOf(BODY, { model })).toMatchObject({ status, word })
      expect(await rejectionOf(BODY, { model, isStream: true })).toMatchObject({ status, word })
    })
  }

  test("simulates status 429 with a retry delay in the error details and without a retry-after header", async () => {
    await using server = withGemini()
    const response = await server.post(pathOf({ model: "fault-429" }), BODY)
    expect(response.headers.get("retry-after")).toBeNull()
    const { error } = (await response.json()) as { error: { details: object[] } }
    expect(error.details.at(-1)).toEqual({
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: "2s",
    })
  })

  test("simulates Vertex's status 401 as a list with one error", async () => {
    const asking = { model: "fault-401", isVertex: true }
    expect(await rejectionOf(BODY, asking)).toMatchObject({ status: 401, word: "UNAUTHENTICATED" })
  })

  test("rejects an unknown fault name", async () => {
    const asked = { headers: { "x-simulate-fault": "mistyped" } }
    expect((await rejectionOf(BODY, asked)).message).toContain("knows no fault")
  })

  test("simulates the fault 400-policy as a response without candidates, with and without streaming", async () => {
    const model = "fault-400-policy"
    const whole = await responseTo(BODY, { model })
    expect(whole).not.toHaveProperty("candidates")
    expect(whole.promptFeedback).toEqual({ blockReason: "PROHIBITED_CONTENT" })
    expect(await chunksOf(BODY, { model })).toMatchObject([{ promptFeedback: {} }])
  })

  test("simulates the faults cut and malformed with and without streaming", async () => {
    const cut = await streamOf("cut")
    expect(cut.error).toBeInstanceOf(Error)
    expect(cut.text).not.toContain("finishReason")
    const { text } = await streamOf("malformed")
    expect(() => framesOf(text)).toThrow()
    await using server = withGemini()
    const whole = await server.post(pathOf({ model: "fault-malformed" }), BODY)
    await expect(whole.json()).rejects.toThrow()
  })

  test("simulates the fault stream-error within a stream", async () => {
    const chunks = framesOf((await streamOf("stream-error")).text)
    expect(chunks).toHaveLength(3)
    expect(chunks.at(-1) as unknown).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } })
  })

  test("omits the finish reason for the fault no-finish, and ignores no-done", async () => {
    expect((await streamOf("no-finish")).text).not.toContain("finishReason")
    expect((await streamOf("no-done")).text).toContain("finishReason")
  })

  test("simulates the faults crlf and comments", async () => {
    for (const name of ["crlf", "comments"]) {
      const { text } = await streamOf(name)
      expect(text.replaceAll("\r\n", "")).not.toContain("\n")
      expect(text).not.toContain("\r\r")
      expect(text.includes(": PROCESSING\r\n\r\n")).toBe(name === "comments")
    }
  })

  test("simulates missing, zero and huge usage", async () => {
    expect(await responseTo(BODY, { model: "fault-no-usage" })).not.toHaveProperty("usageMetadata")
    expect((await streamOf("no-usage")).text).not.toContain("usageMetadata")
    const zero = await responseTo(BODY, { model: "fault-wrong-usage" })
    expect(zero.usageMetadata).toMatchObject({ promptTokenCount: 0, totalTokenCount: 0 })
    const chunks = await chunksOf(BODY, { model: "fault-wrong-usage" })
    expect(chunks.every(({ usageMetadata }) => usageMetadata.totalTokenCount === 0)).toBe(true)
    const huge = await chunksOf(BODY, { model: "fault-huge-usage" })
    expect(huge.at(-1)?.usageMetadata.candidatesTokenCount).toBeGreaterThan(1_000_000)
  })

  test("simulates the fault flaky with the requested number of failures for each distinct message", async () => {
    await using server = withGemini()
    const statuses: number[] = []
    for (const text of ["a", "a", "a", "b"]) {
      const response = await server.post(pathOf({ model: "flaky-2" }), ask(text))
      statuses.push(response.status)
      await response.text()
    }
    expect(statuses).toEqual([500, 500, 200, 500])
  })

  test("simulates the faults html, empty, redirect and echo-headers", async () => {
    await using server = withGemini()
    const played = (name: string) =>
      server.post(pathOf({ model: `fault-${name}` }), BODY, { headers: { "x-own": "yes" } })
    expect(await (await played("html")).text()).toContain("<html>")
    expect(await (await played("empty")).text()).toBe("")
    expect((await played("redirect")).status).toBe(302)
    const mirror = (await (await played("echo-headers")).json()) as SimulatedResponse
    const text = mirror.candidates[0]?.content.parts?.[0]?.text ?? ""
    expect(JSON.parse(text)).toMatchObject({ "x-own": "yes" })
  })

  test("simulates a stream that stalls until its reader disconnects", async () => {
    await using server = withGemini()
    const leaving = new AbortController()
    const path = pathOf({ model: "fault-stall", isStream: true })
    const response = await server.post(path, BODY, { signal: leaving.signal })
    await response.body?.getReader().read()
    expect(server.open).toBe(1)
    leaving.abort()
    await server.requests[0]?.settled()
    expect(server.requests[0]?.aborted).toBe(true)
  })

  test("simulates all faults without an internal error, as events and as a list", async () => {
    await using server = withGemini()
    const quick = FAULT_NAMES.filter((name) => !/^(slow|stall|flaky)/.test(name))
    for (const name of quick) {
      const model = `fault-${name}`
      const events = pathOf({ model, isStream: true })
      for (const path of [pathOf({ model }), events, events.replace("?alt=sse", "")]) {
        await readUntilEnd(await server.post(path, BODY))
      }
    }
    expect(server.open).toBe(0)
  })
})

const ROOT = join(import.meta.dir, "../../../shared/fixtures")
const present = existsSync(ROOT)
const SKIPPED = present ? "" : " (skipped: recordings are absent)"

interface Recorded {
  readonly request: { readonly url: string; readonly body: { readonly json?: object } | null }
  readonly response: { readonly body: { readonly json?: object; readonly text?: string } }
}

function recorded(file: string): Recorded {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")) as Recorded
}

interface Indexed {
  readonly file: string
  readonly dialect: string
  readonly status: number
  readonly url: string
}

function indexed(): Indexed[] {
  if (!present) return []
  return readFileSync(join(ROOT, "index.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Indexed)
    .filter(({ dialect }) => dialect === "gemini-generatecontent" || dialect === "vertex")
    .filter(({ url }) => url.includes("enerateContent"))
}

/** Replaces signatures of other systems with the accepted placeholder, and completes strings that were cut. */
function repaired(_key: string, value: unknown): unknown {
  if (typeof value !== "string") return value
  const kept = value.replace(/…\[TRUNCATED \d+ chars\]$/, "")
  return kept === value ? value : kept.slice(0, Math.floor(kept.length / 4) * 4)
}

function withDummies(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDummies)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      /^thought_?signature$/i.test(key)
        ? [key, "skip_thought_signature_validator"]
        : [key, withDummies(inner)],
    ),
  )
}

describe(`the Gemini simulator with recorded requests${SKIPPED}`, () => {
  for (const { file } of indexed().filter(({ status }) => status === 200)) {
    const { request } = recorded(file)
    const body = request.body?.json as { cachedContent?: string } | undefined
    // Some recordings have no body, and one names a cache that Google stored.
    if (body === undefined || body.cachedContent !== undefined) continue
    test(`accepts ${file}`, async () => {
      await using server = withGemini()
      const sent = JSON.parse(JSON.stringify(withDummies(body)), repaired)
      const isVertex = file.includes("/vertex/")
      const model = /models\/([^:]+):/.exec(request.url)?.[1] ?? ""
      const response = await server.post(pathOf({ model, isVertex }), sent)
      expect(response.status, await response.text()).toBe(200)
    })
  }
})

describe(`the Gemini simulator compared with recordings${SKIPPED}`, () => {
  const FOLDER = "recorded/gemini-generatecontent"
  const KNOWN_MODEL = { model: "gemini-2.5-flash" }

  test.skipIf(!present)(`returns the same response without streaming${SKIPPED}`, async () => {
    const name = "chat-function-calling-gemini-gemini-2-5-flash-can-use-parallel-tool-calls--0"
    const theirs = recorded(`${FOLDER}/${name}.json`).response.body.json
    const thinkingConfig = { thinkingBudget: 1024 }
    const body = ask("get_time and get_weather", {
      tools: TOOLS,
      generationConfig: { thinkingConfig },
    })
    const keys = (response: unknown) => keySet(response).filter((key) => !key.includes(".args."))
    expect(keys(await responseTo(body, KNOWN_MODEL))).toEqual(keys(theirs))
  })

  test.skipIf(!present)(`returns the same stream with thoughts${SKIPPED}`, async () => {
    const name =
      "chat-with-extended-thinking-gemini-gemini-3-flash-preview-streams-thinking-content-when-av--0"
    const theirs = framesOf(recorded(`${FOLDER}/${name}.json`).response.body.text ?? "")
    const generationConfig = { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } }
    const ours = await chunksOf(ask("one two", { generationConfig }), KNOWN_MODEL)
    expect(keySet(ours)).toEqual(keySet(theirs))
    expect(keySet(ours.at(-1))).toEqual(keySet(theirs.at(-1)))
  })

  test.skipIf(!present)(`returns the same errors for unknown models${SKIPPED}`, async () => {
    const theirs = recorded(`${FOLDER}/test-model-name-suggestion-google--0.json`).response.body
      .json
    await using server = withGemini()
    // A name that looks like a Google model is treated as one, so the fault is requested with a header.
    const headers = { "x-simulate-fault": "404" }
    const path = pathOf({ model: "gemini-3.6-flahs" })
    expect(await (await server.post(path, BODY, { headers })).json()).toEqual(theirs as object)
  })
})
