import { afterAll, beforeAll, expect, spyOn, test } from "bun:test"
import { WorkerPool } from "../../src/workers/worker-pool.ts"
import { startGateway, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** A document of a few kilobytes, which could contain megabytes of compressed data. */
const FILE = `data:application/pdf;base64,${Buffer.alloc(6_000, "%PDF-1.4\n").toString("base64")}`

test.each([
  ["0", 402, 0],
  ["10", 200, 1],
] as const)(
  "with %s credits, a request with a small file gets status %p and causes %p measurements",
  async (credits, status, times) => {
    const caller = await gateway.caller(credits)
    const part = { type: "file", file: { filename: "a.pdf", file_data: FILE } }
    const messages = [{ role: "user", content: [part] }]
    const run = spyOn(WorkerPool.prototype, "run")
    try {
      const response = await caller.post("/v1/chat/completions", { model: "sim/echo", messages })
      expect(response.status).toBe(status)
      const jobs = run.mock.calls.filter(([{ name }]) => name === "measure-media")
      expect(jobs).toHaveLength(times)
    } finally {
      run.mockRestore()
    }
  },
)
