import { describe, expect, test } from "bun:test"
import { ERROR_KINDS, GatewayError } from "../../../src/canon/errors.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { HAS_FIXTURES, readFixture } from "./fixtures.ts"

/** Rejections that depend on the model or come from another check, so the vendor decides about them. */
const VENDORS_BUSINESS: Readonly<Record<string, string>> = {
  "n=1+response_format=[object Object]": "json_object depends on the model",
  "metadata={}+n=1": "metadata needs store only at OpenAI",
  "prediction=Hello": "prediction depends on the model",
  "gpt-4o-audio-preview n=-1": "that model answers with the words of another checker",
  "gpt-4o-audio-preview top_p=-1": "that model answers with the words of another checker",
  "gpt-4o-audio-preview stop=": "other models take an empty list",
  "gpt-4o-audio-preview user=123": "that model answers with the words of another checker",
}

/** Errors for which OpenAI has another code or no code. The gateway's codes are a closed set. */
const OTHER_CODES: Readonly<Record<string, string>> = {
  object_above_max_properties: "invalid_value",
}

interface RecordedError {
  readonly name: string
  readonly request: Record<string, never>
  readonly status: number
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

const recorded: RecordedError[] = HAS_FIXTURES
  ? JSON.parse(readFixture("fauxpenai/chat-errors.json"))
  : []

function nameOf({ name, request }: RecordedError): string {
  const model: unknown = request.model
  return model === "gpt-4o-audio-preview" ? `${model} ${name}` : name
}

function refusalOf(body: Record<string, never>): GatewayError {
  try {
    OPENAI_CHAT.decodeRequest(body)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("the request was taken")
}

describe("requests that OpenAI rejected in recordings", () => {
  test.skipIf(!HAS_FIXTURES)("include more than 20 requests", () => {
    expect(recorded.length).toBeGreaterThan(20)
  })

  for (const example of recorded.filter((example) => !(nameOf(example) in VENDORS_BUSINESS))) {
    test(`receive OpenAI's error: ${nameOf(example).slice(0, 60)}`, () => {
      const { message, type, param, code } = example.error
      const error = refusalOf(example.request)
      const { body, status } = OPENAI_CHAT.encodeError(error, "request-1")
      expect(status).toBe(example.status)
      expect(error.message).toBe(message)
      expect(ERROR_KINDS[error.kind].type).toBe(type)
      // For a missing model, OpenAI's error has no param, and the gateway's error names the field.
      expect(error.details.parameter).toBe(param ?? "model")
      const plain = code?.replace(/^(integer|decimal)_/, "")
      const own = plain === undefined ? undefined : (OTHER_CODES[plain] ?? plain)
      if (own !== undefined) expect(ERROR_KINDS[error.kind].code).toBe(own)
      expect(body).toMatchObject({ error: { message, type, error_type: error.kind } })
    })
  }

  test.skipIf(!HAS_FIXTURES)(
    "fail if a value is out of range, and pass if only the vendor checks the rule",
    () => {
      const left = recorded.filter((example) => nameOf(example) in VENDORS_BUSINESS)
      expect(left.length).toBeGreaterThan(0)
      for (const example of left) {
        const isRanges = /n=-1|top_p=-1|user=123/.test(example.name)
        if (isRanges) expect(refusalOf(example.request).status).toBe(400)
        else expect(() => OPENAI_CHAT.decodeRequest(example.request)).not.toThrow()
      }
    },
  )
})

describe("requests that OpenAI answered in recordings", () => {
  const answered: { request: Record<string, never>; status: number }[] = HAS_FIXTURES
    ? JSON.parse(readFixture("fauxpenai/chat-success.json"))
    : []

  test.skipIf(!HAS_FIXTURES)("pass the gateway's validation", () => {
    expect(answered.length).toBeGreaterThan(0)
    for (const { request } of answered) {
      expect(() => OPENAI_CHAT.decodeRequest(request)).not.toThrow()
    }
  })
})
