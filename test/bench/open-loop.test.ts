import { expect, test } from "bun:test"
import { openLoop } from "../../bench/load/open-loop.ts"
import { until } from "../support/until.ts"

function addressOf(port: number) {
  return { port, path: "/", headers: {}, model: (name: string) => name }
}

/** Starts a server that answers when the test allows it. */
function startHeldServer() {
  const held: (() => void)[] = []
  let isOpen = false
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await request.text()
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve))
      return new Response("{}")
    },
  })
  return {
    port: server.port ?? 0,
    held,
    open() {
      isOpen = true
      for (const resolve of held.splice(0)) resolve()
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

test("the open-loop generator sends requests even if no response arrives, and measures the waiting time of each request", async () => {
  await using server = startHeldServer()
  const running = openLoop(addressOf(server.port), "{}", { rate: 200, duration: 250 })
  await until(() => server.held.length > 0)
  const begun = performance.now()
  await until(() => server.held.length === 50)
  const waited = (performance.now() - begun) * 1_000
  server.open()
  const { latencies, failures } = await running
  expect(failures).toBe(0)
  expect(latencies).toHaveLength(50)
  // The first request had to wait until all later requests had been sent.
  expect(Math.max(...latencies)).toBeGreaterThan(waited)
})

test("the open-loop generator counts broken connections and statuses other than 200 as failures, and completes", async () => {
  let count = 0
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("{}", { status: count++ % 2 === 0 ? 200 : 500 }),
  })
  const mixed = await openLoop(addressOf(server.port ?? 0), "{}", { rate: 100, duration: 100 })
  expect(mixed.latencies).toHaveLength(5)
  expect(mixed.failures).toBe(5)
  using cutting = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => socket.terminate() },
  })
  const cut = await openLoop(addressOf(cutting.port), "{}", { rate: 100, duration: 100 })
  expect(cut).toMatchObject({ latencies: [], failures: 10 })
})
