import type { ModelRules } from "#contract/model-rules.ts"
import { isJsonObject } from "../../canon/json.ts"
import { LongSpans } from "../../canon/long-spans.ts"
import { parseAround, parseWhole } from "../../canon/long-value.ts"
import { LARGE_BODY } from "../../canon/sliced-json-text.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isErrorResponse } from "../../canon/operation-response.ts"
import type {
  OperationResponse,
  OperationCall,
  OperationFormat,
  UsageReader,
} from "../../canon/operation.ts"
import { type Usage, usageOfCalls } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import {
  asCallFailure,
  billedResponseOf,
  CallEnded,
  type CallFailure,
} from "../lifetime/call-failure.ts"
import { recordUnchargedCalls } from "../pipeline/cancellation.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import type { RequestContext } from "../pipeline/request-context.ts"
import type { Attempt, Candidate } from "../upstream/attempt.ts"
import { readBytes, rejectTooComplex } from "../upstream/read-response.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import type { RejectionReader } from "../upstream/rejection.ts"
import type { SpeculativeCall } from "../upstream/speculative-call.ts"

/** Maximum parallel calls of one operation. */
const MAX_AT_ONCE = 4

/** Reads the responses of an operation, and their errors. */
export type ResponseReader = RejectionReader & Pick<OperationFormat<never, never>, "longMember">

/** An upstream response whose body has not been read. The deadlines of its call are in `attempt`. */
export interface UpstreamResponse {
  readonly attempt: Attempt<Candidate>
  readonly response: HttpResponse
}

/** A billed call whose response was not read. */
export interface UnreadCall {
  /** Number of results that the call requested. */
  readonly results: number
  /** The reported usage; undefined if the call reported no usage. */
  readonly usage: Usage | undefined
}

/** Reads the errors of a vendor, and the usage of its responses that cannot be decoded. */
type CallFormat = ResponseReader & UsageReader

/** A deployment that can serve an operation, and how to call it. */
export class OperationCandidate implements Candidate {
  readonly deployment: Deployment
  readonly client: ProviderClient
  /** The responses that were read completely. */
  readonly #responses = new Map<Attempt<Candidate>, OperationResponse>()
  readonly #pipeline: Pipeline
  readonly #context: RequestContext
  readonly #speculative: SpeculativeCall | undefined
  readonly #attempts: Attempt<Candidate>[] = []
  /** The number of results that each call requests, if it is not one. */
  readonly #results = new Map<Attempt<Candidate>, number>()
  /** Number of results of the operation. */
  #wanted = 1
  /** Whether one of several calls has failed. No further call is then made. */
  #hasFailed = false
  /** The last call that returned a response. */
  #last: Attempt<Candidate> | undefined
  #format: CallFormat | undefined

  /** @param speculative a call that may already be in progress, to this or another deployment. */
  constructor(
    pipeline: Pipeline,
    context: RequestContext,
    { deployment, client }: Candidate,
    speculative: SpeculativeCall | undefined,
  ) {
    this.#pipeline = pipeline
    this.#context = context
    this.deployment = deployment
    this.client = client
    this.#speculative = speculative
  }

  /** The rules of the model; undefined if no restriction is known. */
  get rules(): ModelRules | undefined {
    return this.#context.config.learnedRules.of(this.deployment).rules
  }

  /** Whether the provider bills a call that the gateway ended. */
  get wasEnded(): boolean {
    return this.#attempts.some(({ isBilled }) => isBilled)
  }

  /** The share of the operation that the provider bills, which is that of the answered and the ended calls. */
  get billedShare(): number {
    const billed = this.#billed.reduce((sum, attempt) => sum + this.#resultsOf(attempt), 0)
    return Math.min(1, billed / this.#wanted)
  }

  /**
   * The reported usage of all billed calls; undefined if a call did not report its usage. The usage of all calls is
   * then estimated together.
   */
  get unreadUsage(): Usage | undefined {
    return usageOfCalls(this.#billed.map((attempt) => this.#usageOf(attempt)))
  }

  /** Each billed call whose response was not read. */
  get unreadCalls(): readonly UnreadCall[] {
    return this.#billed
      .filter((attempt) => !this.#responses.has(attempt))
      .map((attempt) => ({ results: this.#resultsOf(attempt), usage: this.#usageOf(attempt) }))
  }

  #resultsOf(attempt: Attempt<Candidate>): number {
    return this.#results.get(attempt) ?? 1
  }

  #usageOf(attempt: Attempt<Candidate>): Usage | undefined {
    const members = attempt.usageMembers ?? this.#responses.get(attempt)?.json
    return isJsonObject(members) ? this.#format?.usageIn?.(members) : undefined
  }

  get #billed(): readonly Attempt<Candidate>[] {
    return this.#attempts.filter((attempt) => {
      const response = this.#responses.get(attempt)
      if (response && isErrorResponse(response)) return false
      return attempt.isBilled || attempt.record.outcome === "ok"
    })
  }

  /** The failure of a call whose response cannot be used although its provider bills it. */
  get unreadFailure(): CallFailure | undefined {
    return this.#attempts.find(({ ended }) => billedResponseOf(ended) !== undefined)?.ended
  }

  /** Whether a call ended with a response that cannot be used although its provider bills it. */
  get isUnusable(): boolean {
    return this.unreadFailure !== undefined
  }

  /** The number of calls whose usage is charged, at least one. */
  get chargedCalls(): number {
    return Math.max(1, this.wasEnded ? this.#billed.length : this.#good.length)
  }

  get #good(): readonly OperationResponse[] {
    return [...this.#responses.values()].filter((response) => !isErrorResponse(response))
  }

  /** Records the provider cost of the candidate's calls as the operator's cost. */
  lost(): void {
    recordUnchargedCalls(this.#context.charge, this.#attempts)
  }

  /**
   * The responses of the completed calls, after another call has failed or returned an error. They are in no particular
   * order.
   */
  get completed(): readonly OperationResponse[] {
    const good = this.#good
    return this.#hasFailed || good.length < this.#responses.size ? good : []
  }

  get #isLarge(): boolean {
    return this.#context.call.bodyBytes >= LARGE_BODY
  }

  /**
   * Makes one upstream call and returns its response if the status reports success. If the body cannot be read, the
   * caller of this method reports the failure to the attempt.
   * @param format reads the vendor's errors and usage.
   * @throws GatewayError if the call failed.
   */
  async call(call: OperationCall, format: CallFormat): Promise<UpstreamResponse> {
    this.#format = format
    const attempt = this.#pipeline.begin<Candidate>(this.#context, this)
    this.#attempts.push(attempt)
    if (call.results !== undefined) this.#results.set(attempt, call.results)
    try {
      const sending = this.#speculative?.take(this.deployment)
      const response = sending
        ? await attempt.receive(sending, format)
        : await attempt.send(this.client.operation(call, this.#isLarge), format)
      attempt.succeed()
      this.#last = attempt
      return { attempt, response }
    } catch (thrown) {
      throw attempt.fail(thrown)
    }
  }

  /**
   * Marks a call as failed on the receipt and for the health of the deployment, because the response is unusable
   * although the call succeeded. It has no effect if the call was already reported as failed, or if the vendor did not
   * cause the failure.
   */
  reject(thrown: unknown): void {
    const failure = asCallFailure(thrown)
    const isVendors =
      failure instanceof GatewayError &&
      (failure.kind === "upstream_error" || failure.details.providerError !== undefined)
    if (isVendors && !this.#hasFailed && this.#last?.record.outcome === "ok")
      this.#last.fail(failure)
  }

  /**
   * Makes all calls of an encoded operation, some of them in parallel, and reads their responses completely.
   * @throws the GatewayError of the first call that failed. Other started calls continue.
   */
  async callAll(format: CallFormat, calls: readonly OperationCall[]): Promise<OperationResponse[]> {
    const responses: OperationResponse[] = []
    const { deployment } = this
    this.#wanted = calls.reduce((sum, { results = 1 }) => sum + results, 0)
    try {
      for (let start = 0; start < calls.length; start += MAX_AT_ONCE) {
        if (this.#hasFailed) throw new CallEnded("not_needed")
        const some = calls
          .slice(start, start + MAX_AT_ONCE)
          .map((call) => () => this.#response(call, format))
        const made = { deployment, attempts: this.#attempts, hasResponses: responses.length > 0 }
        responses.push(
          ...(await this.#pipeline.relatedCalls.withRetries(this.#context, made, some)),
        )
      }
      return responses
    } catch (failure) {
      this.#hasFailed = true
      throw failure
    }
  }

  /** Resets the state before all calls are repeated in another form. */
  async again(): Promise<void> {
    await this.#context.cancellation.endOthers()
    this.#hasFailed = false
    this.#responses.clear()
  }

  /**
   * Runs several functions that make calls in parallel.
   * @throws GatewayError like `callAll`.
   */
  together<T>(parts: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
    return this.#pipeline.relatedCalls.together(this.#context, this.deployment, parts)
  }

  async #response(call: OperationCall, format: CallFormat): Promise<OperationResponse> {
    const upstream = await this.call(call, format)
    const response = await readWhole(upstream, format)
    this.#last = upstream.attempt
    this.#responses.set(upstream.attempt, response)
    return response
  }
}

/**
 * Returns the complete response.
 * @param format reads the errors in the response.
 * @throws GatewayError, in which case the attempt has failed.
 */
export async function readWhole(
  upstream: UpstreamResponse,
  format: ResponseReader,
): Promise<OperationResponse> {
  const { attempt } = upstream
  try {
    const response = await responseOf(upstream, format)
    attempt.succeed()
    attempt[Symbol.dispose]()
    return response
  } catch (thrown) {
    throw attempt.fail(thrown)
  }
}

/** Returns the complete response without ending the attempt. */
export async function responseOf(
  { attempt, response }: UpstreamResponse,
  format: ResponseReader,
): Promise<OperationResponse> {
  const { longMember } = format
  const spans = longMember === undefined ? undefined : new LongSpans()
  const bytes = await readBytes(attempt, response, spans)
  const { headers } = response
  const json =
    spans && longMember !== undefined
      ? await parseAround(bytes, spans, longMember)
      : await parseWhole(bytes)
  if (json === undefined) rejectTooComplex(attempt, bytes)
  return { headers, bytes, json, decodeError: format.decodeError.bind(format) }
}
