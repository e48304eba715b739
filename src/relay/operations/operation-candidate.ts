import type { OperationAnswer, OperationCall } from "../../canon/operation.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import type { RequestContext } from "../pipeline/request-context.ts"
import type { Attempt, Candidate } from "../upstream/attempt.ts"
import type { ProviderClient } from "../upstream/provider-client.ts"
import type { RefusalReader } from "../upstream/refusal.ts"
import type { SpeculativeCall } from "../upstream/speculative-call.ts"

/** Calls of one operation that are made at once. */
const MAX_AT_ONCE = 4

/** An upstream's answer whose body is still to be read; the attempt knows its deadlines. */
export interface UpstreamAnswer {
  readonly attempt: Attempt<Candidate>
  readonly response: HttpAnswer
}

/** One deployment that an operation may be done at, and how to call it. */
export class OperationCandidate implements Candidate {
  readonly deployment: Deployment
  readonly client: ProviderClient
  readonly #pipeline: Pipeline
  readonly #context: RequestContext
  readonly #speculative: SpeculativeCall | undefined

  /** @param speculative a call that may be under way already, to this deployment or another. */
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

  /**
   * Makes one upstream call, and gives its answer once its status is good. What reading it fails with is to be told
   * to the attempt.
   * @param format whose refusals it would be.
   * @throws GatewayError
   */
  async call(call: OperationCall, format: RefusalReader): Promise<UpstreamAnswer> {
    const attempt = this.#pipeline.begin<Candidate>(this.#context, this)
    try {
      const sending = this.#speculative?.take(this.deployment)
      const response = sending
        ? await attempt.receive(sending, format)
        : await attempt.send(this.client.operation(call), format)
      attempt.succeed()
      return { attempt, response }
    } catch (thrown) {
      throw attempt.fail(thrown)
    }
  }

  /**
   * Makes all calls of an encoded operation, at most a few at once, and reads their answers whole.
   * @throws GatewayError of the first call that failed; the others are ended by then.
   */
  async callAll(
    format: RefusalReader,
    calls: readonly OperationCall[],
  ): Promise<OperationAnswer[]> {
    const answers: OperationAnswer[] = []
    for (let start = 0; start < calls.length; start += MAX_AT_ONCE) {
      const some = calls
        .slice(start, start + MAX_AT_ONCE)
        .map((call) => () => this.#read(call, format))
      answers.push(...(await this.#pipeline.together(this.#context, some)))
    }
    return answers
  }

  async #read(call: OperationCall, format: RefusalReader): Promise<OperationAnswer> {
    return readWhole(await this.call(call, format))
  }
}

/** The whole of an answer. @throws GatewayError; then the attempt has failed. */
export async function readWhole({ attempt, response }: UpstreamAnswer): Promise<OperationAnswer> {
  try {
    const bytes = await attempt.bytes(response)
    attempt.succeed()
    attempt[Symbol.dispose]()
    return { headers: response.headers, bytes }
  } catch (thrown) {
    throw attempt.fail(thrown)
  }
}
