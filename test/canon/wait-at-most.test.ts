import { HOUR_MS } from "../../contract/durations.ts"
import { expect, test } from "bun:test"
import { waitAtMost } from "../../src/canon/wait-at-most.ts"

test("waitAtMost waits for work that ends in time, and passes on its error", async () => {
  let isDone = false
  const work = Promise.resolve().then(() => void (isDone = true))
  await waitAtMost(work, HOUR_MS)
  expect(isDone).toBe(true)
  await waitAtMost(undefined, HOUR_MS)
  const failing = waitAtMost(Promise.reject(new Error("broken")), HOUR_MS)
  expect(await failing.catch((error: Error) => error.message)).toBe("broken")
})

test("waitAtMost times out for work that takes too long", async () => {
  await waitAtMost(Promise.withResolvers<void>().promise, 1)
})

test("waitAtMost does not keep the process running after the work has ended", async () => {
  const script = `
    import { waitAtMost } from "./src/canon/wait-at-most.ts"
    await waitAtMost(Promise.resolve(), ${HOUR_MS})
    await waitAtMost(undefined, ${HOUR_MS})`
  const cwd = Bun.fileURLToPath(new URL("../../", import.meta.url))
  const child = Bun.spawn([process.execPath, "-e", script], { cwd, stderr: "inherit" })
  expect(await child.exited).toBe(0)
})
