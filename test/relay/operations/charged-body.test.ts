import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import { chargedBody, keepLastChunk } from "../../../src/relay/operations/charged-body.ts"
import { asCallFailure, CallEnded } from "../../../src/relay/lifetime/call-failure.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns a body that records how it ended, and that is charged when the promise resolves. */
function bodyOf(
  source: AsyncIterable<Uint8Array>,
  called: string[],
  charged: Promise<void> = Promise.resolve(),
): ReadableStream<Uint8Array> {
  return chargedBody({
    chunks: keepLastChunk(source),
    call: { id: "req_1", memory: { [Symbol.dispose]: () => {} } },
    hasErrorEvents: false,
    attempt: {
      fail(thrown) {
        const failure = asCallFailure(thrown)
        called.push(failure instanceof CallEnded ? failure.reason : failure.kind)
        return failure
      },
    },
    async end(ending) {
      await charged
      called.push(ending)
      return { isCharged: true }
    },
  })
}

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

/** Lets all pending callbacks run. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

describe("a body whose last chunk is delayed until the charge", () => {
  test("sends all but the last chunk immediately", async () => {
    const called: string[] = []
    const charge = Promise.withResolvers<void>()
    const body = bodyOf(chunks("a", "b", "c"), called, charge.promise)
    const reader = body.getReader()
    expect((await reader.read()).value).toEqual(bytes("a"))
    expect((await reader.read()).value).toEqual(bytes("b"))
    const last = reader.read()
    await severalTurns()
    expect(Bun.peek.status(last)).toBe("pending")
    charge.resolve()
    expect((await last).value).toEqual(bytes("c"))
    expect((await reader.read()).done).toBe(true)
    expect(called).toEqual(["whole"])
  })

  test("does not send the last chunk if the charge fails", async () => {
    const called: string[] = []
    const charge = Promise.reject(new Error("the disk is full"))
    const body = bodyOf(chunks("a", "b"), called, charge)
    const reader = body.getReader()
    expect((await reader.read()).value).toEqual(bytes("a"))
    await reader.read().then(
      () => expect.unreachable(),
      () => {},
    )
    expect(called).toEqual([])
  })

  test("ends with a single error when the source breaks", async () => {
    const called: string[] = []
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes("a")
      yield bytes("b")
      throw new GatewayError("upstream_timeout", "late")
    }
    const reader = bodyOf(broken(), called).getReader()
    expect((await reader.read()).value).toEqual(bytes("a"))
    await reader.read().then(
      () => expect.unreachable(),
      () => {},
    )
    expect(called).toEqual(["upstream_timeout", "broken"])
  })

  test("charges the delivered part when its reader disconnects", async () => {
    const called: string[] = []
    const reader = bodyOf(chunks("a", "b", "c"), called).getReader()
    await reader.read()
    await reader.cancel()
    expect(called).toEqual(["caller_disconnected", "left"])
  })

  test("reads from its source no faster than its reader", async () => {
    let read = 0
    async function* counted(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read++
        yield bytes("x")
      }
    }
    const reader = bodyOf(counted(), []).getReader()
    await reader.read()
    await severalTurns()
    expect(read).toBeLessThanOrEqual(2)
    await reader.cancel()
  })
})
