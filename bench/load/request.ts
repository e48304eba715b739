import type { Address } from "../subjects/subject.ts"

/** Tokens of the requested answer. */
export const ANSWER_TOKENS = 200
/** Tokens of a streamed answer: with role, finish, usage and end mark it has 100 frames. */
export const STREAM_TOKENS = 96
/** Frames of a streamed answer, the end mark included. */
export const STREAM_FRAMES = 100
/** Texts in one request for embeddings. */
export const INPUTS = 100
/** Bytes of a long prompt. */
const LONG_PROMPT = 50_000

const SYSTEM =
  "You are a careful assistant of a small company. Answer in plain words, keep to the facts you " +
  "were given, and say so when you do not know."
const QUESTION =
  "Please write the monthly letter to our customers: what is new, what has been repaired, and when " +
  "the next release will be published."

/** A chat completion of two messages, about 300 bytes, whose answer has this many tokens. */
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

/** The same body, after 50 kB of other text. */
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

/** A hundred short texts to embed, with the vectors in base64 as the official clients ask for them. */
export function embeddingsBody(model: string): string {
  const input = Array.from({ length: INPUTS }, (_, index) => `${index}: ${QUESTION}`)
  return JSON.stringify({ model, input, encoding_format: "base64" })
}

/** The same question, streamed, in Anthropic's dialect. */
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

/** The same question, streamed, in the dialect of OpenAI's responses. */
export function responsesBody(model: string, tokens: number): string {
  return JSON.stringify({
    model,
    instructions: SYSTEM,
    input: `/tokens ${tokens} ${QUESTION}`,
    temperature: 0.7,
    stream: true,
  })
}

/** The bytes of a whole HTTP request with that body. */
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
