import { expect, test } from "bun:test"
import { type LineBatch, LineDeliveryError } from "../../src/sinks/destination.ts"
import { LineSink, type LineSinkParts } from "../../src/sinks/line-sink.ts"
import { until } from "../support/until.ts"

/** A destination that accepts all lines unless it has a fault. */
class Shelf {
  readonly taken: string[] = []
  readonly batches: LineBatch[] = []
  readonly asked: string[] = []
  fault: Error | undefined
  /** Deliveries wait for this promise. */
  gate: Promise<void> | undefined

  async deliver(batch: LineBatch, signal: AbortSignal): Promise<void> {
    this.asked.push(batch.id)
    if (this.gate) {
      const over = Promise.withResolvers<void>()
      signal.addEventListener("abort", () => over.reject(new Error("no more time")))
      await Promise.race([this.gate, over.promise])
    }
    if (this.fault) throw this.fault
    this.batches.push(batch)
    this.taken.push(...batch.lines)
  }
}

function open(destination: Shelf, more: Partial<LineSinkParts> = {}) {
  const told: unknown[][] = []
  const alarms = {
    linesNotDelivered: (...facts: unknown[]) => void told.push(["not delivered", ...facts]),
    linesDropped: (...facts: unknown[]) => void told.push(["dropped", ...facts]),
  }
  const parts = { name: "shelf", destination, every: 5, batch: 1_000, limit: 10_000, pause: 1 }
  return { sink: new LineSink({ ...parts, alarms, ...more }), told }
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index))

test("log lines are delivered in order and in batches", async () => {
  const shelf = new Shelf()
  const { sink } = open(shelf)
  for (const line of numbers(0, 50)) sink.add(line)
  expect(sink.counts).toEqual({ written: 0, dropped: 0, waiting: 50 })
  await until(() => sink.counts.written === 50)
  expect(shelf.taken).toEqual(numbers(0, 50))
  expect(shelf.batches).toHaveLength(1)
  for (const line of numbers(50, 60)) sink.add(line)
  await until(() => sink.counts.written === 60)
  expect(shelf.taken).toEqual(numbers(0, 60))
  await sink[Symbol.asyncDispose]()
})

test("a full log batch is sent immediately", async () => {
  const shelf = new Shelf()
  const { sink } = open(shelf, { every: 1_000_000, batch: 10 })
  for (const line of numbers(100, 104)) sink.add(line)
  await until(() => sink.counts.written === 4)
  sink.add("200")
  await Bun.sleep(0)
  expect(shelf.taken).toEqual(numbers(100, 104))
  await sink[Symbol.asyncDispose]()
  expect(shelf.taken).toEqual([...numbers(100, 104), "200"])
})

test("log lines beyond the queue's limit are dropped and counted, and all others are delivered", async () => {
  const shelf = new Shelf()
  const { promise, resolve } = Promise.withResolvers<void>()
  shelf.gate = promise
  const { sink, told } = open(shelf, { limit: 30, batch: 9 })
  for (const line of numbers(100, 200)) sink.add(line)
  expect(sink.counts).toEqual({ written: 0, dropped: 90, waiting: 10 })
  expect(told).toEqual([["dropped", "shelf", 1]])
  await until(() => shelf.asked.length === 1)
  // A running delivery still counts towards the limit.
  sink.add("200")
  expect(sink.counts.dropped).toBe(91)
  resolve()
  await until(() => sink.counts.written === 10)
  expect(shelf.taken).toEqual(numbers(100, 110))
  sink.add("300")
  await sink[Symbol.asyncDispose]()
  expect(shelf.taken.at(-1)).toBe("300")
  expect(told.at(-1)).toEqual(["dropped", "shelf", 91])
})

test("a failing log destination is retried with the same batch until it succeeds", async () => {
  const shelf = new Shelf()
  shelf.fault = new LineDeliveryError("it cannot be reached")
  const { sink, told } = open(shelf)
  sink.add("1")
  await until(() => shelf.asked.length >= 6)
  sink.add("2")
  shelf.fault = undefined
  await until(() => sink.counts.written === 2)
  expect(shelf.taken).toEqual(["1", "2"])
  expect(new Set(shelf.asked).size).toBe(2)
  expect(told[0]).toEqual(["not delivered", "shelf", "it cannot be reached"])
  await sink[Symbol.asyncDispose]()
  expect(sink.counts.dropped).toBe(0)
})

test("a log batch that is rejected is dropped, so that it does not block other batches", async () => {
  const shelf = new Shelf()
  shelf.fault = new LineDeliveryError("it answered with status 400", "lines")
  const { sink, told } = open(shelf)
  sink.add("bad")
  await until(() => sink.counts.dropped === 1)
  expect(shelf.asked).toHaveLength(5)
  expect(told.at(-1)).toEqual(["dropped", "shelf", 1])
  shelf.fault = undefined
  sink.add("good")
  await until(() => sink.counts.written === 1)
  await sink[Symbol.asyncDispose]()
  expect(shelf.taken).toEqual(["good"])
})

/** A destination that fails for some lines, and for all lines while it is unavailable. */
class Picky extends Shelf {
  isAway = false

  override async deliver(batch: LineBatch, signal: AbortSignal): Promise<void> {
    const isBad = batch.lines.some((line) => line.startsWith("bad"))
    if (isBad || this.isAway) {
      this.asked.push(batch.id)
      throw new LineDeliveryError("it answered with status 500", "unclear")
    }
    await super.deliver(batch, signal)
  }
}

test("a log batch that fails while others succeed is dropped, and does not delay other batches", async () => {
  const shelf = new Picky()
  const { sink, told } = open(shelf, { batch: 4 })
  for (const line of ["bad1", "bad2"]) sink.add(line)
  for (let line = 1000; sink.counts.dropped < 2; line++) {
    sink.add(String(line))
    await until(() => sink.counts.written === line - 999)
  }
  expect(told.filter(([what]) => what === "dropped").length).toBeGreaterThan(0)
  expect(sink.counts).toMatchObject({ dropped: 2, waiting: 0 })
  // Each of the two batches was tried once before any other batch was delivered, and five times afterwards.
  expect(shelf.asked.length - shelf.batches.length).toBeGreaterThanOrEqual(2 * 6)
  await sink[Symbol.asyncDispose]()
  expect(sink.counts.dropped).toBe(2)
})

test("log batches are not dropped while all of them fail", async () => {
  const shelf = new Picky()
  shelf.isAway = true
  const { sink } = open(shelf, { batch: 4 })
  for (const line of numbers(1000, 1010)) sink.add(line)
  await until(() => shelf.asked.length > 9)
  expect(sink.counts).toEqual({ written: 0, dropped: 0, waiting: 10 })
  shelf.isAway = false
  await until(() => sink.counts.written === 10)
  expect(shelf.taken.toSorted()).toEqual(numbers(1000, 1010))
  // Each batch contained the same lines in every attempt.
  expect(new Set(shelf.asked).size).toBe(shelf.batches.length)
  await sink[Symbol.asyncDispose]()
})

test("a single log batch that fails is kept, and retried occasionally", async () => {
  const shelf = new Picky()
  const { sink } = open(shelf, { lastTime: () => 20 })
  sink.add("bad")
  await until(() => shelf.asked.length > 7)
  expect(sink.counts).toEqual({ written: 0, dropped: 0, waiting: 1 })
  sink.add("good")
  await until(() => sink.counts.written === 1)
  expect(shelf.taken).toEqual(["good"])
  await sink[Symbol.asyncDispose]()
  expect(sink.counts).toMatchObject({ written: 1, dropped: 1 })
})

test("the shutdown delivers pending log lines even during a long retry interval", async () => {
  const shelf = new Shelf()
  shelf.fault = new Error("away")
  const { sink } = open(shelf, { pause: 1_000_000 })
  for (const line of numbers(0, 20)) sink.add(line)
  await until(() => shelf.asked.length === 1)
  shelf.fault = undefined
  await sink[Symbol.asyncDispose]()
  expect(shelf.taken).toEqual(numbers(0, 20))
  expect(sink.counts).toEqual({ written: 20, dropped: 0, waiting: 0 })
})

test("the shutdown waits a limited time for the delivery of log lines, and reports lost lines", async () => {
  const shelf = new Shelf()
  shelf.gate = new Promise<void>(() => undefined)
  const { sink, told } = open(shelf, { lastTime: () => 20 })
  for (const line of numbers(0, 20)) sink.add(line)
  await sink[Symbol.asyncDispose]()
  expect(told).toEqual([["dropped", "shelf", 20]])
  sink.add("late")
  expect(sink.counts.dropped).toBe(21)
  expect(shelf.taken).toEqual([])
})
