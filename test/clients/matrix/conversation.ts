import * as z from "zod"
import type { SixUpstreams, Upstream } from "./six-upstreams.ts"

/** Options of an answer that a client requests. */
export interface AnswerOptions {
  readonly isStreamed: boolean
  /** Both tools are offered. */
  readonly hasTools?: boolean
  /** Whether the model must think, and show its thinking if possible. */
  readonly thinks?: boolean
  /** Whether the answer must be a `Thing`. */
  readonly isThing?: boolean
  readonly maxTokens?: number
  readonly stop?: string
}

/** The user's message. */
export interface Said {
  readonly text: string
  /** A data URL or a web address. */
  readonly image?: string
  /** Instructions, followed by a cache mark if the client has one. */
  readonly instructions?: string
}

/** Tokens in the client's own fields; absent without such fields. */
export interface ClientUsage {
  /** All of them, including cached ones. */
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning?: number
}

/** An answer as the client's caller reads it. */
export interface Answer {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** Why it ended, in the client's own word. */
  readonly finish: string
  readonly usage: ClientUsage
  /** The model's name in the answer. */
  readonly model: string
  /** Set by clients that parse structured output themselves. */
  readonly thing?: unknown
}

/** A client's conversation, which sends back all parts of the answers unchanged. */
export interface Conversation {
  say(model: string, said: Said, options: AnswerOptions): Promise<Answer>
  /** Answers the calls of the last answer, in their order. */
  answerCalls(model: string, results: readonly string[], options: AnswerOptions): Promise<Answer>
}

/** The client's names for the ways in which an answer ends. */
export interface FinishWords {
  readonly stop: string
  readonly length: string
  readonly calls: string
  /** Ended by a stop string. */
  readonly stopString: string
}

/** Failures of the vendor, and an unknown model. */
export const FAILURES = ["429", "500", "401", "unknown"] as const

export type Failure = (typeof FAILURES)[number]

/** An error as a client throws it. */
export interface ExpectedError {
  readonly type: abstract new (...parts: never[]) => Error
  readonly status: number
  /** The code or type on which callers of the client branch. */
  readonly word: string
}

/** An official client and its features. */
export interface TestedClient {
  readonly name: string
  readonly finishes: FinishWords
  /** It has a field for stop strings. */
  readonly hasStop: boolean
  /** It can mark the end of the cached part of a prompt. */
  readonly marksCache: boolean
  /** It has an option for structured output; otherwise it uses a tool. */
  readonly asksForSchema: boolean
  /** It shows the model's thoughts. */
  readonly showsThoughts: boolean
  /** The upstream's form of an image's address, if it is different for this client. */
  readonly imagesByUrl?: Readonly<Partial<Record<Upstream, string>>>
  /** It returns an upstream's reasoning together with its signature. */
  returnsSignatures(upstream: Upstream, isStreamed: boolean): boolean
  begin(upstreams: SixUpstreams): Conversation
  /** Requests a stream, reads three chunks of it, and disconnects. */
  leave(upstreams: SixUpstreams, model: string, text: string): Promise<void>
  readonly errors: Readonly<Record<Failure, ExpectedError>>
  /** The error that it throws for a broken stream. */
  readonly brokenStream: ExpectedError["type"]
  readError(error: unknown): Pick<ExpectedError, "status" | "word">
}

/** The number of chunks that are read before the caller disconnects. */
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

/** The calls of the simulator's models if both tools are named. */
export const CALLS = [
  { name: "weather", input: { city: "city" } },
  { name: "clock", input: {} },
] as const

/** The schema of the structured output. */
export const Thing = z.object({ name: z.string(), count: z.number() })
