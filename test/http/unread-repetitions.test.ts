import { expect, jest, test } from "bun:test"
import { fromNeighbour, fromReader, fromStored } from "../../src/http/idempotency/responses.ts"
import type { RecordingReader } from "../../src/http/idempotency/recording.ts"
import type { StoredResponse } from "../../src/http/idempotency/stored-response.ts"
import { MemoryBudget, type Reservation } from "../../src/limits/memory-budget.ts"

const MEGABYTE = 1024 * 1024
const CHUNK_BYTES = 256 * 1024
const HOLDER = { id: "key", account: "account" }
const FRAME = `data: ${"a".repeat(CHUNK_BYTES - 8)}\n\n`
const FRAMES = [FRAME, FRAME, FRAME, FRAME]
const EVENTS = { status: 200, headers: { "content-type": "text/event-stream" } }

type Chunks = (Uint8Array<ArrayBuffer> | Promise<undefined>)[]
type Build = (memory: Reservation, chunks: Chunks) => Promise<Response>

const never = new AbortController().signal

function bytesOf(texts: readonly string[]): Chunks {
  return texts.map((text) => new Uint8Array(Buffer.from(text)))
}

function sizeOf(chunks: Chunks): number {
  return chunks.reduce((sum, each) => sum + (each instanceof Promise ? 0 : each.byteLength), 0)
}

/** Replays a response that is still being recorded, or whose recording broke off. */
const running: Build = (memory, chunks) => {
  const reader = {
    begun: async () => EVENTS,
    rest: undefined,
    ready: sizeOf(chunks),
    read: async () => await chunks.shift(),
    leave() {},
  }
  return fromReader(reader as unknown as RecordingReader, never, { memory })
}

function stored(ending: "whole" | "cut"): Build {
  return (memory, chunks) => {
    const response = {
      head: EVENTS,
      length: sizeOf(chunks),
      ending,
      next: async () => await chunks.shift(),
      async [Symbol.asyncDispose]() {},
    }
    return fromStored(response as unknown as StoredResponse, { memory })
  }
}

/** Replays a response that another process is recording, so its length is unknown. */
const neighbour: Build = (memory, chunks) => {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  return fromNeighbour({ head: EVENTS, response: new Response(body) }, { memory })
}

const SOURCES: [string, Build][] = [
  ["a running answer", running],
  ["a stored answer", stored("whole")],
  ["a stored answer that broke off", stored("cut")],
  ["an answer of another process", neighbour],
]

test.each(SOURCES)(
  "replays of %s reserve memory until clients have read them",
  async (_, build) => {
    const budget = new MemoryBudget(4 * MEGABYTE)
    using memory = budget.open(HOLDER)
    const unread = await build(memory, bytesOf(FRAMES))
    expect(budget.held).toBe(2 * CHUNK_BYTES)
    const others = await Promise.allSettled(
      Array.from({ length: 20 }, () => build(memory, bytesOf(FRAMES))),
    )
    const rejected = others.flatMap((each) => (each.status === "rejected" ? [each.reason] : []))
    expect(rejected.length).toBeGreaterThan(10)
    expect(rejected[0]).toMatchObject({ kind: "overloaded" })
    await Promise.all(others.map((each) => each.status === "fulfilled" && each.value.text()))
    expect(await unread.text()).toStartWith(FRAMES.join(""))
    expect(budget.held).toBe(0)
  },
)

test.each(SOURCES)("a replay of %s is aborted if its client stops reading", async (_, build) => {
  jest.useFakeTimers()
  try {
    const budget = new MemoryBudget(4 * MEGABYTE)
    using memory = budget.open(HOLDER)
    const reader = (await build(memory, bytesOf(FRAMES))).body?.getReader()
    await reader?.read()
    expect(budget.held).toBe(2 * CHUNK_BYTES)
    jest.advanceTimersByTime(660_000)
    expect(budget.held).toBe(0)
    await expect(reader?.read()).rejects.toBeUndefined()
  } finally {
    jest.useRealTimers()
  }
})

test("a replay that waits for the provider's data is not aborted", async () => {
  jest.useFakeTimers()
  try {
    const budget = new MemoryBudget(4 * MEGABYTE)
    using memory = budget.open(HOLDER)
    const end = Promise.withResolvers<undefined>()
    const response = await running(memory, [...bytesOf([FRAME]), end.promise])
    const reader = response.body?.getReader()
    await reader?.read()
    const last = reader?.read()
    await Promise.resolve()
    jest.advanceTimersByTime(1_200_000)
    end.resolve(undefined)
    expect(await last).toMatchObject({ done: true })
  } finally {
    jest.useRealTimers()
  }
})

test("a running stream reserves memory as it grows, and reports a rejected reservation as an error event", async () => {
  const budget = new MemoryBudget(MEGABYTE)
  using memory = budget.open(HOLDER)
  const chunks = bytesOf(["data: a\n\n"])
  const response = await running(memory, chunks)
  expect(budget.held).toBeLessThan(100)
  const other = budget.open(HOLDER)
  other.takeResponse(MEGABYTE / 2)
  chunks.push(...bytesOf(FRAMES))
  const text = await response.text()
  expect(text).toStartWith("data: a\n\n")
  expect(text).toContain("hold the memory that this response needs")
  expect(budget.held).toBe(MEGABYTE / 2)
  other[Symbol.dispose]()
})
