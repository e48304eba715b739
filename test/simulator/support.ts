import OpenAI from "openai"
import { startSimulator, type RecordedRequest, type Simulator } from "../../simulator/server.ts"

/** Starts a simulator with a client. A simulator is cheap, so each test has its own. */
export function withSimulator(cadence = 0): Simulator & { readonly client: OpenAI } {
  const simulator = startSimulator({ cadence })
  const client = new OpenAI({
    apiKey: "sk-any",
    baseURL: `${simulator.url}/v1`,
    maxRetries: 0,
  })
  return Object.assign(simulator, { client })
}

/** Posts a chat request without an official client. */
export function post(
  simulator: Simulator,
  body: unknown,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-any", "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    redirect: "manual",
    ...init,
  })
}

/** Returns a request body that asks `model` to repeat a text. */
export function echoBody(text: string, more: Record<string, unknown> = {}) {
  return { model: "echo", messages: [{ role: "user", content: text }], ...more }
}

/** Returns the record of the last request. */
export function lastRequest(simulator: Simulator): RecordedRequest {
  const request = simulator.requests.at(-1)
  if (request === undefined) throw new Error("the simulator has got no request")
  return request
}

/** Returns the parsed `data:` frames of a streamed response, without the end marker. */
export function framesOf(text: string): Record<string, unknown>[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.startsWith("data: ") && frame !== "data: [DONE]")
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Record<string, unknown>)
}

/** Reads a body until it ends or breaks. */
export async function readUntilEnd(
  response: Response,
): Promise<{ text: string; error: unknown; chunks: number }> {
  const decoder = new TextDecoder()
  let text = ""
  let chunks = 0
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      chunks++
    }
  } catch (error) {
    return { text, error, chunks }
  }
  return { text, error: undefined, chunks }
}

/**
 * Returns the error with which a promise is rejected. The promises of the official client do not work with `rejects`.
 */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("expected a rejection")
}
