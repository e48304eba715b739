import { anthropicMessages } from "./anthropic-messages/index.ts"
import { audio } from "./audio/index.ts"
import { bedrockConverse } from "./bedrock-converse/index.ts"
import { cohereChat } from "./cohere-chat/index.ts"
import { costs } from "./costs/index.ts"
import type { SimulatedCost } from "./costs/simulated-costs.ts"
import { embeddings } from "./embeddings/index.ts"
import { Exchange, SimulatorState } from "./exchange.ts"
import type { WireFormat } from "./format.ts"
import { geminiFormat } from "./gemini/index.ts"
import { images } from "./image/index.ts"
import { moderation } from "./moderation.ts"
import { openaiChat } from "./openai-chat/index.ts"
import { answerUnknownPath } from "./openai-chat/errors.ts"
import { openaiResponses } from "./openai-responses/index.ts"
import type { RecordedRequest } from "./request-log.ts"
import { rerank } from "./rerank/index.ts"
import { startShortServer } from "./short-server.ts"

export type { RecordedRequest } from "./request-log.ts"

/** Options of a simulator. */
export interface SimulatorOptions {
  /** The port. With 0, the default, the system selects a free port. */
  readonly port?: number
  /** The address to listen on. The default is 127.0.0.1. */
  readonly hostname?: string
  /** Milliseconds between tokens. With 0, the default, tokens are written as fast as the socket accepts them. */
  readonly cadence?: number
}

/** A running simulator of vendors. */
export interface Simulator extends AsyncDisposable {
  readonly port: number
  /** Base URL without a trailing slash. OpenAI's paths begin at `{url}/v1`. */
  readonly url: string
  /** Base URL of a server whose responses are shorter than their `content-length`. */
  readonly shortUrl: string
  /** The last 1,000 requests, oldest first. Fewer requests are stored if their bodies are large. */
  readonly requests: RecordedRequest[]
  /** Costs that the cost APIs report; empty until a test adds some. */
  readonly costs: SimulatedCost[]
  /** Number of requests that are currently being answered. */
  readonly open: number
  /** Cuts open connections and frees the port. */
  stop(): Promise<void>
}

const FORMATS: readonly WireFormat[] = [
  openaiChat,
  anthropicMessages,
  openaiResponses,
  embeddings,
  rerank,
  moderation,
  images,
  audio,
  bedrockConverse,
  geminiFormat,
  cohereChat,
  costs,
]

/**
 * The prefix of a path that names the simulated vendor, which determines the limits of its models (`vendor-limits/`).
 */
const VENDOR = /^\/vendors\/([a-z-]+)(?=\/)/

/** Starts a simulator in this process. */
export function startSimulator(options: SimulatorOptions = {}): Simulator {
  const { port = 0, hostname = "127.0.0.1", cadence = 0 } = options
  const state = new SimulatorState(cadence)
  const server = Bun.serve({
    port,
    hostname,
    idleTimeout: 0,
    development: false,
    fetch: (request) => respond(request, state),
  })
  // Started on first use. Few tests need this fault, and opening a socket takes most of a simulator's start time.
  let short: ReturnType<typeof startShortServer> | undefined
  const stop = async () => {
    short?.stop()
    for (const exchange of state.open) exchange.abort()
    await server.stop(true)
  }
  return {
    port: server.port ?? port,
    url: `http://${hostname}:${server.port}`,
    get shortUrl() {
      return (short ??= startShortServer(hostname)).url
    },
    requests: state.log.requests,
    costs: state.costs,
    get open() {
      return state.open.size
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function respond(request: Request, state: SimulatorState): Response | Promise<Response> {
  const address = pathOf(request.url)
  const [prefix = "", vendor] = VENDOR.exec(address) ?? []
  const path = address.slice(prefix.length)
  const exchange = new Exchange(request, path, state, vendor)
  const query = path.indexOf("?")
  const bare = query === -1 ? path : path.slice(0, query)
  for (const format of FORMATS) {
    const found = format.match(exchange.method, bare)
    if (found !== undefined) return found(exchange)
  }
  return answerUnknownPath(exchange)
}

/** Returns the path of an absolute address. This is cheaper than parsing the address as a URL object. */
function pathOf(address: string): string {
  return address.slice(address.indexOf("/", "https://".length))
}
