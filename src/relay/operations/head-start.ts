import type { OperationCall } from "../../canon/operation.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import { SentRequest } from "../upstream/sent-request.ts"
import type { Target } from "../upstream/attempt.ts"

/** What is sent before its body is whole. */
export interface EarlyCall {
  readonly call: OperationCall
  /** Whether all of it is here by now. */
  readonly isWhole: () => boolean
}

/** The first call of an operation, made before the operation is open. */
export class HeadStart {
  /** In the order in which they will be tried. */
  readonly deployments: readonly Deployment[]
  readonly #client: HttpClient
  #sent: SentRequest | undefined
  #isOver = false

  constructor(client: HttpClient, deployments: readonly Deployment[]) {
    this.#client = client
    this.deployments = deployments
  }

  /**
   * Sends the call to the first deployment.
   * @param prepare encodes it; undefined where it is better made later.
   */
  async send(target: Target, prepare: (target: Target) => Promise<EarlyCall | undefined>) {
    const early = await prepare(target)
    if (!early) return
    const request = await target.endpoint.operation(early.call)
    // It may have taken too long: signing, or an encoding that needs all of the body.
    if (!this.#isOver) this.#sent = new SentRequest(this.#client, request, early.isWhole)
  }

  /** What was sent to a deployment, if it is the one and may still be answered. Given once. */
  take(deployment: Deployment): SentRequest | undefined {
    this.#isOver = true
    const sent = this.#sent
    this.#sent = undefined
    if (sent === undefined || !sent.take()) return undefined
    if (deployment === this.deployments[0]) return sent
    sent.giveUp()
    return undefined
  }

  /** It is not needed any more. */
  drop(): void {
    this.#isOver = true
    this.#sent?.giveUp()
    this.#sent = undefined
  }
}
