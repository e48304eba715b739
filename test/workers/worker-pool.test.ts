import { describe, expect, test } from "bun:test"
import { WorkerPool } from "../../src/workers/worker-pool.ts"

/** A text on which every tokenizer takes far longer than a deadline. */
const ENDLESS = "a".repeat(300_000)

function count(pool: WorkerPool, text: string, owner: string): Promise<unknown> {
  return pool.run({ name: "count-tokens", input: { text }, owner })
}

describe("a worker pool", () => {
  test("terminates a job that exceeds its deadline, and loses no job that waits behind it", async () => {
    using pool = new WorkerPool({ deadlineMs: 300, maxWaitMs: 60_000 })
    const jobs = [ENDLESS, "hello world", ENDLESS, "hello world"]
    const counts = await Promise.all(jobs.map((text) => count(pool, text, "account")))
    expect(counts).toEqual([undefined, 2, undefined, 2])
  })

  test("answers an owner while another one keeps its share of the threads busy", async () => {
    using pool = new WorkerPool({ deadlineMs: 500, maxWaitMs: 60_000 })
    await Promise.all([count(pool, "warm", "attacker"), count(pool, "warm", "victim")])
    let ended = 0
    const attack = Array.from({ length: 6 }, () =>
      count(pool, ENDLESS, "attacker").then(() => ended++),
    )
    expect(await count(pool, "hello world", "victim")).toBe(2)
    expect(ended).toBe(0)
    await Promise.all(attack)
  })

  test("gives owners turns when all threads are busy", async () => {
    using pool = new WorkerPool({ deadlineMs: 300, threads: 1, maxWaitMs: 60_000 })
    const order: string[] = []
    const owners = ["first", "first", "first", "first", "first", "second"]
    await Promise.all(
      owners.map((owner) => count(pool, "hello world", owner).then(() => order.push(owner))),
    )
    expect(order.indexOf("second")).toBeLessThan(3)
  })

  test("refuses jobs beyond the queue of one owner, and takes those of others", async () => {
    using pool = new WorkerPool({ deadlineMs: 300, maxQueued: 2 })
    const many = Array.from({ length: 8 }, () => count(pool, "hello world", "first"))
    const other = count(pool, "hello world", "second")
    const counts = await Promise.all(many)
    // One runs and two wait.
    expect(counts.filter((one) => one === 2)).toHaveLength(3)
    expect(await other).toBe(2)
  })

  test("gives up on jobs that wait too long", async () => {
    using pool = new WorkerPool({ threads: 1, deadlineMs: 600, maxWaitMs: 200 })
    await count(pool, "warm", "first")
    const long = count(pool, ENDLESS, "first")
    expect(await count(pool, "hello world", "second")).toBeUndefined()
    expect(await long).toBeUndefined()
    expect(await count(pool, "hello world", "second")).toBe(2)
  })

  test("fails a job whose work throws, and goes on", async () => {
    using pool = new WorkerPool()
    expect(await pool.run({ name: "draw-mask", input: undefined, owner: "a" })).toBeUndefined()
    expect(await pool.run({ name: "unknown", input: undefined, owner: "a" })).toBeUndefined()
    expect(await count(pool, "hello world", "a")).toBe(2)
  })

  test("ends all jobs when it is disposed of", async () => {
    const pool = new WorkerPool()
    const jobs = [count(pool, "hello", "a"), count(pool, "hello", "a"), count(pool, "hello", "b")]
    pool[Symbol.dispose]()
    expect(await Promise.all(jobs)).toEqual([undefined, undefined, undefined])
  })
})
