import { describe, expect, test } from "bun:test"
import type { Measured } from "../../src/media/measure/measure.ts"
import { WorkerPool } from "../../src/workers/worker-pool.ts"
import { wave } from "../support/audio.ts"
import { until } from "../support/until.ts"

/** Audio that is measured quickly, and a document for which every parser needs far longer than a deadline. */
const SHORT = Buffer.from(wave(2)).toString("base64")
const ENDLESS = Buffer.from(`%PDF-1.4\n${"1 0 obj [[[[[ ".repeat(1_000_000)}`).toString("base64")

/**
 * Measures audio.
 * @returns the duration in seconds; undefined if the audio could not be measured.
 */
async function measure(pool: WorkerPool, base64: string, owner: string): Promise<unknown> {
  const measured = await pool.run({ name: "measure-media", input: { base64 }, owner })
  return (measured as Measured | undefined)?.duration?.seconds
}

describe("a worker pool", () => {
  test("terminates a job that exceeds its deadline, and loses no pending jobs", async () => {
    using pool = new WorkerPool({ deadlineMs: 300, maxWaitMs: 60_000 })
    const jobs = [ENDLESS, SHORT, ENDLESS, SHORT]
    // On a busy machine, a short job may also exceed the deadline.
    await until(async () => {
      const results = await Promise.all(jobs.map((text) => measure(pool, text, "account")))
      return Bun.deepEquals(results, [undefined, 2, undefined, 2])
    })
  })

  test("serves an owner while another owner keeps its share of the threads busy", async () => {
    // No job reaches its deadline. All jobs end with the pool.
    using pool = new WorkerPool({ deadlineMs: 600_000, maxWaitMs: 600_000 })
    let ended = 0
    for (let job = 0; job < 6; job++) {
      void measure(pool, ENDLESS, "attacker").then(() => ended++)
    }
    expect(await measure(pool, SHORT, "victim")).toBe(2)
    expect(ended).toBe(0)
  })

  test("serves owners in turn if all threads are busy", async () => {
    using pool = new WorkerPool({ deadlineMs: 60_000, threads: 1, maxWaitMs: 60_000 })
    const order: string[] = []
    const owners = ["first", "first", "first", "first", "first", "second"]
    await Promise.all(
      owners.map((owner) => measure(pool, SHORT, owner).then(() => order.push(owner))),
    )
    expect(order.indexOf("second")).toBeLessThan(3)
  })

  test("rejects jobs beyond the queue limit of one owner, and accepts jobs of other owners", async () => {
    using pool = new WorkerPool({ deadlineMs: 60_000, maxWaitMs: 60_000, maxQueued: 2 })
    const many = Array.from({ length: 8 }, () => measure(pool, SHORT, "first"))
    const other = measure(pool, SHORT, "second")
    const results = await Promise.all(many)
    // One measurement runs, and two wait.
    expect(results.filter((one) => one === 2)).toHaveLength(3)
    expect(await other).toBe(2)
  })

  test("rejects jobs that wait too long", async () => {
    using pool = new WorkerPool({ threads: 1, deadlineMs: 600, maxWaitMs: 200 })
    await measure(pool, SHORT, "first")
    const long = measure(pool, ENDLESS, "first")
    expect(await measure(pool, SHORT, "second")).toBeUndefined()
    expect(await long).toBeUndefined()
    // Another thread starts after the terminated thread has ended.
    await until(async () => (await measure(pool, SHORT, "second")) === 2)
  })

  test("reports a job that throws, and continues", async () => {
    using pool = new WorkerPool()
    expect(await pool.run({ name: "draw-mask", input: undefined, owner: "a" })).toBeUndefined()
    expect(await pool.run({ name: "unknown", input: undefined, owner: "a" })).toBeUndefined()
    expect(await measure(pool, SHORT, "a")).toBe(2)
  })

  test("ends all jobs when it is disposed", async () => {
    const pool = new WorkerPool()
    const jobs = [measure(pool, SHORT, "a"), measure(pool, SHORT, "a"), measure(pool, SHORT, "b")]
    pool[Symbol.dispose]()
    expect(await Promise.all(jobs)).toEqual([undefined, undefined, undefined])
  })
})
