import { expect, test } from "bun:test"
import { sampleOf } from "../support/exhaustive.ts"
import { createInstallation, startServing } from "../support/process.ts"
import { endBySignals } from "../support/stopping.ts"

/** Returns the process `pid` and all processes below it. */
async function processTree(pid: number): Promise<number[]> {
  const listed = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
  const children = listed.trim().split(" ").filter(Boolean).map(Number)
  return [pid, ...(await Promise.all(children.map(processTree))).flat()]
}

/** Whether the process has a handler for a signal, according to the mask that the kernel reports. */
async function handles(pid: number, signal: number): Promise<boolean> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  const mask = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1]}`)
  return (mask & (1n << BigInt(signal - 1))) !== 0n
}

const SIGNALS = { SIGUSR1: 10, SIGUSR2: 12 } as const

const STARTS = [
  ["one process", "1", "src/main.ts"],
  ["a parent and two workers", "2", "src/main.ts"],
  ["a compiled parent and two workers", "2", "bin/tollgate"],
] as const

test.each(sampleOf(STARTS, 2))(
  "%s with its simulator ignores SIGUSR1 and SIGUSR2",
  async (_, workers, launcher) => {
    using installation = createInstallation("server: { port: 0 }\n")
    const environment = { TOLLGATE_WORKERS: workers }
    await using serving = await startServing(installation, environment, launcher)
    const processes = await processTree(serving.process.pid)
    expect(processes.length).toBeGreaterThan(Number(workers))
    for (const pid of processes) {
      for (const [signal, number] of Object.entries(SIGNALS)) {
        expect(await handles(pid, number)).toBe(true)
        process.kill(pid, signal as keyof typeof SIGNALS)
      }
    }
    const health = await fetch(`${serving.url}/healthz`)
    expect(health.status).toBe(200)
    expect(await processTree(serving.process.pid)).toEqual(processes)
  },
)

test.each(sampleOf(["1", "2"], 2, 1))("%s draining process(es) ignore SIGHUP", async (workers) => {
  using installation = createInstallation("server: { port: 0, drain_delay: 60s }\n")
  await using serving = await startServing(installation, { TOLLGATE_WORKERS: workers })
  const { pid } = serving.process
  const processes = await processTree(pid)
  process.kill(pid, "SIGQUIT")
  while ((await fetch(`${serving.url}/readyz`)).status === 200) await Bun.sleep(5)
  for (const one of processes) expect(await handles(one, 1)).toBe(true)
  process.kill(pid, "SIGHUP")
  await endBySignals(serving.process, "SIGQUIT")
  expect(await serving.process.exited).toBe(0)
})
