import * as z from "zod"
import type { SixUpstreams, Upstream } from "./six-upstreams.ts"

/** Options of a response that a client requests. */
export interface ResponseOptions {
  readonly isStreamed: boolean
  /** Whether both tools are offered. */
  readonly hasTools?: boolean
  /** Whether the model must think, and show its thinking if possible. */
  readonly thinks?: boolean
  /** Whether the response must be a `Thing`. */
  readonly isThing?: boolean
  readonly maxTokens?: number
  readonly stop?: string
}

/** The user's message. */
export interface Said {
  readonly text: string
  /** The image as a data URL or an HTTP URL. */
  readonly image?: string
  /** Instructions, which are marked for caching if the client supports it. */
  readonly instructions?: string
}

/** Tokens in the client's own fields; absent without such fields. */
export interface ClientUsage {
  /** All input tokens, including cached tokens. */
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning?: number
}

/** A response in the form that the caller of a client reads. */
export interface ClientResponse {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** The reason why the response ended, in the client's own term. */
  readonly finish: string
  readonly usage: ClientUsage
  /** The name of the model in the response. */
  readonly model: string
  /** The parsed structured output, if the client parses it. */
  readonly thing?: unknown
}

/** A conversation with one client, which sends all parts of earlier responses back unchanged. */
export interface Conversation {
  say(model: string, said: Said, options: ResponseOptions): Promise<ClientResponse>
  /** Sends the results of the calls in the last response, in the order of the calls. */
  answerCalls(
    model: string,
    results: readonly string[],
    options: ResponseOptions,
  ): Promise<ClientResponse>
}

/** The client's terms for the reasons why a response ends. */
export interface FinishWords {
  readonly stop: string
  readonly length: string
  readonly calls: string
  /** The response ended at a stop string. */
  readonly stopString: string
}

/** Failures of the vendor, and `unknown` for an unknown model. */
export const FAILURES = ["429", "500", "401", "unknown"] as const

export type Failure = (typeof FAILURES)[number]

/** An error that a client throws. */
export interface ExpectedError {
  readonly type: abstract new (...parts: never[]) => Error
  readonly status: number
  /** The code or type by which callers of the client distinguish errors. */
  readonly word: string
}

/** An official client and its features. */
export interface TestedClient {
  readonly name: string
  readonly finishes: FinishWords
  /** Whether the client has a field for stop strings. */
  readonly hasStop: boolean
  /** Whether the client can mark the end of the cached part of a prompt. */
  readonly marksCache: boolean
  /** Whether the client has an option for structured output. Otherwise it uses a tool. */
  readonly asksForSchema: boolean
  /** Whether the client returns the model's thoughts. */
  readonly showsThoughts: boolean
  /** How upstreams receive the address of an image, if it differs for this client. */
  readonly imagesByUrl?: Readonly<Partial<Record<Upstream, string>>>
  /** Whether the client sends an upstream's reasoning back with its signature. */
  returnsSignatures(upstream: Upstream, isStreamed: boolean): boolean
  begin(upstreams: SixUpstreams): Conversation
  /** Requests a stream, reads three chunks, and disconnects. */
  leave(upstreams: SixUpstreams, model: string, text: string): Promise<void>
  readonly errors: Readonly<Record<Failure, ExpectedError>>
  /** The error that the client throws for a broken stream. */
  readonly brokenStream: ExpectedError["type"]
  readError(error: unknown): Pick<ExpectedError, "status" | "word">
}

/** Number of chunks that are read before the caller disconnects. */
export const CHUNKS_READ = 3

/** Two tools, one of them without parameters (docs/contribute/wire/README.md#f3). */
export const TOOLS = [
  {
    name: "weather",
    description: "How the weather is in a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
  {
    name: "clock",
    description: "What time it is.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
  },
] as const

/** The calls that the simulator's models make if the prompt names both tools. */
export const CALLS = [
  { name: "weather", input: { city: "city" } },
  { name: "clock", input: {} },
] as const

/** The schema of the structured output. */
export const Thing = z.object({ name: z.string(), count: z.number() })
