import { expect } from "bun:test"
import { geminiFormat } from "../../simulator/gemini/index.ts"
import { type FormatServer, type PostOptions, serveFormat } from "./format-server.ts"

/** Options of a request: streamed or not, the model, and the address. */
export interface Asking extends PostOptions {
  readonly model?: string
  readonly isStream?: boolean
  readonly isVertex?: boolean
}

export function withGemini(): FormatServer {
  return serveFormat(geminiFormat)
}

/** Returns the path of a model. On Vertex, it contains a project and a location. */
export function pathOf({ model = "echo", isStream = false, isVertex = false }: Asking): string {
  const method = isStream ? "streamGenerateContent?alt=sse" : "generateContent"
  return isVertex
    ? `/v1/projects/p/locations/global/publishers/google/models/${model}:${method}`
    : `/v1beta/models/${model}:${method}`
}

/** Returns a body whose response repeats the text. */
export function ask(text: string, more: Record<string, unknown> = {}) {
  return { contents: [{ role: "user", parts: [{ text }] }], ...more }
}

export interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: { readonly name: string; readonly args: object }
}

export interface SimulatedResponse {
  readonly candidates: {
    readonly content: { readonly role?: string; readonly parts?: Part[] }
    readonly finishReason?: string
    readonly finishMessage?: string
    readonly index: number
  }[]
  readonly usageMetadata: Record<string, number>
  readonly modelVersion: string
  readonly promptFeedback?: { readonly blockReason: string }
}

/** Returns the response, which is not streamed, to a valid request. */
export async function responseTo(body: unknown, asking: Asking = {}): Promise<SimulatedResponse> {
  await using server = withGemini()
  const response = await server.post(pathOf(asking), body, asking)
  const answer = await response.json()
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return answer as SimulatedResponse
}

/** Returns the parts of the first candidate. */
export async function partsOf(body: unknown, asking: Asking = {}): Promise<Part[]> {
  return (await responseTo(body, asking)).candidates[0]?.content.parts ?? []
}

/** Returns the chunks of a streamed response. */
export async function chunksOf(body: unknown, asking: Asking = {}): Promise<SimulatedResponse[]> {
  await using server = withGemini()
  const response = await server.post(pathOf({ ...asking, isStream: true }), body, asking)
  return framesOf(await response.text())
}

/** Returns the parsed frames of a stream whose lines end like Google's. */
export function framesOf(text: string): SimulatedResponse[] {
  return text
    .split("\r\n\r\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as SimulatedResponse)
}

/** Returns the HTTP status, the status name and the message with which a request is rejected. */
export async function rejectionOf(
  body: unknown,
  asking: Asking = {},
): Promise<{ status: number; word: string; message: string; details?: object[] }> {
  await using server = withGemini()
  const response = await server.post(pathOf(asking), body, asking)
  const { error } = (await response.json()) as {
    error: { code: number; status: string; message: string; details?: object[] }
  }
  expect(error.code).toBe(response.status)
  const { status: word, message, details } = error
  return { status: error.code, word, message, ...(details === undefined ? {} : { details }) }
}

export const WEATHER = {
  name: "get_weather",
  parameters: {
    type: "OBJECT",
    properties: { city: { type: "STRING" }, days: { type: "ARRAY", items: { type: "INTEGER" } } },
    required: ["city"],
  },
}

export const CLOCK = { name: "get_time" }

export const TOOLS = [{ functionDeclarations: [WEATHER, CLOCK] }]

/** Returns a body whose response repeats the text, with the given configuration. */
export function configured(text: string, generationConfig: Record<string, unknown>) {
  return ask(text, { generationConfig })
}

/** Returns the tools, and the mode in which they may be called. */
export function calling(mode: string, allowedFunctionNames?: string[]) {
  const functionCallingConfig =
    allowedFunctionNames === undefined ? { mode } : { mode, allowedFunctionNames }
  return { tools: TOOLS, toolConfig: { functionCallingConfig } }
}
