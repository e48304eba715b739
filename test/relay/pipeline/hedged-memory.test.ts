import { expect, test } from "bun:test"
import { equalLimits } from "../../support/settings.ts"
import { wholeResponse } from "../scripted-vendor.ts"
import { CHAT, HELLO, receiptOf } from "../support.ts"
import { lateSoon, pair, startHedgeWorld } from "./hedge-world.ts"

const MEGABYTE = 1024 * 1024
const PIECE = " ".repeat(MEGABYTE)

interface Moments {
  /** Called when nearly all of the response has been read. */
  readonly nearEnd?: () => void
  /** The end of the response is sent after this moment. */
  readonly mayEnd?: Promise<void>
  /** Called when the response has been read. */
  readonly end?: () => void
}

/** Returns a response of 12 MB. */
function long({ nearEnd, mayEnd, end }: Moments): Response {
  async function* pieces() {
    const text = JSON.stringify(wholeResponse())
    yield text.slice(0, -1)
    for (let sent = 0; sent < 12; sent++) yield PIECE
    nearEnd?.()
    await mayEnd
    yield text.slice(-1)
    end?.()
  }
  const source = pieces()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await source.next()
      if (value === undefined) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
  return new Response(body, { headers: { "content-type": "application/json" } })
}

test.each(["first", "second"])(
  "a response is not lost if only both hedged responses together exceed the memory: %s rejected",
  async (rejected) => {
    const limits = { ...equalLimits(16 * MEGABYTE), memoryBytes: 64 * MEGABYTE }
    await using world = await startHedgeWorld({ "first/a": pair("a") }, false, limits)
    using _ = lateSoon()
    const { caller, first, second } = world
    const { promise: isLong, resolve: nearEnd } = Promise.withResolvers<void>()
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: isSecond, resolve: called } = Promise.withResolvers<void>()
    const responses = async (isRejected: boolean): Promise<Response> => {
      if (!isRejected) return long({ nearEnd, mayEnd })
      await isLong
      return long({ end })
    }
    first.turns = [
      async () => {
        await isSecond
        return responses(rejected === "first")
      },
    ]
    second.turns = [
      () => {
        called()
        return responses(rejected === "second")
      },
    ]
    const response = await caller.post(CHAT, { model: "first/a", messages: HELLO })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain("Hello")
    expect(response.headers.get("x-tollgate-provider")).toBe(
      rejected === "first" ? "second" : "first",
    )
    expect(await receiptOf(caller, response)).toMatchObject({ status: "settled" })
  },
)
