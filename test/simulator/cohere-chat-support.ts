import { expect } from "bun:test"
import { CohereClientV2 } from "cohere-ai"
import { cohereChat } from "../../simulator/cohere-chat/index.ts"
import { serveFormat } from "./format-server.ts"

export const PATH = "/v2/chat"

/** Starts a server for the format, with its official client. */
export function withCohere() {
  const server = serveFormat(cohereChat)
  const client = new CohereClientV2({ token: "any", environment: server.url, maxRetries: 0 })
  return Object.assign(server, { client })
}

/** Returns a request whose response repeats the text. */
export function ask(text: string, more: Record<string, unknown> = {}) {
  return { model: "echo", messages: [{ role: "user", content: text }], ...more }
}

export interface SimulatedResponse {
  readonly id: string
  readonly finish_reason: string
  readonly message: {
    readonly content?: { type: string; text?: string; thinking?: string }[]
    readonly tool_plan?: string
    readonly tool_calls?: { id: string; function: { name: string; arguments: string } }[]
    readonly citations?: { start: number; end: number; text: string; content_index?: number }[]
  }
  readonly usage: {
    readonly billed_units: { input_tokens: number; output_tokens: number }
    readonly tokens: Record<string, number>
    readonly cached_tokens: number
  }
}

/** Returns the response, which is not streamed, to a valid request. */
export async function responseTo(body: unknown): Promise<SimulatedResponse> {
  await using server = withCohere()
  const response = await server.post(PATH, body)
  expect(response.status).toBe(200)
  return (await response.json()) as SimulatedResponse
}

/** Returns the status and the message with which a request is rejected. */
export async function rejectionOf(body: unknown, headers = {}): Promise<[number, string]> {
  await using server = withCohere()
  const response = await server.post(PATH, body, { headers })
  const rejection = (await response.json()) as { id: string; message: string }
  expect(rejection.id).toMatch(/^[0-9a-f-]{36}$/)
  return [response.status, rejection.message]
}

/** Returns the parsed frames of a stream. */
export function framesOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n\n")
    .flatMap((frame) => frame.split("\n"))
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>)
}

const WEATHER = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}
export const CLOCK = {
  type: "function" as const,
  function: { name: "get_time", parameters: { type: "object", properties: {} } },
}
export const TOOLS = [WEATHER, CLOCK]
