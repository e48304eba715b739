import { expect } from "bun:test"
import type { TestCaller } from "../../support/gateway.ts"

/** Where turns of a conversation are asked for. */
export const PATH = "/v1/responses"

/** The parts of a turn that the tests read. */
export interface Answered {
  readonly id: string
  readonly output: readonly { readonly id: string }[]
}

/** Makes a turn of the echo, stored by default. */
export async function asked(caller: TestCaller, body: object): Promise<Answered> {
  const response = await caller.post(PATH, { model: "sim/echo", ...body })
  expect(response.status).toBe(200)
  return (await response.json()) as Answered
}

/** How a turn that goes on from another is answered. */
export async function statusOf(caller: TestCaller, previous: string): Promise<number> {
  const order = { model: "sim/echo", input: "Hi", previous_response_id: previous }
  const response = await caller.post(PATH, order)
  await response.body?.cancel()
  return response.status
}
