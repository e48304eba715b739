import { expect, test } from "bun:test"
import type { UpstreamDialect } from "../../src/canon/dialect.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../../src/dialects/bedrock-converse/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"

/** Errors with which providers report that a prompt is too long for the model. */
const REPORTS: readonly (readonly [string, UpstreamDialect, object])[] = [
  [
    "OpenAI",
    OPENAI_CHAT,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "vLLM",
    OPENAI_CHAT,
    {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  ],
  [
    "llama.cpp",
    OPENAI_CHAT,
    {
      error: {
        code: 400,
        message:
          "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it",
        type: "exceed_context_size_error",
      },
    },
  ],
  [
    "OpenAI's responses",
    OPENAI_RESPONSES,
    {
      error: {
        message: "Your input exceeds the context window of this model.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "Anthropic",
    ANTHROPIC_MESSAGES,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "prompt is too long: 210000 tokens > 200000 maximum",
      },
    },
  ],
  [
    "Google",
    GEMINI,
    {
      error: {
        code: 400,
        message:
          "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  ["Bedrock", BEDROCK_CONVERSE, { message: "Input is too long for requested model." }],
]

test.each(REPORTS)(
  "an exceeded context length at %s is reported in the format of each caller",
  (_, vendor, body) => {
    const error = vendor.decodeError(400, body)
    expect(error.status).toBe(400)
    for (const client of [OPENAI_CHAT, OPENAI_RESPONSES]) {
      expect(client.encodeError(error, "r").body).toMatchObject({
        error: { code: "context_length_exceeded" },
      })
    }
    const { body: message } = ANTHROPIC_MESSAGES.encodeError(error, "r")
    expect(message).toMatchObject({ error: { type: "invalid_request_error" } })
    expect(JSON.stringify(message)).toMatch(/prompt is too long/)
    expect(GEMINI.encodeError(error, "r").body).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT" },
    })
  },
)
