import { expect, spyOn, test } from "bun:test"
import { Workers } from "../../src/cli/workers.ts"

const RUNS = "process.send('listening'); setInterval(() => {}, 1000)"

/** Starts and ends workers, and counts the remaining timers for restarts. Each of them keeps the process alive. */
async function pausesLeft(program: string): Promise<number> {
  const left = new Set<unknown>()
  const { setTimeout: setting, clearTimeout: clearing } = globalThis
  using set = spyOn(globalThis, "setTimeout")
  using clear = spyOn(globalThis, "clearTimeout")
  set.mockImplementation(((work: () => void, time: number) => {
    const timer = setting(work, time)
    if (time === 1_000) left.add(timer)
    return timer
  }) as typeof setTimeout)
  clear.mockImplementation(((timer: Timer) => {
    left.delete(timer)
    clearing(timer)
  }) as typeof clearTimeout)
  const ignore = (): void => undefined
  const workers = await Workers.start({
    count: 2,
    port: 1,
    words: [process.execPath, "-e", program],
    sandboxUrl: undefined,
    timeoutMs: 0,
    events: { workerKilled: ignore },
  })
  await workers[Symbol.asyncDispose]()
  return left.size
}

test("the supervisor does not wait if all workers have exited", async () => {
  expect(await pausesLeft(RUNS)).toBe(0)
})

test("the supervisor does not wait for a worker that has just exited", async () => {
  expect(await pausesLeft("process.exit(1)")).toBe(0)
})
