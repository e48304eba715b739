import { GatewayError } from "../../canon/errors.ts"
import type { Key } from "../../keys/key.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { MemoryBudget, Reservation } from "../../limits/memory-budget.ts"
import type { Call } from "../../relay/request/call.ts"
import type { Arrival, RequestTrace } from "../../relay/request/request-trace.ts"
import type { Events } from "../../telemetry/events.ts"
import {
  type Auth,
  type BodyReader,
  type Endpoint,
  type HandlerContext,
  noBody,
  serve,
} from "../endpoint.ts"
import { type Pace, USUAL_PACE } from "../incoming-body.ts"
import type { Form } from "../uploads/form-reader.ts"
import type { FileRules } from "../uploads/form-rules.ts"
import { readForm, receiveUpload, type UploadInProgress } from "../uploads/read-form.ts"
import { callerKey } from "./caller-key.ts"
import { rejectLongLists } from "./field-limits.ts"
import { readGoogleAddress } from "./google-address.ts"
import { labelsOf } from "./labels.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { EarlyChecks } from "../../relay/pipeline/early-checks.ts"
import type { TakenPreferences } from "../../relay/routing-preferences/read-preferences.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { type BodyWatch, isSmallBody, readJsonBody, type ReceivedBody } from "../read-body.ts"
import type { Spool } from "../uploads/spool.ts"
import { type ServiceName, serviceRoute } from "#contract/service-routes.ts"
import { type ErrorResponse, errorResponse } from "../responses.ts"
import type { Route } from "../server.ts"

/** A caller with a key, with the memory reservation and the trace of its request. */
export interface KeyCaller {
  readonly key: Key
  readonly memory: Reservation
  readonly trace: RequestTrace | undefined
  /** Whether multipliers, providers and deployments are hidden from the caller. */
  readonly hidesCosts: boolean
}

/** A request authenticated by a key. */
export type CallContext = HandlerContext<KeyCaller>

export interface CallServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly memory: MemoryBudget
  readonly checks: EarlyChecks
  /** Returns the maximum bytes of a JSON body. */
  readonly bodyLimit: () => number
  /** Stores the files of forms while their requests run. */
  readonly spool: Spool
  readonly pace?: Pace
  /** Returns whether multipliers, providers and deployments are hidden from callers. */
  readonly hidesCosts: () => boolean
  /** The tracer; absent if tracing is disabled. */
  readonly tracer?: Tracer | undefined
}

/** Begins traces, or continues the traces of callers. */
export interface Tracer {
  /** Begins the trace of a request. Returns undefined if the request is not traced. */
  begin(request: Request, key: Key, arrival: Arrival): RequestTrace | undefined
}

/** The purpose for which a body is read. */
export interface BodyPurpose {
  /** The path of the endpoint. It determines the limits of the body's fields. */
  readonly path: string
  /** The kind of model in the body; absent if the request is free. */
  readonly kind?: ModelKind
  /** Maximum number of values; if absent, the default maximum. */
  readonly maxValues?: number
}

type KeyEndpoint<Body> = Endpoint<KeyCaller, Body>

/** Builds the routes of callers with keys, and reads their bodies. */
export interface Calls {
  readonly events: Pick<Events, "requestFailed">
  /** Builds a route that runs a model. It rejects paused keys, and requests above the concurrency limit. */
  readonly run: <Body>(endpoint: Omit<KeyEndpoint<Body>, "auth" | "method">) => Route
  /** Builds a route that runs no model. */
  readonly serve: <Body>(endpoint: Omit<KeyEndpoint<Body>, "auth">) => Route
  /** Builds a route that runs no model and reads no body. */
  readonly respond: (
    name: ServiceName,
    handle: KeyEndpoint<undefined>["handle"],
    errors?: ErrorResponse,
  ) => Route
  readonly json: (purpose: BodyPurpose) => BodyReader<KeyCaller, ReceivedBody>
  readonly form: (rules: FileRules, kind: ModelKind) => BodyReader<KeyCaller, Form>
  /** Reads a form. The form may be returned while a long file in it is still arriving. */
  readonly upload: (rules: FileRules, kind: ModelKind) => BodyReader<KeyCaller, UploadInProgress>
}

export function callsOf(services: CallServices): Calls {
  const { keyring, events, memory: budget, bodyLimit, spool, pace = USUAL_PACE, tracer } = services
  const { checks, hidesCosts } = services
  const opened = (key: Key, request: Request, arrival: Arrival): KeyCaller => ({
    key,
    memory: budget.open(key),
    trace: tracer?.begin(request, key, arrival),
    hidesCosts: hidesCosts(),
  })
  const auth: Auth<KeyCaller> = (request, connection, arrival) => {
    const found = callerKey(keyring, request, connection, arrival.receivedAt)
    return found instanceof Promise
      ? found.then((key) => opened(key, request, arrival))
      : opened(found, request, arrival)
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
    // A short body is checked here, because `readJsonBody` calls the watch only for longer bodies.
    if (isSmallBody(request)) await watch.arrived(body.json["model"])
    rejectLongLists(body.json, path, body.bytes)
    return body
  }
  const formReading = (rules: FileRules, kind: ModelKind, request: Request, caller: KeyCaller) => ({
    spool,
    rules,
    memory: caller.memory,
    pace,
    ...(!isSmallBody(request) && { watch: new CallWatch(checks, caller.key, kind, request) }),
  })
  const callerAuth: Auth<KeyCaller> = (request, connection, arrival) => {
    const found = auth(request, connection, arrival)
    return found instanceof Promise ? found.then(entered) : entered(found)
  }
  return {
    events,
    run: (endpoint) => serve({ method: "POST", auth: callerAuth, ...endpoint }, events),
    serve: (endpoint) => serve({ auth, ...endpoint }, events),
    respond: (name, handle, errors = errorResponse) =>
      serve({ ...serviceRoute(name), auth, body: noBody, handle, errors }, events),
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

/** Returns the caller when its request may continue. If the request is rejected, its memory is released. */
async function waited(caller: KeyCaller, entering: Promise<void>): Promise<KeyCaller> {
  try {
    await entering
    return caller
  } catch (error) {
    caller.memory[Symbol.dispose]()
    throw error
  }
}

/** Maximum bytes of a body that can contain neither a file that takes a long time to measure nor a long list. */
const PLAIN_BYTES = 4 * 1024

/**
 * Rejects a call while its body arrives, if the key's rate limit or credits are used up, or if the key may not call the
 * model.
 */
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

  /** The model in the request's address. */
  get #addressed(): string | undefined {
    return readGoogleAddress(new URL(this.#request.url).pathname)?.model
  }

  /** Checks a body that arrived with its head. It may contain a file that takes a long time to measure. */
  async arrived(model: JsonValue | undefined): Promise<void> {
    await this.begins()
    if (typeof model === "string") await this.named(model)
  }

  async begins(): Promise<void> {
    this.#checks.rejectFrequent(this.#key)
    if (this.#kind === undefined) return
    await this.#checks.rejectEmpty(this.#key, this.#kind)
    const model = this.#addressed
    if (model !== undefined) await this.#checks.rejectUnpaid(this.#key, this.#kind, model)
  }

  async named(model: string): Promise<void> {
    if (this.#kind === undefined || this.#addressed !== undefined) return
    await this.#checks.rejectUnpaid(this.#key, this.#kind, model)
  }
}

/** The JSON of a request. */
interface Contents<Body>
  extends Pick<TakenPreferences, "preferences">, Pick<Call, "forwarded" | "isAscii"> {
  /** The JSON without the routing preferences; undefined for a form. */
  readonly body: Body
  /** The JSON that may contain labels; the body if absent. */
  readonly labelled?: JsonObject
}

/** The contents of a form. Its fields contain no labels and no routing preferences. */
export const FORM: Contents<undefined> = { body: undefined, preferences: undefined }

/**
 * Builds the call of a request, including the options in its headers.
 * @param bodyBytes size of the received body.
 * @throws GatewayError `invalid_value`.
 */
export function callOf<Body extends JsonObject | undefined>(
  { id, path, request: { headers }, caller, connection, receivedAt, startedAt }: CallContext,
  bodyBytes: number,
  { body, labelled = body, preferences, isAscii, forwarded }: Contents<Body>,
): Call & { readonly body: Body } {
  return {
    id,
    key: caller.key,
    endpoint: path,
    body,
    bodyBytes,
    isAscii,
    receivedAt,
    startedAt,
    rejectOnLowBalance: rejectsOnLowBalance(headers),
    isStrict: isStrict(headers) || preferences?.requiresParameters === true,
    preferences,
    labels: labelsOf(headers, labelled),
    memory: caller.memory,
    hidesCosts: caller.hidesCosts,
    onStreamEnd: (isLarge) => connection.waitShort(isLarge),
    trace: caller.trace,
    forwarded,
  }
}

/**
 * Whether the caller prefers a rejection to a response that is shortened for lack of credits.
 * @throws GatewayError
 */
function rejectsOnLowBalance(headers: Headers): boolean {
  return asksFor(headers, "x-tollgate-on-low-balance", "clamp", "refuse")
}

/**
 * Whether the caller prefers a rejection to a lossy translation.
 * @throws GatewayError
 */
function isStrict(headers: Headers): boolean {
  return asksFor(headers, "x-tollgate-strict", "false", "true")
}

/**
 * Whether a header selects the option that is not the default.
 * @throws GatewayError `invalid_value` for any other value.
 */
export function asksFor(headers: Headers, name: string, usual: string, other: string): boolean {
  const value = headers.get(name)
  if (value === null || value === usual) return false
  if (value === other) return true
  throw new GatewayError("invalid_value", `The header '${name}' takes '${usual}' or '${other}'.`, {
    parameter: name,
  })
}
