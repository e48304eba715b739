import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RateLimiter } from "../../src/limits/rate-limiter.ts"
import { SharedBuckets } from "../../src/limits/shared-buckets.ts"
import { Machine } from "../../src/machine/machine.ts"
import { SharedMemory } from "../../src/machine/shared-memory.ts"
import { WordTable } from "../../src/machine/word-table.ts"
import { Health } from "../../src/routing/health.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-machine-"))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const filesOf = () => readdirSync(join(folder, "run"))

describe("the shared memory of a machine", () => {
  test("consists of a single file that is complete from its creation, and shared for reading and writing", () => {
    const [left, right] = [SharedMemory.open(folder), SharedMemory.open(folder)]
    expect([left.isShared, right.isShared]).toEqual([true, true])
    expect(filesOf()).toHaveLength(1)
    Atomics.store(left.counters(), 7, 42)
    expect(Atomics.load(right.counters(), 7)).toBe(42)
    left.floatWords("rates")[3] = 1.5
    expect(right.floatWords("rates")[3]).toBe(1.5)
    expect(right.bigWords("circuits")[3]).toBe(0n)
  })

  test("appears again with its folder, and old files are removed", () => {
    SharedMemory.open(folder)
    const old = join(folder, "run", "shared-0-of-an-earlier-start")
    writeFileSync(old, "x")
    utimesSync(old, new Date(0), new Date(0))
    const [name = ""] = filesOf().filter((file) => file !== "shared-0-of-an-earlier-start")
    rmSync(join(folder, "run", name))
    SharedMemory.open(folder)
    expect(filesOf()).toEqual([name])
  })

  test.each([0, 1_000, 100_000, 1_400_000])(
    "recovers if its file is truncated to %i bytes",
    (size) => {
      SharedMemory.open(folder)
      const [name = ""] = filesOf()
      truncateSync(join(folder, "run", name), size)
      const [left, right] = [SharedMemory.open(folder), SharedMemory.open(folder)]
      expect([left.isShared, right.isShared]).toEqual([true, true])
      expect(filesOf()).toEqual([name])
      left.bigWords("rates").fill(7n)
      expect(right.bigWords("rates").at(-1)).toBe(7n)
    },
  )

  test("stays private to the process if no file can be created", () => {
    const file = join(folder, "a file")
    writeFileSync(file, "")
    const memory = SharedMemory.open(file)
    expect(memory.isShared).toBe(false)
    expect(memory.counters()[0]).toBe(0)
    chmodSync(folder, 0o700)
  })
})

describe("a table in shared memory", () => {
  const table = () => new WordTable(SharedMemory.own().bigWords("circuits"), 8)

  test("gives each name its own words, which are all 0, until it releases them", () => {
    const names = table()
    expect(names.find("one")).toBe(-1)
    const { at, wasFree } = names.make("one", () => 0)
    expect(wasFree).toBe(true)
    expect(names.find("one")).toBe(at)
    expect(names.make("one", () => 0)).toMatchObject({ at, wasFree: false })
    names.words[at + 1] = 5n
    expect(names.make("two", () => 0).at).not.toBe(at)
    expect([names.free("one", at), names.free("one", at)]).toEqual([true, false])
    expect(names.find("one")).toBe(-1)
    expect(names.words[names.make("one", () => 0).at + 1]).toBe(0n)
  })

  test("keeps words that another process wrote immediately after the slot was taken", () => {
    const words = SharedMemory.own().bigWords("circuits")
    const [one, other] = [new WordTable(words, 8), new WordTable(words, 8)]
    const fill = words.fill.bind(words)
    let isWritten = false
    // The other process can find the name as soon as its hash is written.
    words.fill = (...each) => {
      const at = other.find("name")
      if (at !== -1) words[at + 1] = 5n
      isWritten = true
      return fill(...each)
    }
    const { at } = one.make("name", () => 0)
    if (!isWritten) words[other.find("name") + 1] = 5n
    expect(words[at + 1]).toBe(5n)
  })

  test("evicts the least important slot if there are too many names", () => {
    const few = new WordTable(new BigInt64Array(16 * 2), 2)
    const places = Array.from({ length: 16 }, (_, index) => few.make(`name ${index}`, () => 0).at)
    expect(new Set(places).size).toBe(16)
    const min = places[5] ?? -1
    expect(few.make("another", (at) => (at === min ? 1 : 0))).toMatchObject({
      at: min,
      wasFree: false,
    })
    expect(few.find("name 5")).toBe(-1)
  })
})

test("four processes that take from a shared bucket together get exactly its content", async () => {
  const limit = 20_000
  const program = Bun.fileURLToPath(new URL("counting-process.ts", import.meta.url))
  const words = [process.execPath, program, folder, String(limit), "25000", "1000000"]
  const children = Array.from({ length: 4 }, () => Bun.spawn(words, { stdout: "pipe" }))
  const told = await Promise.all(
    children.map(async (child) => JSON.parse(await new Response(child.stdout).text())),
  )
  const sum = (name: "passed" | "slots"): number =>
    (told as Record<string, number>[]).reduce((total, one) => total + (one[name] ?? 0), 0)
  expect(sum("passed")).toBe(limit)
  expect(sum("slots")).toBe(1_000)
})

describe("the processes of a machine", () => {
  test("appear in the count while they run", () => {
    const first = new Machine(folder)
    expect(first.presence.count).toBe(1)
    const second = new Machine(folder)
    expect([first.presence.count, second.presence.count]).toEqual([2, 2])
    second[Symbol.dispose]()
    expect(first.presence.count).toBe(1)
  })

  test("share each limit, and the headers contain the common remainder", () => {
    using first = new Machine(folder)
    using second = new Machine(folder)
    const limiters = [first, second].map(
      (machine) => new RateLimiter(() => 1_000, new SharedBuckets(machine.memory)),
    )
    for (const limiter of limiters) limiter.setMachines(1)
    const request = { requestsPerMinute: 6, tokensPerMinute: 600, tokens: 100 }
    const left = Array.from(
      { length: 6 },
      (_, index) =>
        limiters[index % 2]?.check("key", request)["x-ratelimit-remaining-requests"] ?? "",
    )
    expect(left).toEqual(["5", "4", "3", "2", "1", "0"])
    for (const limiter of limiters) expect(() => limiter.check("key", request)).toThrow("6 per")
    limiters[1]?.adjust("key", -300)
    const other = { tokensPerMinute: 600, tokens: 300 }
    expect(limiters[0]?.check("key", other)["x-ratelimit-remaining-tokens"]).toBe("0")
  })

  test("enforce only their machine's share of a limit if there are other machines", () => {
    using machine = new Machine(folder)
    const limiter = new RateLimiter(() => 1_000, new SharedBuckets(machine.memory))
    limiter.setMachines(4)
    const request = { requestsPerMinute: 8, tokens: 0 }
    limiter.check("key", request)
    limiter.check("key", request)
    expect(() => limiter.check("key", request)).toThrow("8 per minute")
  })

  test("share the open circuits and the recovery of deployments", () => {
    let now = 1_000
    const [left, right] = [SharedMemory.open(folder), SharedMemory.open(folder)].map(
      (memory) => new Health(() => now, memory),
    )
    if (!left || !right) throw new Error("two")
    for (let count = 0; count < 3; count++) left.broke("mine/large")
    expect(right.areCircuitsClosed).toBe(false)
    expect(right.isHealthy("mine/large")).toBe(false)
    expect(right.isHealthy("mine/other")).toBe(true)
    expect(right.report("mine/large")).toMatchObject({ state: "cooling_down", cooldownMs: 1_000 })
    now += 1_000
    right.attempted("mine/large")
    // A single request among all processes tries the deployment again.
    expect(left.isHealthy("mine/large")).toBe(false)
    right.succeeded("mine/large")
    expect([left.areCircuitsClosed, left.isHealthy("mine/large")]).toEqual([true, true])
  })
})
