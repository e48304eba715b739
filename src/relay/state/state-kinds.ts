import { GatewayError } from "../../canon/errors.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { StateKind, StateReference } from "../../canon/vendor-state.ts"

/** A kind of state that vendors store. */
interface KindFacts {
  /** Its name in errors. */
  readonly noun: string
  /** Retention after an answer has named it, milliseconds. */
  readonly lifetime: number
  /** Whether it contains the usage of its request; the size of anything else is unknown. */
  readonly isCounted: boolean
  /** Advice for callers without the state. */
  readonly instead: string
}

const DAY = 86_400_000
/** The period for which OpenAI keeps a response, and Anthropic a container. */
const MONTH = 30 * DAY
/** Used for state that exists until it is deleted. */
const LONG = 400 * DAY

const SEND_ALL = "Send the whole conversation as 'input'."
const LEAVE_OUT = "Leave it out."

const STATE_KINDS: Readonly<Record<StateKind, KindFacts>> = {
  response: { noun: "response", lifetime: MONTH, isCounted: true, instead: SEND_ALL },
  conversation: { noun: "conversation", lifetime: LONG, isCounted: true, instead: SEND_ALL },
  message: {
    noun: "message",
    lifetime: MONTH,
    isCounted: true,
    instead: "Send the whole conversation as 'messages'.",
  },
  item: {
    noun: "item",
    lifetime: MONTH,
    isCounted: true,
    instead: "Send the items themselves; clients do that when 'store' is false.",
  },
  prompt: { noun: "prompt", lifetime: LONG, isCounted: false, instead: "Send its text." },
  file: { noun: "file", lifetime: LONG, isCounted: false, instead: "Send the file itself." },
  vector_store: { noun: "vector store", lifetime: LONG, isCounted: false, instead: LEAVE_OUT },
  container: {
    noun: "container",
    lifetime: MONTH,
    isCounted: false,
    instead: "Leave it out, and a new one is made.",
  },
  skill: { noun: "skill", lifetime: LONG, isCounted: false, instead: LEAVE_OUT },
  cache: {
    noun: "cached content",
    lifetime: LONG,
    isCounted: false,
    instead: "Send the content itself.",
  },
  audio: { noun: "audio", lifetime: MONTH, isCounted: false, instead: "Send its transcript." },
}

/** Returns the description of a kind. */
export function factsOf(kind: StateKind): KindFacts {
  return STATE_KINDS[kind]
}

/**
 * Returns the error for a reference. State of another account and missing state are rejected in the same words.
 * Anthropic's client sends the whole conversation by itself when it reads such details of a message (ThreadState of
 * its SDK).
 */
export function notFound({ id, path, state }: StateReference): GatewayError {
  const { noun, instead } = factsOf(state.kind)
  const message = `'${path}' names the ${noun} '${shortened(id)}', which this account does not have. ${instead}`
  const details = { error_code: "thread_not_found" }
  return new GatewayError("not_found", message, {
    parameter: path,
    ...(state.kind === "message" ? { fields: { details } } : {}),
  })
}

/**
 * Returns the error for a reference that no vendor of the model could resolve; the request would mean something else
 * without it.
 */
export function unusableReference({ path, state }: StateReference): GatewayError {
  const { noun, instead } = factsOf(state.kind)
  const message = `The vendor of this model keeps no ${noun}s, so '${path}' cannot be used with it. ${instead}`
  return state.kind === "message" ? noThreads(path) : invalidValue(path, message)
}

/** Returns the error for a thread at a vendor without threads. */
export function noThreads(path: string): GatewayError {
  const message = `The vendor of this model keeps no threads, so '${path}' cannot be used with it. ${factsOf("message").instead}`
  return unsupportedThread(path, message)
}

/** Returns the error for a tool that is billed besides its tokens, in a thread that would keep it for later turns. */
export function unthreadable(path: string): GatewayError {
  const message = `'${path}' asks for a tool that is billed beside its tokens, which a thread would keep for later turns that do not name it. Leave 'thread' out. ${factsOf("message").instead}`
  return unsupportedThread(path, message)
}

/**
 * Anthropic's client sends the whole conversation without a thread when it reads these details (ThreadState of
 * its SDK).
 */
function unsupportedThread(parameter: string, message: string): GatewayError {
  const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] }
  return new GatewayError("invalid_value", message, { parameter, fields: { details } })
}

/** Returns the error for state of the caller at a vendor that does not serve the model. */
export function storedAtOtherVendor({ path, state }: StateReference, model: string): GatewayError {
  const { noun, instead } = factsOf(state.kind)
  return invalidValue(
    path,
    `The ${noun} that '${path}' names is kept by a provider that does not serve '${model}' now, or does not keep everything else that the request names. Use the model that it was made with. ${instead}`,
  )
}

const MAX_ID_LENGTH = 100

function shortened(id: string): string {
  return id.length <= MAX_ID_LENGTH ? id : `${id.slice(0, MAX_ID_LENGTH)}...`
}
