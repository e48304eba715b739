import { expect, test } from "bun:test"
import { getPriority } from "node:os"

const PROCESS = Bun.fileURLToPath(new URL("compiling-process.ts", import.meta.url))

test.skipIf(process.platform !== "linux")(
  "compiler threads that start later get the same lower priority",
  async () => {
    const child = Bun.spawn([process.execPath, PROCESS], { stdout: "pipe" })
    const found = JSON.parse(await new Response(child.stdout).text()) as Record<string, number[]>
    expect(await child.exited).toBe(0)
    expect(found["JITWorker"]?.length).toBeGreaterThan(0)
    // A run of the tests may have a lower priority itself.
    const own = getPriority()
    expect(new Set(found["JITWorker"])).toEqual(new Set([Math.max(10, own)]))
    expect(found["main"]).toEqual([own])
  },
)
