import { expect } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"

export type Fields = Record<string, unknown>

export const TOOL_CONFIG = {
  tools: [
    {
      toolSpec: {
        name: "get_weather",
        inputSchema: { json: { type: "object", properties: { city: { type: "string" } } } },
      },
    },
    { toolSpec: { name: "get_time", inputSchema: { json: { type: "object" } } } },
  ],
}
export const THINKING = { thinking: { type: "enabled", budget_tokens: 1024 } }
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

export function asking(text: string, more: Fields = {}): Fields {
  return { messages: [{ role: "user", content: [{ text }] }], ...more }
}

/** Returns the address of a model. */
export function addressOf(simulator: Simulator, model = "claude", stream = false): string {
  const operation = stream ? "converse-stream" : "converse"
  return `${simulator.url}/model/${encodeURIComponent(model)}/${operation}`
}

export function post(
  simulator: Simulator,
  body: unknown,
  more: { model?: string; stream?: boolean; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(addressOf(simulator, more.model, more.stream), {
    method: "POST",
    headers: { authorization: "Bearer any", ...more.headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    redirect: "manual",
  })
}

/** Returns a response that is not streamed. */
export async function responseOf(simulator: Simulator, body: Fields): Promise<SimulatedResponse> {
  const response = await post(simulator, body)
  const answer: unknown = await response.json()
  expect(answer).toHaveProperty("output")
  return answer as SimulatedResponse
}

export interface SimulatedResponse {
  readonly output: { readonly message: { readonly role: string; readonly content: Fields[] } }
  readonly stopReason: string
  readonly usage: Record<string, number>
}

/** Returns the message with which a body is rejected as invalid. */
export async function rejectionOf(body: unknown): Promise<string> {
  await using simulator = startSimulator()
  const response = await post(simulator, body)
  expect(response.status).toBe(400)
  expect(response.headers.get("x-amzn-errortype")).toStartWith("ValidationException:http://")
  const { message } = (await response.json()) as { message: string }
  return message
}

/** One frame of a streamed response. */
export interface EventFrame {
  readonly headers: Record<string, string>
  readonly payload: string
}

const PRELUDE = 12

/** Splits a binary stream, and checks the lengths and both checksums of each frame. */
export function framesOf(stream: ArrayBuffer | Uint8Array): EventFrame[] {
  const bytes = Buffer.from(stream as Uint8Array)
  const frames: EventFrame[] = []
  let start = 0
  while (start < bytes.length) {
    const length = bytes.readUInt32BE(start)
    const frame = bytes.subarray(start, start + length)
    expect(frame.length).toBe(length)
    expect(Bun.hash.crc32(frame.subarray(0, 8))).toBe(frame.readUInt32BE(8))
    expect(Bun.hash.crc32(frame.subarray(0, length - 4))).toBe(frame.readUInt32BE(length - 4))
    const headersEnd = PRELUDE + frame.readUInt32BE(4)
    frames.push({
      headers: readHeaders(frame.subarray(PRELUDE, headersEnd)),
      payload: frame.toString("utf8", headersEnd, length - 4),
    })
    start += length
  }
  return frames
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {}
  let position = 0
  while (position < bytes.length) {
    const nameEnd = position + 1 + bytes.readUInt8(position)
    const valueStart = nameEnd + 3
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1)
    const name = bytes.toString("utf8", position + 1, nameEnd)
    expect(bytes.readUInt8(nameEnd)).toBe(7)
    headers[name] = bytes.toString("utf8", valueStart, valueEnd)
    position = valueEnd
  }
  return headers
}

/** Returns the events of a streamed response with their types. */
export async function eventsOf(response: Response): Promise<(Fields & { event: string })[]> {
  return framesOf(await response.arrayBuffer()).map(({ headers, payload }) => ({
    ...(JSON.parse(payload) as Fields),
    event: headers[":event-type"] ?? headers[":exception-type"] ?? "",
  }))
}
