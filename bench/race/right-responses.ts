import { SHORT_UPLOAD, TRANSCRIPTIONS_PATH, uploadForm } from "../measure/upload.ts"
import { IdleStreams } from "../load/idle-streams.ts"
import { RESPONSE_TOKENS, chatBody, INPUTS, STREAM_TOKENS } from "../load/request.ts"
import { directTo, type Address } from "../subjects/subject.ts"
import type { Upstream } from "../upstream.ts"
import { ask } from "../load/ask.ts"
import { LOADS, MESSAGES_PATH, type LoadName, yardstickOf } from "./loads.ts"
import type { ScenarioName } from "./plan.ts"
import { countFrames, dataOf } from "./server-sent-events.ts"

/** Properties of a subject's responses, which were found to be correct. */
export interface RightResponse {
  /** Number of frames that the caller receives for one stream; undefined if the response is not streamed. */
  readonly frames?: number
}

const IDLE_TIME = 5_000
const POLL_INTERVAL_MS = 20

/**
 * Sends the request of a scenario to a subject, and compares the response with the vendor's own. A subject with an
 * incomplete response would be faster.
 * @throws Error that describes the fault.
 */
export async function checkRight(
  name: ScenarioName,
  address: Address,
  upstream: Upstream,
): Promise<RightResponse> {
  switch (name) {
    case "chat":
    case "chat-alone":
    case "prompt":
      return await checkWhole(name, address, upstream)
    case "latency":
    case "start":
      return await checkWhole("chat", address, upstream)
    case "memory":
      await checkWhole("chat", address, upstream)
      return await checkStream(address, upstream)
    case "streams":
      return await checkStream(address, upstream)
    case "anthropic":
      return await checkMessages(address, upstream)
    case "embeddings":
      return await checkEmbeddings(address, upstream)
    case "idle":
      return await checkIdle(address)
    case "upload":
      return await checkUpload(address, upstream)
  }
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

async function checkWhole(
  name: LoadName,
  address: Address,
  upstream: Upstream,
): Promise<RightResponse> {
  const [found, expected] = await both<Completion>(name, address, upstream)
  same("text", found.choices[0]?.message.content, expected.choices[0]?.message.content)
  same("count of tokens in", found.usage.prompt_tokens, expected.usage.prompt_tokens)
  same("count of tokens out", found.usage.completion_tokens, RESPONSE_TOKENS)
  return {}
}

interface Chunk {
  readonly choices: readonly {
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly usage?: { readonly completion_tokens: number } | null
}

async function checkStream(address: Address, upstream: Upstream): Promise<RightResponse> {
  const { path, body } = LOADS.streams
  const stream = await ask(address, path(address), body(address))
  const chunks = dataOf(stream) as readonly Chunk[]
  const text = chunks.map(({ choices }) => choices[0]?.delta?.content ?? "").join("")
  same("text", text, await wholeText(upstream))
  same("end mark", /data: ?\[DONE\]\s*$/.test(stream), true)
  same("reason of the end", reasonsOf(chunks), "stop")
  const used = chunks.map(({ usage }) => usage?.completion_tokens).filter(Boolean)
  same("count of tokens out", used.at(-1), STREAM_TOKENS)
  return { frames: countFrames(stream) }
}

function reasonsOf(chunks: readonly Chunk[]): string {
  return chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []).join(" ")
}

interface MessageEvent {
  readonly type: string
  readonly delta?: { readonly type?: string; readonly text?: string }
  readonly usage?: { readonly output_tokens?: number }
}

async function checkMessages(address: Address, upstream: Upstream): Promise<RightResponse> {
  const { path, body, headers } = LOADS.anthropic
  const asking = { ...address, headers: { ...address.headers, ...headers } }
  const stream = await ask(asking, path(address), body(address))
  const asked = await upstream.lastPath()
  if (asked.startsWith(MESSAGES_PATH)) {
    throw new Error("does not translate: the vendor received requests in Anthropic's dialect")
  }
  const events = dataOf(stream) as readonly MessageEvent[]
  const text = events.map(({ delta }) => delta?.text ?? "").join("")
  same("text", text, await wholeText(upstream))
  same("last event", events.at(-1)?.type, "message_stop")
  const used = events.flatMap(({ usage }) => usage?.output_tokens ?? [])
  same("count of tokens out", used.at(-1), STREAM_TOKENS)
  return { frames: countFrames(stream) }
}

/** Returns the complete text of a stream. */
async function wholeText(upstream: Upstream): Promise<string | undefined> {
  const vendor = directTo(upstream)
  const body = chatBody(vendor.model("echo"), STREAM_TOKENS, false)
  const { choices } = JSON.parse(await ask(vendor, vendor.path, body)) as Completion
  return choices[0]?.message.content
}

interface Embeddings {
  readonly data: readonly { readonly index: number; readonly embedding: string }[]
  readonly usage: { readonly prompt_tokens: number }
}

async function checkEmbeddings(address: Address, upstream: Upstream): Promise<RightResponse> {
  const [found, expected] = await both<Embeddings>("embeddings", address, upstream)
  same("number of vectors", found.data.length, INPUTS)
  for (const [index, { embedding }] of expected.data.entries()) {
    same(`vector ${index}`, found.data[index]?.embedding, embedding)
  }
  same("count of tokens", found.usage.prompt_tokens, expected.usage.prompt_tokens)
  return {}
}

/** Checks that the first frame of a response arrives before the vendor sends the rest. */
async function checkIdle(address: Address): Promise<RightResponse> {
  using streams = new IdleStreams()
  await streams.open(address, chatBody(address.model("fault-stall"), STREAM_TOKENS, true), 1)
  const deadline = performance.now() + IDLE_TIME
  while (streams.begun === 0) {
    if (performance.now() > deadline) throw new Error("gave nothing of a stream that had begun")
    await Bun.sleep(POLL_INTERVAL_MS)
  }
  return {}
}

async function checkUpload(address: Address, upstream: Upstream): Promise<RightResponse> {
  const textOf = async (of: Address): Promise<string> => {
    const form = uploadForm(of.model("transcribe"), SHORT_UPLOAD)
    return (JSON.parse(await ask(of, TRANSCRIPTIONS_PATH, form)) as { text: string }).text
  }
  same("text", await textOf(address), await textOf(directTo(upstream)))
  return {}
}

async function both<ResponseBody>(
  name: LoadName,
  address: Address,
  upstream: Upstream,
): Promise<[ResponseBody, ResponseBody]> {
  const responseOf = async (of: Address, load = LOADS[name]): Promise<ResponseBody> =>
    JSON.parse(await ask(of, load.path(of), load.body(of))) as ResponseBody
  return [await responseOf(address), await responseOf(directTo(upstream), yardstickOf(name))]
}

function same(what: string, found: unknown, expected: unknown): void {
  if (found === expected) return
  throw new Error(`wrong ${what}: ${quoted(found)}, not ${quoted(expected)}`)
}

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? "none").slice(0, 60)
}
