import { expect, test } from "bun:test"
import { join } from "node:path"

const ENTRY = join(import.meta.dir, "../../simulator/main.ts")

async function start(...more: string[]) {
  const child = Bun.spawn([process.execPath, ENTRY, ...more], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const lines = child.stdout.getReader()
  const { value } = await lines.read()
  const line = new TextDecoder().decode(value)
  return { child, line, ready: JSON.parse(line) as { ready: boolean; url: string } }
}

test("the simulator process prints its URL as one line of JSON, and serves at that URL", async () => {
  const { child, line, ready } = await start("--port", "0")
  expect(line).toMatch(/^\{"ready":true,"url":"http:\/\/127\.0\.0\.1:\d+"\}\n$/)
  const response = await fetch(`${ready.url}/v1/models`, {
    headers: { authorization: "Bearer sk-any" },
  })
  expect(response.status).toBe(200)
  await response.text()
  await child.stdin.end()
  expect(await child.exited).toBe(0)
})

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`the simulator process exits cleanly on ${signal}`, async () => {
    const { child } = await start()
    child.kill(signal)
    expect(await child.exited).toBe(0)
  })
}

test("the simulator process rejects an invalid port", async () => {
  const child = Bun.spawn([process.execPath, ENTRY, "--port", "many"], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  })
  expect(await child.exited).toBe(2)
  expect(await new Response(child.stderr).text()).toContain("--port")
})
