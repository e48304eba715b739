import { describe, expect, test } from "bun:test"
import { FAILURES, type Failure, CHUNKS_READ, type TestedClient } from "./conversation.ts"
import { type SixUpstreams, slowModelAt, type Upstream, UPSTREAMS } from "./six-upstreams.ts"
import { FACTS } from "./upstream-facts.ts"
import { rotatedBy, sampleCombinations, sampleOf } from "../../support/exhaustive.ts"
import { until } from "../../support/until.ts"

/** Number of words in a response whose client disconnects, and in a response that breaks. */
const WORDS_OF_LEFT = 900
const WORDS_OF_CUT = 60

/**
 * Tests the errors of each client, and the effect of a client that disconnects. `npm test` runs each failure with one
 * upstream, and two upstreams in the other tests. The upstreams differ between clients.
 */
export function describeSharedFailures(client: TestedClient, upstreams: SixUpstreams): void {
  const rotated = rotatedBy(client.name, UPSTREAMS)
  for (const [upstream, failure, isStreamed] of sampleCombinations(
    UPSTREAMS.length,
    rotated,
    FAILURES,
    [false, true],
  )) {
    test(`${client.name} at ${upstream} throws its error for ${failure}${isStreamed ? ", streamed" : ""}`, () =>
      throwsItsError({ client, upstreams, upstream, isStreamed }, failure))
  }
  for (const upstream of sampleOf(rotated, 3)) {
    describe(`${client.name} at ${upstream}`, () => {
      test("reports a stream that breaks", () => breaks(client, upstreams, upstream))
      test("ends the call when the client disconnects", () => leaves(client, upstreams, upstream))
    })
  }
}

interface Asked {
  readonly client: TestedClient
  readonly upstreams: SixUpstreams
  readonly upstream: Upstream
  readonly isStreamed: boolean
}

async function throwsItsError(asked: Asked, failure: Failure): Promise<void> {
  const { client, upstreams, upstream, isStreamed } = asked
  const { type, ...told } = client.errors[failure]
  const before = await upstreams.caller.balance()
  const model = failure === "unknown" ? `${upstream}/modell` : `${upstream}/fault-${failure}`
  const error = await thrownBy(() =>
    client.begin(upstreams).say(model, { text: "Hello" }, { isStreamed }),
  )
  expect(error).toBeInstanceOf(type)
  expect(client.readError(error)).toEqual(told)
  expect(upstreams.heard.get("x-should-retry")).toBe(String(failure !== "unknown"))
  if (failure === "429") expect(Number(upstreams.heard.get("retry-after"))).toBeGreaterThan(0)
  expect(await upstreams.caller.balance()).toBe(before)
}

/** Asserts that a broken stream never ends without an error, and that the delivered part is charged. */
async function breaks(
  client: TestedClient,
  upstreams: SixUpstreams,
  upstream: Upstream,
): Promise<void> {
  const model = `${upstream}/fault-cut`
  const text = `/tokens ${WORDS_OF_CUT}`
  const error = await thrownBy(() =>
    client.begin(upstreams).say(model, { text }, { isStreamed: true }),
  )
  expect(error).toBeInstanceOf(client.brokenStream)
  expect(upstreams.heard.get("content-type")).toStartWith("text/event-stream")
  await expectPaid(upstreams, upstream, WORDS_OF_CUT)
}

async function leaves(
  client: TestedClient,
  upstreams: SixUpstreams,
  upstream: Upstream,
): Promise<void> {
  await client.leave(upstreams, slowModelAt(upstream), `/tokens ${WORDS_OF_LEFT}`)
  const sent = upstreams.gateway.simulator.requests.at(-1)
  await sent?.settled()
  expect(sent).toMatchObject({ aborted: true, finished: false })
  await until(() => upstreams.hasReceipt())
  await expectPaid(upstreams, upstream, WORDS_OF_LEFT)
}

/**
 * Asserts that the delivered part is charged, which is more than the client has read and less than the whole response.
 */
async function expectPaid(
  upstreams: SixUpstreams,
  upstream: Upstream,
  words: number,
): Promise<void> {
  const { status, estimated, usage } = await upstreams.receipt()
  expect(status).toBe("settled")
  expect(usage?.["input"]).toBeGreaterThan(0)
  expect(usage?.["output"]).toBeWithin(CHUNKS_READ, words)
  expect(estimated).toBe(!FACTS[upstream].countsAlong)
}

async function thrownBy(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}
