import { expect, test } from "bun:test"
import { createInstallation, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

/** Processes whose parent is this one. */
async function childrenOf(pid: number): Promise<number[]> {
  const listed = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
  return listed.trim().split(" ").filter(Boolean).map(Number)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.each(["SIGTERM", "SIGKILL"] as const)(
  "the simulator ends when its gateway is ended by %s",
  async (signal) => {
    using installation = createInstallation("server: { port: 0 }\n")
    const serving = await startServing(installation)
    const children = await childrenOf(serving.process.pid)
    expect(children.length).toBeGreaterThan(0)
    serving.process.kill(signal)
    await serving.process.exited
    await until(() => children.every((child) => !isRunning(child)))
  },
)
