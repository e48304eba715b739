import { expect, test } from "bun:test"

const PROCESS = Bun.fileURLToPath(new URL("compiling-process.ts", import.meta.url))

test.skipIf(process.platform !== "linux")(
  "compiler threads that start later get the same lower priority",
  async () => {
    const child = Bun.spawn([process.execPath, PROCESS], { stdout: "pipe" })
    const found = JSON.parse(await new Response(child.stdout).text()) as Record<string, number[]>
    expect(await child.exited).toBe(0)
    expect(found["JITWorker"]?.length).toBeGreaterThan(0)
    expect(new Set(found["JITWorker"])).toEqual(new Set([10]))
    expect(found["main"]).toEqual([0])
  },
)
