import { expect, test } from "bun:test"
import {
  type ClientResponse,
  CALLS,
  type TestedClient,
  Thing,
  type ResponseOptions,
} from "./conversation.ts"
import {
  modelAt,
  IMAGE_DATA,
  type Receipt,
  type SixUpstreams,
  type Upstream,
  UPSTREAMS,
} from "./six-upstreams.ts"
import { rotatedBy, sampleCombinations } from "../../support/exhaustive.ts"
import { FACTS, proofsIn } from "./upstream-facts.ts"

/** A client and an upstream, streamed or not. */
interface Pair {
  readonly client: TestedClient
  readonly upstreams: SixUpstreams
  readonly upstream: Upstream
  readonly isStreamed: boolean
}

const CASES: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  text: saysText,
  "two parallel tools and a second turn": callsTools,
  "an image in base64": seesImage,
  "an image by its address": seesImageByUrl,
  "reasoning and two further turns": thinks,
  "reasoning around tools": thinksAroundTools,
  "withheld reasoning": withholds,
  "a JSON schema": answersThing,
  "a stop string": stopsAtString,
  "a token limit": stopsAtLimit,
  "a cached prompt": findsCache,
}

/**
 * All features of each client with each upstream, streamed and not. `npm test` runs each of them, streamed and not,
 * with one upstream, which differs between clients.
 */
export function describeSharedCases(client: TestedClient, upstreams: SixUpstreams): void {
  for (const [upstream, [name, run], isStreamed] of sampleCombinations(
    UPSTREAMS.length,
    rotatedBy(client.name, UPSTREAMS),
    Object.entries(CASES),
    [false, true],
  )) {
    if (run === stopsAtString && !client.hasStop) continue
    if (run === withholds && !FACTS[upstream].withholds) continue
    test(`${client.name} at ${upstream} completes a chat with ${name}${isStreamed ? ", streamed" : ""}`, () =>
      run({ client, upstreams, upstream, isStreamed }))
  }
}

async function saysText(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const response = await client
    .begin(upstreams)
    .say(modelAt(upstream), { text: "Hello there, gateway" }, optionsOf(pair))
  expect(response).toMatchObject({
    text: "Hello there, gateway",
    finish: client.finishes.stop,
    calls: [],
    model: modelAt(upstream),
  })
  expect(upstreams.heard.get("x-tollgate-provider")).toBe(upstream)
  expect(upstreams.losses).toEqual([])
  await expectReceipt(pair, response)
}

async function callsTools(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const options = optionsOf(pair, { hasTools: true })
  const conversation = client.begin(upstreams)
  const first = await conversation.say(
    modelAt(upstream),
    { text: "Use weather and clock" },
    options,
  )
  expect(first.calls).toEqual([...CALLS])
  expect(first.finish).toBe(client.finishes.calls)
  // One client requests strict tools, which some vendors do not support.
  expect(upstreams.losses.filter((loss) => loss !== "tools.strict:dropped")).toEqual([])
  await expectReceipt(pair, first)
  const second = await conversation.answerCalls(modelAt(upstream), ["sunny", "noon"], options)
  expect(second).toMatchObject({
    text: "The tools answered: sunny; noon",
    finish: client.finishes.stop,
    calls: [],
  })
  await expectReceipt(pair, second)
}

async function seesImage(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const image = `data:image/png;base64,${IMAGE_DATA}`
  const response = await client
    .begin(upstreams)
    .say(modelAt(upstream), { text: "What is this?", image }, optionsOf(pair))
  expect(response.text).toContain("[image 40x30 png]")
  expect(upstreams.losses).toEqual([])
  await expectReceipt(pair, response)
}

async function seesImageByUrl(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const said = { text: "What is this?", image: upstreams.imageUrl }
  const response = await client.begin(upstreams).say(modelAt(upstream), said, optionsOf(pair))
  expect(response.text).toContain(client.imagesByUrl?.[upstream] ?? FACTS[upstream].imageByUrl)
  expect(upstreams.losses).toEqual([])
  await expectReceipt(pair, response)
}

/** Tests three turns. The vendor checks its signature each time it is sent back. */
async function thinks(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const options = optionsOf(pair, { thinks: true })
  const conversation = client.begin(upstreams)
  const first = await conversation.say(modelAt(upstream), { text: "How are you?" }, options)
  expect(first.text).toBe("How are you?")
  expectThoughts(pair, first)
  await expectReceipt(pair, first)
  for (const text of ["And you?", "And now?"]) {
    const next = await conversation.say(modelAt(upstream), { text }, options)
    expect(next.text).toBe(text)
    expectThoughts(pair, next)
    expectProofs(pair)
    await expectReceipt(pair, next)
  }
}

async function thinksAroundTools(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const options = optionsOf(pair, { thinks: true, hasTools: true })
  const conversation = client.begin(upstreams)
  const first = await conversation.say(
    modelAt(upstream),
    { text: "Use weather and clock" },
    options,
  )
  expect(first.calls).toEqual([...CALLS])
  expectThoughts(pair, first)
  const second = await conversation.answerCalls(modelAt(upstream), ["sunny", "noon"], options)
  expect(second.text).toBe("The tools answered: sunny; noon")
  expectProofs(pair)
  await expectReceipt(pair, second)
  const third = await conversation.say(modelAt(upstream), { text: "Thank you" }, options)
  expect(third.text).toBe("Thank you")
  expectProofs(pair)
}

async function withholds(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const options = optionsOf(pair, { thinks: true, hasTools: true })
  const conversation = client.begin(upstreams)
  const text = "REDACT: use weather and clock"
  const first = await conversation.say(modelAt(upstream), { text }, options)
  expect(first.thoughts).toBe("")
  const second = await conversation.answerCalls(modelAt(upstream), ["sunny", "noon"], options)
  expect(second.text).toBe("The tools answered: sunny; noon")
  expectProofs(pair)
  await expectReceipt(pair, second)
}

async function answersThing(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const response = await client
    .begin(upstreams)
    .say(modelAt(upstream), { text: "Give me a thing" }, optionsOf(pair, { isThing: true }))
  expect(Thing.safeParse(JSON.parse(response.text)).success).toBe(true)
  if (!pair.isStreamed) expect(Thing.safeParse(response.thing).success).toBe(true)
  expect(response.finish).toBe(client.finishes.stop)
  expect(response.calls).toEqual([])
  if (client.asksForSchema) {
    const { hasSchema } = FACTS[upstream]
    expect(upstreams.losses).toEqual(hasSchema ? [] : ["json_schema:approximated"])
  }
  await expectReceipt(pair, response)
}

async function stopsAtString(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const response = await client
    .begin(upstreams)
    .say(modelAt(upstream), { text: "one two STOP three" }, optionsOf(pair, { stop: "STOP" }))
  expect(response.text.trimEnd()).toBe("one two")
  expect(response.finish).toBe(client.finishes.stopString)
  expect(upstreams.losses).toEqual([])
  // If the gateway ends a response before the vendor has reported the usage, the gateway counts and charges the
  // response itself.
  const receipt = await upstreams.receipt()
  expect(receipt.status).toBe("settled")
  expect(receipt.estimated !== true || isEndedHere(pair)).toBe(true)
  const { reasoning, ...rest } = usageOfReceipt(receipt)
  expect(response.usage).toEqual(
    response.usage.reasoning === undefined ? rest : { ...rest, reasoning },
  )
}

/**
 * Whether the gateway ends the response, because the vendor does not support stop strings, or does not report the
 * matched stop string to a caller that needs it.
 */
function isEndedHere({ client, upstream }: Pair): boolean {
  const tells = /anthropic/i.test(client.name)
  return upstream === "openai-responses" || (tells && /^(openai-chat|gemini)$/.test(upstream))
}

async function stopsAtLimit(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const response = await client
    .begin(upstreams)
    .say(modelAt(upstream), { text: "/tokens 60" }, optionsOf(pair, { maxTokens: 20 }))
  expect(response.finish).toBe(client.finishes.length)
  expect(response.text).not.toBe("")
  expect(response.usage.output).toBeWithin(20, 30)
  await expectReceipt(pair, response)
}

async function findsCache(pair: Pair): Promise<void> {
  const { client, upstreams, upstream } = pair
  const words = Array.from({ length: 3000 }, (_, index) => `word${index % 100}`).join(" ")
  const instructions = `${client.name} ${pair.isStreamed} ${words}`
  const model = modelAt(upstream)
  const ask = () =>
    client.begin(upstreams).say(model, { text: "Hello", instructions }, optionsOf(pair))
  await expectReceipt(pair, await ask())
  const second = await ask()
  const { billsNoCache, needsCacheMark } = FACTS[upstream]
  const isCached = !billsNoCache && (!needsCacheMark || client.marksCache)
  expect(second.usage.cached > 1000).toBe(isCached)
  await expectReceipt(pair, second)
}

function optionsOf(
  { isStreamed }: Pair,
  options: Omit<ResponseOptions, "isStreamed"> = {},
): ResponseOptions {
  return { isStreamed, ...options }
}

function expectThoughts({ client, upstream }: Pair, { thoughts, usage }: ClientResponse): void {
  const { tellsThoughts, countsThoughts } = FACTS[upstream]
  if (client.showsThoughts && tellsThoughts) expect(thoughts).toContain("I was asked this: ")
  if (usage.reasoning !== undefined) expect(usage.reasoning > 0).toBe(countsThoughts)
}

/**
 * Asserts that the vendor received its signatures. The vendor itself checks that they are unchanged, and has answered.
 */
function expectProofs({ client, upstreams, upstream, isStreamed }: Pair): void {
  const proofs = proofsIn(upstreams.sent)
  const isReturned = client.returnsSignatures(upstream, isStreamed) && FACTS[upstream].signs
  if (isReturned) expect(proofs).not.toBeEmpty()
  for (const proof of proofs) expect(proof).not.toMatch(isReturned ? /^tg1:|^skip_/ : /^tg1:/)
  if (!isReturned) return
  expect(upstreams.losses).not.toContain("reasoning:dropped")
  expect(upstreams.losses).not.toContain("reasoning.signature:dropped")
}

/** Asserts that the client reports the same token counts as the receipt. */
async function expectReceipt({ upstreams }: Pair, { usage }: ClientResponse): Promise<void> {
  const receipt = await upstreams.receipt()
  expect(receipt).toMatchObject({ status: "settled", estimated: false })
  const { reasoning, ...rest } = usageOfReceipt(receipt)
  expect(usage).toEqual(usage.reasoning === undefined ? rest : { ...rest, reasoning })
}

/** Returns the usage of a receipt in the form of clients. */
export function usageOfReceipt({ usage }: Receipt): Required<ClientResponse["usage"]> {
  const count = (name: string) => usage?.[name] ?? 0
  const cached = count("cached_input")
  return {
    input: count("input") + cached + count("cache_write") + count("cache_write_1h"),
    cached,
    output: count("output"),
    reasoning: count("reasoning"),
  }
}
