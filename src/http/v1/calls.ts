import { GatewayError } from "../../canon/errors.ts"
import type { Key } from "../../keys/key.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { MemoryBudget, Reservation } from "../../limits/memory-budget.ts"
import type { Call } from "../../relay/request/call.ts"
import type { RequestTrace } from "../../relay/request/request-trace.ts"
import type { Events } from "../../telemetry/events.ts"
import type { Auth, BodyReader, HandlerContext } from "../endpoint.ts"
import { type Pace, USUAL_PACE } from "../incoming-body.ts"
import type { Form } from "../uploads/form-reader.ts"
import type { FileRules } from "../uploads/form-rules.ts"
import { readForm, receiveUpload, type UploadInProgress } from "../uploads/read-form.ts"
import { callerKey } from "./caller-key.ts"
import { refuseLongLists } from "./field-limits.ts"
import { readGoogleAddress } from "./google-address.ts"
import { labelsOf } from "./labels.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { EarlyChecks } from "../../relay/pipeline/early-checks.ts"
import type { TakenPreferences } from "../../relay/routing-preferences/read-preferences.ts"
import type { JsonValue } from "../../canon/json.ts"
import { type BodyWatch, isSmallBody, readJsonBody, type ReceivedBody } from "../read-body.ts"
import type { Spool } from "../uploads/spool.ts"

/** Who calls with a key, what the request holds of the process's memory, and its place in a trace. */
export interface KeyCaller {
  readonly key: Key
  readonly memory: Reservation
  readonly trace: RequestTrace | undefined
}

/** A request of someone with a key. */
export type CallContext = HandlerContext<KeyCaller>

export interface CallServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly memory: MemoryBudget
  readonly checks: EarlyChecks
  /** Bytes. */
  readonly bodyLimit: () => number
  /** Where the files of forms are while their requests run. */
  readonly spool: Spool
  readonly pace?: Pace
  /** Absent where nothing is traced. */
  readonly tracer?: Tracer | undefined
}

/** Begins traces, or carries on those of callers. */
export interface Tracer {
  /** Undefined for a request that is not traced. */
  begin(request: Request, key: Key, receivedAt: number): RequestTrace | undefined
}

/** What a body is for. */
export interface BodyPurpose {
  /** The path of its endpoint, which limits its fields. */
  readonly path: string
  /** The kind of model that it names; absent: it costs nothing. */
  readonly kind?: ModelKind
  /** Maximum number of values; absent: the usual maximum. */
  readonly maxValues?: number
}

/** How endpoints that are called with a key know who calls, and read what they send. */
export interface Calls {
  readonly events: Events
  readonly auth: Auth<KeyCaller>
  /** The same for requests that run a model: rejects keys that are paused, and requests beyond those that may run. */
  readonly callerAuth: Auth<KeyCaller>
  readonly json: (purpose: BodyPurpose) => BodyReader<KeyCaller, ReceivedBody>
  readonly form: (rules: FileRules, kind: ModelKind) => BodyReader<KeyCaller, Form>
  /** A form whose long file may still be arriving when it is handed over. */
  readonly upload: (rules: FileRules, kind: ModelKind) => BodyReader<KeyCaller, UploadInProgress>
}

export function callsOf(services: CallServices): Calls {
  const { keyring, events, memory: budget, bodyLimit, spool, pace = USUAL_PACE, tracer } = services
  const { checks } = services
  const opened = (key: Key, request: Request, receivedAt: number): KeyCaller => ({
    key,
    memory: budget.open(key),
    trace: tracer?.begin(request, key, receivedAt),
  })
  const openedLater = async (finding: Promise<Key>, request: Request, receivedAt: number) =>
    opened(await finding, request, receivedAt)
  const auth: Calls["auth"] = (request, connection, receivedAt) => {
    const found = callerKey(keyring, request, connection, receivedAt)
    return found instanceof Promise
      ? openedLater(found, request, receivedAt)
      : opened(found, request, receivedAt)
  }
  const entered = (caller: KeyCaller): MaybePromise<KeyCaller> => {
    let entering: Promise<void> | undefined
    try {
      entering = checks.enter(caller.key, caller.memory)
    } catch (error) {
      caller.memory[Symbol.dispose]()
      throw error
    }
    return entering === undefined ? caller : waited(caller, entering)
  }
  const watchedJson = async (purpose: BodyPurpose, request: Request, caller: KeyCaller) => {
    const { memory } = caller
    const { path, kind, maxValues } = purpose
    const watch = new CallWatch(checks, caller.key, kind, request)
    const limit = bodyLimit()
    const reading = { limit, memory, pace, watch, ...(maxValues && { maxValues }) }
    const body = await readJsonBody(request, reading)
    // The watch is called only while longer bodies arrive.
    if (isSmallBody(request)) await watch.arrived(body.json["model"])
    refuseLongLists(body.json, path, body.bytes)
    return body
  }
  const formReading = (rules: FileRules, kind: ModelKind, request: Request, caller: KeyCaller) => ({
    spool,
    rules,
    memory: caller.memory,
    pace,
    ...(!isSmallBody(request) && { watch: new CallWatch(checks, caller.key, kind, request) }),
  })
  return {
    events,
    auth,
    callerAuth(request, connection, receivedAt) {
      const found = auth(request, connection, receivedAt)
      return found instanceof Promise ? found.then(entered) : entered(found)
    },
    json: (purpose) => (request, caller) =>
      isSmallBody(request, PLAIN_BYTES)
        ? readJsonBody(request, { limit: bodyLimit(), memory: caller.memory })
        : watchedJson(purpose, request, caller),
    form: (rules, kind) => (request, caller) =>
      readForm(request, formReading(rules, kind, request, caller)),
    upload: (rules, kind) => (request, caller) =>
      receiveUpload(request, formReading(rules, kind, request, caller)),
  }
}

/** Returns the caller when its request may continue. Releases its memory if the request is rejected. */
async function waited(caller: KeyCaller, entering: Promise<void>): Promise<KeyCaller> {
  try {
    await entering
    return caller
  } catch (error) {
    caller.memory[Symbol.dispose]()
    throw error
  }
}

/** A body of up to so many bytes holds no file that takes long to measure, and no long list. */
const PLAIN_BYTES = 4 * 1024

/** Rejects a call while its body arrives, by its key's rate, its credits and its model. */
class CallWatch implements BodyWatch {
  readonly #checks: EarlyChecks
  readonly #key: Key
  readonly #kind: ModelKind | undefined
  readonly #request: Request

  constructor(checks: EarlyChecks, key: Key, kind: ModelKind | undefined, request: Request) {
    this.#checks = checks
    this.#key = key
    this.#kind = kind
    this.#request = request
  }

  /** The model that the address names. */
  get #addressed(): string | undefined {
    return readGoogleAddress(new URL(this.#request.url).pathname)?.model
  }

  /** A body that arrived with its head, which may hold a file that takes long to measure. */
  async arrived(model: JsonValue | undefined): Promise<void> {
    await this.begins()
    if (typeof model === "string") await this.named(model)
  }

  async begins(): Promise<void> {
    this.#checks.refuseFrequent(this.#key)
    if (this.#kind === undefined) return
    await this.#checks.refuseEmpty(this.#key, this.#kind)
    const model = this.#addressed
    if (model !== undefined) await this.#checks.refuseUnpaid(this.#key, this.#kind, model)
  }

  async named(model: string): Promise<void> {
    if (this.#kind === undefined || this.#addressed !== undefined) return
    await this.#checks.refuseUnpaid(this.#key, this.#kind, model)
  }
}

/** `preferences` is required, so that the compiler rejects a request body in its place. */
type Taken = Pick<TakenPreferences, "preferences"> & Partial<Pick<TakenPreferences, "body">>

const NOTHING_TAKEN: Taken = { preferences: undefined }

/**
 * A request as the relay takes it, with what its headers ask for.
 * @param bodyBytes of the body as received.
 * @param taken the same, where it is JSON or a form, without what says where it is to go.
 * @throws GatewayError `invalid_value`.
 */
export function callOf(
  { id, path, request: { headers }, caller, receivedAt, startedAt }: CallContext,
  bodyBytes: number,
  { body, preferences }: Taken = NOTHING_TAKEN,
): Call {
  return {
    id,
    key: caller.key,
    endpoint: path,
    bodyBytes,
    receivedAt,
    startedAt,
    refuseOnLowBalance: refusesOnLowBalance(headers),
    isStrict: isStrict(headers) || preferences?.requiresParameters === true,
    preferences,
    labels: labelsOf(headers, body),
    memory: caller.memory,
    trace: caller.trace,
    body,
  }
}

/** Whether the caller prefers a refusal to an answer that is shorter than it asks for. @throws GatewayError */
export function refusesOnLowBalance(headers: Headers): boolean {
  return asksFor(headers, "x-tollgate-on-low-balance", "clamp", "refuse")
}

/** Whether the caller prefers a refusal to a request that loses something in translation. @throws GatewayError */
export function isStrict(headers: Headers): boolean {
  return asksFor(headers, "x-tollgate-strict", "false", "true")
}

/** Whether a header asks for what is not the default. @throws GatewayError `invalid_value` for any other value. */
export function asksFor(headers: Headers, name: string, usual: string, other: string): boolean {
  const value = headers.get(name)
  if (value === null || value === usual) return false
  if (value === other) return true
  throw new GatewayError("invalid_value", `The header '${name}' takes '${usual}' or '${other}'.`, {
    parameter: name,
  })
}
