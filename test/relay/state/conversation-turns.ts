import { expect } from "bun:test"
import type { TestCaller } from "../../support/gateway.ts"

/** The path for turns of a conversation. */
export const PATH = "/v1/responses"

/** The fields of a turn that the tests read. */
export interface Answered {
  readonly id: string
  readonly output: readonly { readonly id: string }[]
}

/** A turn of `echo`, stored unless the body has `store: false`. */
export async function asked(caller: TestCaller, body: object): Promise<Answered> {
  const response = await caller.post(PATH, { model: "sim/echo", ...body })
  expect(response.status).toBe(200)
  return (await response.json()) as Answered
}

/** Returns the status of a turn that continues another turn. */
export async function statusOf(caller: TestCaller, previous: string): Promise<number> {
  const order = { model: "sim/echo", input: "Hi", previous_response_id: previous }
  const response = await caller.post(PATH, order)
  await response.body?.cancel()
  return response.status
}
