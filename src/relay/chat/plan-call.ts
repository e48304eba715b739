import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { EffectiveRules } from "../../canon/model-rules.ts"
import { type DialectId, type Loss, reportable } from "../../canon/extra.ts"
import type { UpstreamDialect } from "../../canon/dialect.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { atOnce, inOwnTurns, isLongWork, type Steps } from "../../canon/next-turn.ts"
import { hasAssistantMedia } from "../../dialects/shared/assistant-media.ts"
import { hasOtherTools } from "../../dialects/shared/tool-names.ts"
import { corrected } from "../../catalog/learned-rules.ts"
import { DIALECT_MAKERS } from "../../catalog/model-rules.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { ChatBinding } from "../../vendors/vendor.ts"
import { clampAt, type PendingCharge } from "../billing/pending-charge.ts"
import { carriedRequest, withoutToolItems } from "../fitting/carried-request.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import type { Candidate } from "../upstream/attempt.ts"
import type { ChatContext } from "./chat-context.ts"
import { withImageTypes } from "../fitting/fit-messages.ts"
import { fitToModel, requiredDialect } from "../fitting/fit-to-model.ts"
import { isFoldable } from "./fold-response.ts"
import { fitLimits, limitsOf, takesLimits } from "../fitting/own-limits.ts"
import { withInlineMedia, needsInlining } from "../fitting/inline-media.ts"
import { limitedPlan, type Plan } from "./plan.ts"
import { carriesEnvelope, openEnvelopes, type ReasoningSigner } from "./reasoning-envelope.ts"
import { carriesSearch, replaceParts, withoutSteps } from "../fitting/foreign-parts.ts"
import { resultsAfterCalls } from "../fitting/turn-order.ts"
import { unusableReference, noThreads } from "../state/state-kinds.ts"

/** The parts of a request that a plan depends on. */
export type PlannedRequest = Pick<ChatContext, "dialect" | "request" | "call" | "charge" | "config">

/** A candidate, with corrections from earlier calls of the same request. */
export interface ChatCandidate extends Candidate {
  readonly corrections?: ModelRules
}

type Inlining = typeof withInlineMedia

/** Output limit that is sent to vendors that do not accept 0. */
const MIN_OUTPUT = 1
const RAISED: Loss = { name: "max_tokens", effect: "approximated" }

/**
 * Plans the call to a deployment. The call is verbatim if the vendor supports the caller's dialect and accepts the
 * request unchanged. Otherwise, it goes through the canon, in the caller's dialect or else in the supported dialect
 * with the fewest losses.
 * @param inline embeds linked media in the request, if no supported dialect accepts addresses.
 * @throws GatewayError if the deployment cannot serve the request, even with parts left out.
 */
export function planCall(
  planned: PlannedRequest,
  candidate: ChatCandidate,
  signer: ReasoningSigner,
  inline: Inlining = withInlineMedia,
): MaybePromise<Plan> {
  const { dialect, request, call, charge } = planned
  const { deployment, client, corrections } = candidate
  const { ignored = [] } = charge.model
  const effective = rulesFor(planned, candidate)
  const { rules } = effective
  const clampedTo = clampAt(charge, request, deployment)
  const bindings = bindingsFor(request, candidate, rules)
  const own = bindingOf(bindings, dialect.id)
  const isVerbatim =
    own !== undefined &&
    !dialect.isOneWay &&
    !isMany(request, own.dialect, deployment) &&
    !needsCanon(request, own.dialect) &&
    fitsModel(request, effective, client) &&
    takesLimits(request, clampedTo ?? request.maxTokens, {
      taken: limitsOf(own.dialect, deployment, rules),
      isStopReported: dialect.reportsStop,
    })
  if (own?.dialect.patches && isVerbatim) {
    const patch = { model: deployment.upstreamModel, rules, maxTokens: clampedTo }
    const { body, losses } = own.dialect.patches.request(call.body, patch)
    return limitedPlan({
      deployment,
      client,
      rules,
      corrections,
      binding: own,
      isVerbatim: true,
      request,
      body,
      losses: ignored.length === 0 ? losses : [...ignored, ...losses],
      calls: 1,
      featureCosts: charge.featureCosts?.get(deployment.id),
    })
  }
  const usable = own === undefined ? bindings : [own]
  const transcoding = { planned, candidate, rules, signer, bindings: usable }
  if (!takesAddresses(usable, request)) {
    return planInlined(transcoding, inline(request, planned.config.media, call.memory))
  }
  const steps = planTranscoded(transcoding, request)
  return isLongWork(call.bodyBytes) ? inOwnTurns(steps) : atOnce(steps)
}

function bindingOf(bindings: readonly ChatBinding[], dialect: DialectId): ChatBinding | undefined {
  for (const binding of bindings) if (binding.dialect.id === dialect) return binding
  return undefined
}

/** Whether a dialect of the vendor accepts the addresses of media in a request. */
function takesAddresses(bindings: readonly ChatBinding[], request: ChatRequest): boolean {
  return bindings.some((binding) => !needsInlining(request, binding.dialect))
}

async function planInlined(
  transcoding: Transcoding,
  inlining: Promise<ChatRequest>,
): Promise<Plan> {
  return await inOwnTurns(planTranscoded(transcoding, await inlining))
}

/** Returns the current rules of a deployment's model. */
function rulesFor(
  { config }: PlannedRequest,
  { deployment, corrections }: ChatCandidate,
): EffectiveRules {
  const rules = config.learnedRules.of(deployment)
  return corrections === undefined ? rules : corrected(rules, corrections)
}

/** Returns the dialects that a request can use. If the model requires a dialect, only that dialect is returned. */
function bindingsFor(
  request: ChatRequest,
  { deployment, client }: Candidate,
  rules: ModelRules | undefined,
): readonly ChatBinding[] {
  const bindings = client.bindings(deployment)
  const required = requiredDialect(request, rules)
  if (required === undefined) return bindings
  const usable = bindings.filter(({ dialect }) => dialect.id === required)
  return usable.length === 0 ? bindings : usable
}

/**
 * Whether a request in the vendor's dialect can be sent verbatim. The maker of a dialect defines its rules, so its own
 * models need no adjustment unless the settings or learned rules require it. Other vendors of the dialect may not
 * behave as callers expect.
 */
function fitsModel(
  request: ChatRequest,
  { rules, enforced }: EffectiveRules,
  { vendor }: ProviderClient,
): boolean {
  const applied = DIALECT_MAKERS.has(vendor.id) ? enforced : rules
  return applied === undefined || fitToModel(request, applied).request === request
}

/** Whether a request cannot be sent verbatim although the vendor supports the caller's dialect. */
function needsCanon(request: ChatRequest, dialect: UpstreamDialect): boolean {
  return (
    carriesEnvelope(request) ||
    carriesSearch(request) ||
    isRaised(request, dialect) ||
    (dialect.supports["assistant.image"] !== "carried" &&
      hasAssistantMedia(request.messages, dialect.id)) ||
    (dialect.functionsOnly === true && hasOtherTools(request))
  )
}

/** Whether the request allows no output, but the vendor always returns some. */
function isRaised({ maxTokens }: ChatRequest, { takesNoOutput }: UpstreamDialect): boolean {
  return maxTokens === 0 && takesNoOutput !== true
}

/**
 * Returns the maximum number of upstream calls of a request. It is one per choice if a vendor returns only one choice
 * per call.
 */
export function maxCalls(
  request: ChatRequest,
  { deployments }: Model,
  clients: ReadonlyMap<string, ProviderClient>,
): number {
  if (request.choices === 1) return 1
  return deployments.some((deployment) => isSplitAt(request, deployment, clients))
    ? request.choices
    : 1
}

function isSplitAt(
  request: ChatRequest,
  deployment: Deployment,
  clients: ReadonlyMap<string, ProviderClient>,
): boolean {
  const bindings = clients.get(deployment.provider)?.bindings(deployment) ?? []
  return bindings.some(({ dialect }) => isMany(request, dialect, deployment))
}

/** Whether each choice needs a separate call. */
function isMany(
  { choices }: ChatRequest,
  dialect: UpstreamDialect,
  deployment: Deployment,
): boolean {
  return choices > 1 && choices > dialect.responseLimits(deployment.upstreamModel).choices
}

interface Transcoding {
  readonly planned: PlannedRequest
  readonly candidate: ChatCandidate
  readonly rules: ModelRules | undefined
  readonly signer: ReasoningSigner
  readonly bindings: readonly ChatBinding[]
}

/**
 * Plans the call in the dialect with the fewest losses. Yields between steps that take a long time for a large request.
 */
function* planTranscoded(transcoding: Transcoding, request: ChatRequest): Steps<Plan> {
  let best: Plan | undefined
  for (const binding of transcoding.bindings) {
    yield
    const plan = yield* planBinding(transcoding, binding, request)
    if (best === undefined || isBetter(plan, best)) best = plan
  }
  if (best === undefined)
    throw new Error(`provider ${transcoding.candidate.client.provider} offers no chat dialect`)
  return best
}

/**
 * Whether a plan is better than another. Fewer losses are better. With equal losses, a plan is better if the vendor
 * enforces the limits, because the response then ends normally and reports its usage.
 */
function isBetter(plan: Plan, other: Plan): boolean {
  if (plan.losses.length !== other.losses.length) return plan.losses.length < other.losses.length
  return plan.limits === undefined && other.limits !== undefined
}

function* planBinding(
  transcoding: Transcoding,
  binding: ChatBinding,
  request: ChatRequest,
): Steps<Plan> {
  const { planned, candidate, rules, signer } = transcoding
  const { deployment, client, corrections } = candidate
  const { dialect } = binding
  if (dialect.id !== planned.dialect.id) rejectKept(planned.charge, request)
  const isSplit = isMany(request, dialect, deployment)
  const said = dialect.id === planned.dialect.id ? request.messages : withoutToolItems(request)
  const opened = openEnvelopes({ ...request, messages: said }, signer, client.credentialId)
  const { messages, lost } = withoutSteps(opened.messages)
  const clampedTo = clampAt(planned.charge, request, deployment)
  const { maxOutput } = deployment.member ?? planned.charge.model
  const longest = dialect.needsMaxTokens ? maxOutput : undefined
  const raised = isRaised(request, dialect) ? MIN_OUTPUT : undefined
  const maxTokens = raised ?? clampedTo ?? request.maxTokens ?? longest
  const taken = limitsOf(dialect, deployment, rules)
  const fitted = fitLimits(request, maxTokens, taken, planned.dialect.reportsStop)
  const sent = fitted?.maxTokens ?? maxTokens
  const offered = carriedRequest(request, binding, planned.dialect.id)
  const spoken = replaceParts(messages, dialect.id)
  const ordered = withImageTypes(resultsAfterCalls(spoken.messages))
  const adapted = fitToModel({ ...offered, messages: ordered }, rules, planned.dialect.expresses)
  const asked = {
    ...adapted.request,
    ...(fitted === undefined ? {} : { stop: fitted.stop }),
    model: deployment.upstreamModel,
    // The call is streamed if the relay ends the response, because only a streamed call can be cancelled before its
    // end.
    stream: request.stream || (fitted?.own !== undefined && isFoldable(request)),
    streamUsage: true,
    choices: isSplit ? 1 : request.choices,
    ...(sent === undefined ? {} : { maxTokens: sent }),
  }
  yield
  const { body, losses, answerTool } = dialect.encodeRequest(asked, rules)
  // `store` is not reported as a loss if the gateway itself stores the response.
  const kept = request.isKept === true ? "store" : undefined
  const reported = raised === undefined ? undefined : RAISED.name
  const others = losses.filter(({ name }) => name !== kept && name !== reported)
  return limitedPlan({
    deployment,
    client,
    rules,
    corrections,
    binding,
    isVerbatim: false,
    request: asked,
    body,
    losses: reportable([
      ...(planned.charge.model.ignored ?? []),
      ...opened.lost,
      ...lost,
      ...(raised === undefined ? [] : [RAISED]),
      ...adapted.losses,
      ...spoken.losses,
      ...others,
    ]),
    calls: isSplit ? request.choices : 1,
    limits: fitted?.own,
    restoration:
      answerTool === undefined ? adapted.restoration : { ...adapted.restoration, answerTool },
    featureCosts: planned.charge.featureCosts?.get(deployment.id),
  })
}

/** Rejects references to vendor state, except files, in a dialect that cannot contain them. */
function rejectKept({ state }: PendingCharge, { isThread }: ChatRequest): void {
  const lost = state?.references.find((reference) => reference.state.isEssential)
  if (lost) throw unusableReference(lost)
  if (isThread) throw noThreads("thread")
}
