import { expect } from "bun:test"
import { isHarmless } from "../../agents/expected.ts"
import type { SixUpstreams } from "../matrix/six-upstreams.ts"

/** A request in the form in which an agent sends it. */
export interface AgentRequest {
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** A frame whose content a test checks. */
export type Frame = Readonly<Record<string, unknown>>

/** Sends the request with the caller's key, and asserts that it is answered without a loss that matters. */
export async function ask(upstreams: SixUpstreams, request: AgentRequest): Promise<Response> {
  const { path, body, headers } = request
  const response = await upstreams.caller.post(path, body, headers)
  if (response.status !== 200) expect(await response.text()).toBe("answered")
  const losses = response.headers.get("x-tollgate-losses")?.split(", ") ?? []
  expect(losses.filter((loss) => !isHarmless(loss))).toEqual([])
  return response
}

/** Returns the data of each frame of a streamed response. */
export async function framesOf(response: Response): Promise<readonly Frame[]> {
  expect(response.headers.get("content-type")).toStartWith("text/event-stream")
  const lines = (await response.text()).split(/\r?\n/)
  const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6))
  return data.filter((text) => text !== "[DONE]").map((text) => JSON.parse(text) as Frame)
}
