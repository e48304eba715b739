import { DAY_MS } from "#contract/durations.ts"
import { GatewayError } from "../../canon/errors.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { StateKind, StateReference } from "../../canon/vendor-state.ts"

/** A kind of state that vendors store. */
interface KindFacts {
  /** The name of the kind in error messages. */
  readonly noun: string
  /** Milliseconds for which a record is kept after a response has named the state. */
  readonly lifetime: number
  /** Whether the state has the tokens of its request's usage. The tokens of other kinds are unknown. */
  readonly isCounted: boolean
  /** Advice in errors for callers whose reference is invalid. */
  readonly instead: string
}

/** The period for which OpenAI stores a response, and Anthropic a container. */
const MONTH_MS = 30 * DAY_MS
/** The period for state that vendors store until it is deleted. */
const LONG_MS = 400 * DAY_MS

const SEND_ALL = "Send the whole conversation as 'input'."
const LEAVE_OUT = "Leave it out."

const STATE_KINDS: Readonly<Record<StateKind, KindFacts>> = {
  response: { noun: "response", lifetime: MONTH_MS, isCounted: true, instead: SEND_ALL },
  conversation: {
    noun: "conversation",
    lifetime: LONG_MS,
    isCounted: true,
    instead: SEND_ALL,
  },
  message: {
    noun: "message",
    lifetime: MONTH_MS,
    isCounted: true,
    instead: "Send the whole conversation as 'messages'.",
  },
  item: {
    noun: "item",
    lifetime: MONTH_MS,
    isCounted: true,
    instead: "Send the items themselves; clients do that when 'store' is false.",
  },
  prompt: { noun: "prompt", lifetime: LONG_MS, isCounted: false, instead: "Send its text." },
  file: {
    noun: "file",
    lifetime: LONG_MS,
    isCounted: false,
    instead: "Send the file itself.",
  },
  vector_store: {
    noun: "vector store",
    lifetime: LONG_MS,
    isCounted: false,
    instead: LEAVE_OUT,
  },
  container: {
    noun: "container",
    lifetime: MONTH_MS,
    isCounted: false,
    instead: "Leave it out, and a new one is made.",
  },
  skill: { noun: "skill", lifetime: LONG_MS, isCounted: false, instead: LEAVE_OUT },
  cache: {
    noun: "cached content",
    lifetime: LONG_MS,
    isCounted: false,
    instead: "Send the content itself.",
  },
  audio: { noun: "audio", lifetime: MONTH_MS, isCounted: false, instead: "Send its transcript." },
}

/** Returns the description of a kind. */
export function factsOf(kind: StateKind): KindFacts {
  return STATE_KINDS[kind]
}

/**
 * Returns the error for a reference. State of another account and missing state have the same error. When Anthropic's
 * client receives these details for a message, it sends the whole conversation (`ThreadState` of its SDK).
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
 * Returns the error for a reference that no vendor of the model can resolve. Without the reference, the request would
 * have a different meaning.
 */
export function unusableReference({ path, state }: StateReference): GatewayError {
  const { noun, instead } = factsOf(state.kind)
  const message = `The vendor of this model keeps no ${noun}s, so '${path}' cannot be used with it. ${instead}`
  return state.kind === "message" ? noThreads(path) : invalidValue(path, message)
}

/** Returns the error for a thread at a vendor that does not support threads. */
export function noThreads(path: string): GatewayError {
  const message = `The vendor of this model keeps no threads, so '${path}' cannot be used with it. ${factsOf("message").instead}`
  return unsupportedThread(path, message)
}

/**
 * Returns the error for a tool that is billed in addition to its tokens, in a thread that would keep the tool for later
 * turns.
 */
export function unthreadable(path: string): GatewayError {
  const message = `'${path}' asks for a tool that is billed in addition to its tokens, which a thread would keep for later turns that do not name it. Leave 'thread' out. ${factsOf("message").instead}`
  return unsupportedThread(path, message)
}

/**
 * When Anthropic's client receives these details, it sends the whole conversation without a thread (`ThreadState` of
 * its SDK).
 */
function unsupportedThread(parameter: string, message: string): GatewayError {
  const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] }
  return new GatewayError("invalid_value", message, { parameter, fields: { details } })
}

/** Returns the error for state that the caller has at a vendor which does not serve the model. */
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
