import {
  moderatedParts,
  type ModerationInput,
  type ModerationRequest,
  type ModerationVerdict,
  textsOf,
} from "../../../canon/moderation.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { fewestTokens } from "../../billing/bounds.ts"
import type { CountedUsage } from "../../billing/priced-usage.ts"
import { atNoExtraPrice } from "../../priced-features/passed-fields.ts"
import type { Call, Caller } from "../../request/call.ts"
import { askedModel, preferredModel } from "../../routing-preferences/preferred-model.ts"
import { countTexts } from "../../tokens/token-counter.ts"
import type { Candidate } from "../../upstream/attempt.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import type { OperationPlan } from "../operation-plan.ts"
import type { CountedOperationServices } from "../operations.ts"
import { formatOf } from "../vendor-format.ts"

/** Verdicts and their usage. */
export interface Moderated extends CountedUsage {
  readonly verdicts: readonly ModerationVerdict[]
}

/** Tokens held for an image, whose size is unknown. No known model counts as many. */
const MAX_IMAGE_TOKENS = 16_384

/** Serves parsed requests to `POST /v1/moderations`, and charges for the verdicts. */
export class Moderations {
  readonly #services: CountedOperationServices

  constructor(services: CountedOperationServices) {
    this.#services = services
  }

  /**
   * Classifies the inputs of a request.
   * @throws GatewayError, in which case nothing is held.
   */
  moderate(
    call: Call,
    request: ModerationRequest,
    caller: Caller,
  ): Promise<OpenOperation<Moderated>> {
    const count = (): Promise<number> => this.#count(call, request)
    const attempt = (candidate: OperationCandidate): Promise<Outcome<Moderated>> =>
      moderateAt(candidate, request, count)
    const unread = async (candidate: OperationCandidate, share: number): Promise<Usage> =>
      candidate.unreadUsage ?? { ...NO_USAGE, inputFresh: Math.ceil((await count()) * share) }
    const input = { ...this.plan(call, request), attempt, unread, mayHedge: true }
    return this.#services.operations.run(input, caller)
  }

  /**
   * Returns the plan of a request, for an estimate or its hold.
   * @throws GatewayError if the request cannot be served.
   */
  plan(call: Call, request: ModerationRequest): OperationPlan {
    const { config } = this.#services.operations
    const worst = maxTokens(request.input, call.bodyBytes)
    const asked = askedModel(config, request.model, "moderation", call)
    const preferred = preferredModel(asked, { call, config, inputTokens: () => worst })
    return {
      call,
      model: atNoExtraPrice(preferred, request.extra, config),
      worst: { ...NO_USAGE, inputFresh: worst },
      min: { ...NO_USAGE, inputFresh: fewestInput(request.input) },
      lossesAt: (candidate) => encodedFor(candidate, request).losses,
    }
  }

  /** Counts the tokens of the texts. Tokens of images are charged only if the provider reports them. */
  async #count({ key }: Call, { input }: ModerationRequest): Promise<number> {
    const counter = this.#services.counter.of(key.account)
    return Math.max(1, await countTexts(counter, textsOf(moderatedParts(input))))
  }
}

async function moderateAt(
  candidate: OperationCandidate,
  request: ModerationRequest,
  count: () => Promise<number>,
): Promise<Outcome<Moderated>> {
  const { format, calls, losses } = encodedFor(candidate, request)
  const result = await format.decode(await candidate.callAll(format, calls), request)
  const { verdicts, tokens } = result
  const usage = { ...NO_USAGE, inputFresh: tokens ?? (await count()) }
  return { value: { verdicts, usage, estimated: tokens === undefined }, losses }
}

function encodedFor(candidate: Candidate, request: ModerationRequest) {
  const format = formatOf(candidate, "moderation")
  return { format, ...format.encode(request, candidate.deployment.upstreamModel) }
}

/**
 * Returns the maximum tokens of the input. Each byte counts as a token, and each image, which may be a link, adds a
 * fixed number.
 */
function maxTokens(input: ModerationInput, bodyBytes: number): number {
  const parts = moderatedParts(input)
  const texts = textsOf(parts)
  const images = parts.length - texts.length
  const ofTexts = texts.reduce((sum, text) => sum + maxTextTokens(text), 0)
  return Math.max(bodyBytes, ofTexts) + images * MAX_IMAGE_TOKENS
}

function fewestInput(input: ModerationInput): number {
  return textsOf(moderatedParts(input)).reduce(
    (sum, text) => sum + fewestTokens(Buffer.byteLength(text)),
    0,
  )
}
