import { expect } from "bun:test"
import Anthropic from "@anthropic-ai/sdk"
import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages"
import { startSimulator, type Simulator } from "../../simulator/server.ts"

export type Fields = Record<string, unknown>

export const TOOLS = [
  {
    name: "get_weather",
    input_schema: {
      type: "object" as const,
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
  { name: "get_time", input_schema: { type: "object" as const } },
]
export const THINKING = { type: "enabled" as const, budget_tokens: 1024 }
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

export function withClient(): Simulator & { readonly client: Anthropic } {
  const simulator = startSimulator()
  const client = new Anthropic({ apiKey: "any", baseURL: simulator.url, maxRetries: 0 })
  return Object.assign(simulator, { client })
}

export function asking(text: string, more: Fields = {}) {
  return {
    model: "claude",
    max_tokens: 4096,
    messages: [{ role: "user", content: text }],
    ...more,
  } as MessageCreateParamsNonStreaming
}

export function post(
  simulator: Simulator,
  body: unknown,
  headers: Record<string, string> = {},
  path = "/v1/messages",
): Promise<Response> {
  return fetch(simulator.url + path, {
    method: "POST",
    headers: { "x-api-key": "any", "anthropic-version": "2023-06-01", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    redirect: "manual",
  })
}

/** Returns the message of the error with which a body is rejected. */
export async function rejectionOf(
  body: unknown,
  headers?: Record<string, string>,
): Promise<string> {
  await using simulator = startSimulator()
  const response = await post(simulator, body, headers)
  expect(response.status).toBe(400)
  const { type, error } = (await response.json()) as {
    type: string
    error: { type: string; message: string }
  }
  expect([type, error.type]).toEqual(["error", "invalid_request_error"])
  return error.message
}

/** Returns the events of a streamed response, and checks the `event:` line of each. */
export function eventsOf(text: string): Fields[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("event: "))
    .map((frame) => {
      const [event = "", data = ""] = frame.split("\n")
      const parsed = JSON.parse(data.slice("data: ".length)) as Fields
      expect(event).toBe(`event: ${String(parsed.type)}`)
      return parsed
    })
}
