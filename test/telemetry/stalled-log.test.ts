import { expect, test } from "bun:test"
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const WRITTEN = 60_000
const CHUNK = 1024 * 1024

test("the memory of a log without a reader is limited, and dropped lines are reported", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-log-"))
  const pipe = join(folder, "log")
  Bun.spawnSync(["mkfifo", pipe])
  const script = Bun.fileURLToPath(new URL("stalled-log-process.ts", import.meta.url))
  const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writing = openSync(pipe, "w")
  const child = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: writing })
  closeSync(writing)
  try {
    const { value } = await child.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe("written\n")
    const lines = (await readAll(reading)).split("\n").filter(Boolean)
    const events = lines.map((line) => JSON.parse(line) as { event: string; lines?: number })
    const reports = events.filter(({ event }) => event === "log_dropped")
    const lost = reports.reduce((sum, { lines: dropped = 0 }) => sum + dropped, 0)
    expect(lost).toBeGreaterThan(WRITTEN / 2)
    expect(lost + lines.length - reports.length).toBe(WRITTEN)
    expect(await child.exited).toBe(0)
  } finally {
    child.kill()
    closeSync(reading)
    rmSync(folder, { recursive: true })
  }
})

/** Reads until the writer has closed the pipe. */
async function readAll(pipe: number): Promise<string> {
  const chunk = Buffer.alloc(CHUNK)
  let text = ""
  for (;;) {
    try {
      const size = readSync(pipe, chunk)
      if (size === 0) return text
      text += chunk.toString("latin1", 0, size)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
      await Bun.sleep(1)
    }
  }
}
