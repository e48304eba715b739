import { expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { lastRequest, readUntilEnd } from "./support.ts"

/** Number of attempts. If a connection breaks, a client drops unread data, which may be all data on a busy machine. */
const CUTS = 5

/** Sends requests for a short response in one format. */
export interface AskedFormat {
  readonly name: string
  /** Sends a request to the model. `marker` is the name of the user, or another field that identifies the request. */
  ask(
    simulator: Simulator,
    model: string,
    more?: { stream?: boolean; marker?: string; headers?: Record<string, string> },
  ): Promise<Response>
}

/** Tests the faults that are the same in every format. */
export function testSharedFaults({ name, ask }: AskedFormat): void {
  test(`${name}: simulates the faults html, empty and redirect`, async () => {
    await using simulator = startSimulator()
    const html = await ask(simulator, "fault-html")
    expect(html.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(await html.text()).toContain("<html>")
    const empty = await ask(simulator, "fault-empty")
    expect([empty.status, await empty.text()]).toEqual([200, ""])
    expect((await ask(simulator, "fault-redirect")).status).toBe(302)
  })

  test(`${name}: simulates the fault malformed as invalid JSON`, async () => {
    await using simulator = startSimulator()
    const whole = await ask(simulator, "fault-malformed")
    expect(whole.status).toBe(200)
    await expect(whole.json()).rejects.toThrow()
  })

  for (const stream of [false, true]) {
    test(`${name}: simulates the fault cut (stream: ${stream})`, async () => {
      await using simulator = startSimulator()
      let seen = 0
      for (let tries = 0; seen === 0 && tries < CUTS; tries++) {
        const { text, error } = await readUntilEnd(await ask(simulator, "fault-cut", { stream }))
        expect(error).toBeInstanceOf(Error)
        expect(lastRequest(simulator)).toMatchObject({ finished: false, aborted: false })
        seen = text.length
      }
      expect(seen).toBeGreaterThan(0)
    })

    for (const fault of ["stall-40", "slow-first-byte-40", "slow-headers-40"]) {
      test(`${name}: ${fault} waits and then answers completely (stream: ${stream})`, async () => {
        await using simulator = startSimulator()
        const plain = await (await ask(simulator, "plain", { stream })).arrayBuffer()
        const started = performance.now()
        const late = await ask(simulator, `fault-${fault}`, { stream })
        const { error } = await readUntilEnd(late)
        expect(error).toBeUndefined()
        expect(performance.now() - started).toBeGreaterThanOrEqual(39)
        expect(plain.byteLength).toBeGreaterThan(0)
        expect(lastRequest(simulator).finished).toBe(true)
      })
    }
  }

  test(`${name}: the fault flaky fails the requested number of times for each marker`, async () => {
    await using simulator = startSimulator()
    const statuses: number[] = []
    for (const marker of ["a", "a", "a", "b"]) {
      statuses.push((await ask(simulator, "flaky-2", { marker })).status)
    }
    expect(statuses).toEqual([500, 500, 200, 500])
  })

  test(`${name}: a fault can be requested by header, and an unknown name is rejected`, async () => {
    await using simulator = startSimulator()
    const named = (fault: string) =>
      ask(simulator, "plain", { headers: { "x-simulate-fault": fault } })
    expect((await named("500")).status).toBe(500)
    expect((await named("no-such")).status).toBe(400)
  })

  test(`${name}: the echo-headers fault returns the received headers`, async () => {
    await using simulator = startSimulator()
    const headers = { "x-own": "yes" }
    const text = await (await ask(simulator, "fault-echo-headers", { headers })).text()
    expect(text).toContain(String.raw`\"x-own\":\"yes\"`)
  })
}
