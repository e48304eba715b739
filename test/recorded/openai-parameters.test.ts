import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { CHAT, expectStream, expectWhole } from "./checks.ts"
import { type ReplayGateway, type Staged, startReplayGateway } from "./replay-gateway.ts"

interface RecordedCall {
  readonly name: string
  readonly request: JsonObject
  readonly status: number
}

interface RecordedRefusal extends RecordedCall {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

interface RecordedSuccess extends RecordedCall {
  readonly body: JsonObject | readonly JsonObject[]
}

function read<T>(file: string): T[] {
  return HAS_FIXTURES ? (JSON.parse(readFixture(`fauxpenai/${file}`)) as T[]) : []
}

const refusals = read<RecordedRefusal>("chat-errors.json").map((call) => ({
  ...call,
  id: `${String(call.request.model ?? "no model")} ${call.name}`.slice(0, 80),
}))
const successes = read<RecordedSuccess>("chat-success.json").map((call, index) => ({
  ...call,
  id: `${index} ${String(call.request.model)} ${call.name}`.slice(0, 80),
}))

/** Parameters that only one model rejects. The gateway sends them, and returns the model's error. */
const MODELS_BUSINESS: ReadonlySet<string> = new Set([
  "gpt-4 n=1+response_format=[object Object]",
  "gpt-4 metadata={}+n=1",
  "gpt-4 prediction=Hello",
  "gpt-4o-audio-preview stop=",
])

/** Parameters for which one model has an error of another check. The gateway's errors are those of all other models. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  "gpt-4o-audio-preview n=-1",
  "gpt-4o-audio-preview top_p=-1",
  "gpt-4o-audio-preview user=123",
])

const ours = refusals.filter(({ id }) => !MODELS_BUSINESS.has(id) && !OTHER_WORDS.has(id))
const models = refusals.filter(({ id }) => MODELS_BUSINESS.has(id))
const otherWords = refusals.filter(({ id }) => OTHER_WORDS.has(id))

const NEVER_REACHED = "unreached"

let replaying: ReplayGateway

beforeAll(async () => {
  const rejected = models.map(({ id, status, error }) => staged(id, status, [{ error }]))
  const answered = successes.map(({ id, status, body }) => staged(id, status, body))
  replaying = await startReplayGateway([...rejected, ...answered, staged(NEVER_REACHED, 500, [])])
})

afterAll(() => replaying[Symbol.asyncDispose]())

function staged(id: string, status: number, body: JsonObject | readonly JsonObject[]): Staged {
  const isStream = status === 200 && Array.isArray(body)
  const type = isStream ? "text/event-stream; charset=utf-8" : "application/json"
  const replay = { status, headers: { "content-type": type }, body: textOf(status, body) }
  return { id, provider: "openai", vendor: "openai", replay }
}

function textOf(status: number, body: JsonObject | readonly JsonObject[]): string {
  if (!Array.isArray(body)) return JSON.stringify(body)
  if (status !== 200) return JSON.stringify(body[0] ?? {})
  const frames = body.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  return `${frames.join("")}data: [DONE]\n\n`
}

/** Sends a recorded request for a public model, or without a model if it names no model. */
async function send(request: JsonObject, id: string) {
  const body = request.model ? { ...request, model: replaying.modelOf(id) } : request
  const response = await replaying.caller.post(CHAT, body)
  const { error } = (await response.json()) as { error: JsonObject }
  return { status: response.status, error }
}

/** Returns an error code in the gateway's form, which names the fault and not the type of the number. */
function plainCode(code: string | null): string | undefined {
  if (code === "object_above_max_properties") return "invalid_value"
  return code?.replace(/^(integer|decimal)_/, "")
}

describe(`requests that OpenAI rejected in recordings${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist in the recordings${WITHOUT_FIXTURES}`, () => {
    expect(ours.length).toBeGreaterThan(20)
    expect(ours.length + models.length + otherWords.length).toBe(refusals.length)
  })

  for (const { id, request, status, error: recorded } of ours) {
    test(`get OpenAI's error without a call: ${id}`, async () => {
      const before = replaying.vendor.countFor(NEVER_REACHED)
      const { status: received, error } = await send(request, NEVER_REACHED)
      expect(received).toBe(status)
      expect(error.message).toBe(recorded.message)
      expect(error.type).toBe(recorded.type)
      // For a missing model, OpenAI's error has no param, and the gateway's error names the field.
      expect(error.param).toBe(recorded.param ?? "model")
      const code = plainCode(recorded.code)
      if (code !== undefined) expect(error.code).toBe(code)
      expect(replaying.vendor.countFor(NEVER_REACHED)).toBe(before)
    })
  }

  for (const { id, request } of otherWords) {
    test(`get the same error for all other models: ${id}`, async () => {
      const { status, error } = await send(request, NEVER_REACHED)
      expect(status).toBe(400)
      expect(error.type).toBe("invalid_request_error")
      expect(error.param).toBe(/^\S+ (\w+)=/.exec(id)?.[1] ?? "")
    })
  }

  for (const { id, request, status, error: recorded } of models) {
    test(`keep the rejection that the model itself returned: ${id}`, async () => {
      const { status: received, error } = await send(request, id)
      expect(received).toBe(status)
      expect(error.message).toBe(recorded.message)
      expect(error.type).toBe(recorded.type)
      expect(error.param).toBe(recorded.param)
      expect(error.code).toBe(recorded.code ?? "rejected_by_upstream")
    })
  }
})

describe(`requests that OpenAI answered in recordings${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist in the recordings${WITHOUT_FIXTURES}`, () => {
    expect(successes.length).toBeGreaterThan(100)
  })

  for (const { id, request, status, body } of successes) {
    test(`get the recorded response: ${id}`, async () => {
      const call = { id, vendor: "openai", request, recorded: textOf(status, body) }
      if (Array.isArray(body)) await expectStream(replaying, call, true)
      else await expectWhole(replaying, call)
    })
  }
})
