import type { Address } from "../subjects/subject.ts"

/** Number of tokens in the requested response. */
export const RESPONSE_TOKENS = 200
/**
 * Number of tokens in a streamed response. Together with the frames for role, finish reason, usage and end marker, the
 * response has 100 frames.
 */
export const STREAM_TOKENS = 96
/** Number of frames in a streamed response, including the end marker. */
export const STREAM_FRAMES = 100
/** Number of texts in one request for embeddings. */
export const INPUTS = 100
/** Length of a long prompt in bytes. */
const LONG_PROMPT = 50_000

const SYSTEM =
  "You are a careful assistant of a small company. Answer in plain words, keep to the facts you " +
  "were given, and say so when you do not know."
const QUESTION =
  "Please write the monthly letter to our customers: what is new, what has been repaired, and when " +
  "the next release will be published."

/**
 * Returns a chat completion request of two messages, about 300 bytes, whose response has the given number of tokens.
 */
export function chatBody(model: string, tokens: number, isStream: boolean): string {
  return JSON.stringify({
    model,
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: `/tokens ${tokens} ${QUESTION}` },
    ],
    temperature: 0.7,
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
}

/** Returns the same body with 50 kB of additional text. */
export function longChatBody(model: string, tokens: number): string {
  const report = SYSTEM.concat(" ").repeat(Math.ceil(LONG_PROMPT / (SYSTEM.length + 1)))
  return JSON.stringify({
    model,
    messages: [
      { role: "system", content: report.slice(0, LONG_PROMPT) },
      { role: "user", content: `/tokens ${tokens} ${QUESTION}` },
    ],
    temperature: 0.7,
  })
}

/**
 * Returns a request that embeds a hundred short texts. The vectors are base64, as the official clients request them.
 */
export function embeddingsBody(model: string): string {
  const input = Array.from({ length: INPUTS }, (_, index) => `${index}: ${QUESTION}`)
  return JSON.stringify({ model, input, encoding_format: "base64" })
}

/** Returns the streamed chat request in Anthropic's dialect. */
export function messagesBody(model: string, tokens: number): string {
  return JSON.stringify({
    model,
    max_tokens: 1_000,
    system: SYSTEM,
    messages: [{ role: "user", content: `/tokens ${tokens} ${QUESTION}` }],
    temperature: 0.7,
    stream: true,
  })
}

/** Returns the streamed chat request in the dialect of OpenAI's responses. */
export function responsesBody(model: string, tokens: number): string {
  return JSON.stringify({
    model,
    instructions: SYSTEM,
    input: `/tokens ${tokens} ${QUESTION}`,
    temperature: 0.7,
    stream: true,
  })
}

/** Returns the bytes of a complete HTTP request with the given body. */
export function requestBytes(address: Address, body: string): Buffer {
  const headers = {
    host: `127.0.0.1:${address.port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...address.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${address.path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`)
}
