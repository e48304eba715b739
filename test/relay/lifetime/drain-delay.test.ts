import { expect, test } from "bun:test"
import { startGateway, type TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { connectTo, type RawCaller } from "../raw-caller.ts"
import { CHAT } from "../support.ts"

/** A delay in milliseconds that is longer than any test. Tests end it early. */
const LONG = 60_000

function ask(caller: RawCaller, path: string): void {
  caller.socket.write(`GET ${path} HTTP/1.1\r\nhost: gateway\r\n\r\n`)
}

/**
 * Starts to drain a gateway.
 * @returns a promise that resolves when the drain has ended.
 */
async function beginToEnd(gateway: TestGateway): Promise<{ readonly ended: Promise<void> }> {
  const ended = gateway.app[Symbol.asyncDispose]()
  await until(async () => (await fetch(`${gateway.url}/readyz`)).status === 503)
  return { ended }
}

test("the gateway is alive but not ready during the drain delay, and serves new requests", async () => {
  await using gateway = await startGateway({ drainDelay: LONG })
  const caller = await gateway.caller("1")
  const { ended } = await beginToEnd(gateway)
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  const ready = await fetch(`${gateway.url}/readyz`)
  expect(await ready.json()).toEqual({ status: "unready", reason: "draining" })
  const body = { model: "sim/echo", messages: [{ role: "user", content: "Hello" }], stream: true }
  const streamed = await caller.post(CHAT, body)
  expect(streamed.headers.get("connection")).toBe("close")
  expect(await streamed.text()).toContain("[DONE]")
  gateway.app.skipDrain()
  await ended
  const refused = fetch(`${gateway.url}/healthz`).catch(() => "refused")
  expect(await refused).toBe("refused")
})

test("every response during the drain delay closes its connection", async () => {
  await using gateway = await startGateway({ drainDelay: LONG })
  const paths = ["/healthz", "/v1/models", "/nowhere", "/console", "/admin/v1/accounts", "/docs"]
  const callers = paths.map(() => connectTo(gateway.url))
  for (const caller of callers) ask(caller, "/healthz")
  await until(() => callers.every((caller) => caller.text().includes("ok")))
  for (const caller of callers) expect(caller.text().toLowerCase()).not.toContain("connection:")
  const { ended } = await beginToEnd(gateway)
  for (const [index, path] of paths.entries()) {
    const caller = callers[index]
    if (caller) ask(caller, path)
  }
  await until(() => callers.every(({ socket }) => socket.closed))
  for (const caller of callers) {
    const [, , last = ""] = caller.text().split("HTTP/1.1 ")
    expect(last.toLowerCase()).toContain("\r\nconnection: close\r\n")
  }
  gateway.app.skipDrain()
  await ended
})

test("idle connections are closed at the end of the drain delay", async () => {
  await using gateway = await startGateway({ drainDelay: 300 })
  using idle = connectTo(gateway.url)
  ask(idle, "/healthz")
  await until(() => idle.text().includes("ok"))
  const { ended } = await beginToEnd(gateway)
  expect(idle.socket.closed).toBeFalse()
  await ended
  await until(() => idle.socket.closed)
})
