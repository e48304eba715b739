import { expect, test } from "bun:test"
import { createInstallation, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

/** Returns the child processes of a process. */
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
  "the simulator exits when %s ends its gateway",
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

test.each([
  ["an HTTP proxy", "1", { HTTP_PROXY: "http://127.0.0.1:1" }],
  ["exceptions", "2", { http_proxy: "http://127.0.0.1:1", no_proxy: "example.com" }],
  ["a SOCKS proxy", "1", { ALL_PROXY: "socks5://someone:word@127.0.0.1:1" }],
] as const)("the simulator starts in an environment with %s", async (_, workers, environment) => {
  using installation = createInstallation("server: { port: 0 }\n")
  const variables = { ...environment, TOLLGATE_WORKERS: workers }
  await using serving = await startServing(installation, variables)
  const key = /^key: (\S+)$/m.exec(serving.output())?.[1] ?? ""
  const response = await fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/echo", messages: [{ role: "user", content: "Hi" }] }),
  })
  expect(response.status).toBe(200)
  if (!("ALL_PROXY" in environment)) return
  await until(() =>
    serving.errors().includes("ALL_PROXY: names a SOCKS proxy, which is not supported"),
  )
  expect(serving.errors()).not.toContain("word")
})
