import type { Simulator } from "../../simulator/server.ts"
import { RESPONSE, ARGUMENTS } from "./planted.ts"

/** The ways in which a vendor fails. The first part of its base URL selects the way. */
export const FAILINGS = ["rejected", "failed", "credential", "cut", "malformed"] as const
type Failing = (typeof FAILINGS)[number]

const STATUSES: Readonly<Partial<Record<Failing, number>>> = {
  rejected: 400,
  failed: 500,
  credential: 401,
}

export interface Vendor extends Disposable {
  readonly url: string
}

/**
 * Starts a vendor that answers like the simulator under `/good`. At all other addresses, its errors repeat the request.
 */
export function startVendor(simulator: Simulator): Vendor {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => response(request, simulator),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

async function response(request: Request, simulator: Simulator): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const [, way, ...rest] = pathname.split("/")
  if (way === "good") {
    return fetch(`${simulator.url}/${rest.join("/")}${search}`, {
      method: request.method,
      headers: request.headers,
      body: await request.arrayBuffer(),
    })
  }
  if (way === "scripted") return Response.json(withTools())
  const told = `${JSON.stringify([...request.headers])} ${await request.text()}`
  return badResponse(way as Failing, told)
}

/** @param told the complete request, which the response repeats. */
function badResponse(way: Failing, told: string): Response {
  const details = [{ "@type": "told", reason: told.slice(0, 600), [told.slice(0, 300)]: 1 }]
  const error = { type: told, code: told, param: told, status: told, message: told, details }
  const status = STATUSES[way]
  if (status !== undefined) {
    return Response.json({ type: "error", message: told, detail: told, error }, { status })
  }
  const begun = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":${JSON.stringify(RESPONSE)}}}]}\n\n`
  if (way === "malformed") return new Response(`{"choices": [${told}`, JSON_TYPE)
  return new Response(`${begun}data: ${JSON.stringify({ error })}\n\n`, STREAM_TYPE)
}

const JSON_TYPE = { headers: { "content-type": "application/json" } }
const STREAM_TYPE = { headers: { "content-type": "text/event-stream" } }

function withTools(): object {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "look", arguments: JSON.stringify({ at: ARGUMENTS }) },
  }
  const message = { role: "assistant", content: RESPONSE, tool_calls: [call] }
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "x",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  }
}
