import { expect } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"

export type Fields = Record<string, unknown>

export const TOOLS = [
  {
    type: "function" as const,
    name: "get_weather",
    strict: false,
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
  {
    type: "function" as const,
    name: "get_time",
    strict: false,
    parameters: { type: "object", properties: {} },
  },
]

export function asking(input: unknown, more: Fields = {}) {
  return { model: "gpt", input, ...more }
}

export function post(
  simulator: Simulator,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${simulator.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: "Bearer sk-any", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    redirect: "manual",
  })
}

/** Returns the error with which a body is rejected. */
export async function rejectionOf(body: unknown, simulator?: Simulator): Promise<Fields> {
  await using own = startSimulator()
  const response = await post(simulator ?? own, body)
  expect(response.status).toBeGreaterThanOrEqual(400)
  const { error } = (await response.json()) as { error: Fields }
  return { status: response.status, ...error }
}

/** Returns the events of a streamed response, and checks their `event:` lines and numbers. */
export function eventsOf(text: string): Fields[] {
  const events = text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.startsWith("event: "))
    .map((frame) => {
      const [event = "", data = ""] = frame.split(/\r?\n/)
      const parsed = JSON.parse(data.slice("data: ".length)) as Fields
      expect(event).toBe(`event: ${String(parsed.type)}`)
      return parsed
    })
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  return events
}
