import type { Deployment } from "../catalog/model.ts"
import { approximateCredits } from "../ledger/money.ts"
import type { CostLine } from "../ledger/price.ts"
import { type AttemptRecord, lastNeeded, usageName } from "../relay/billing/receipt.ts"
import type { PricedUsage } from "../relay/billing/priced-usage.ts"
import { costOfLines, providerCost } from "../relay/billing/provider-cost.ts"
import type { PendingCharge } from "../relay/billing/pending-charge.ts"
import type { RequestObserver, SettledRequest } from "../relay/billing/request-observer.ts"
import { LabelValues } from "./label-values.ts"
import type { MetricRegistry } from "./registry.ts"
import type { Count, Distribution } from "./series.ts"

/** Maximum models and deployments that have their own time series. */
const MAX_MODELS = 200
const MAX_OUTCOMES = 50
const MAX_ENDPOINTS = 100
/** The provider of requests without an upstream call. */
const NONE = "none"

/** The series of one deployment and endpoint, which are looked up only once. */
interface Series {
  readonly ok: Count
  readonly charged: Count
  readonly card: Count
  readonly writtenOff: Count
  readonly duration: Distribution
  readonly firstByte: Distribution
  /** Usage counters by class. */
  readonly usage: Map<string, Count>
}

export class RequestMetrics implements RequestObserver {
  readonly #registry: MetricRegistry
  readonly #models = new LabelValues(MAX_MODELS)
  readonly #providers = new LabelValues(MAX_MODELS)
  readonly #credentials = new LabelValues(MAX_MODELS)
  readonly #outcomes = new LabelValues(MAX_OUTCOMES)
  readonly #endpoints = new LabelValues(MAX_ENDPOINTS)
  /** Series by model, endpoint and provider. Three lookups take less time than building a combined key. */
  readonly #series = new Map<string, Map<string, Map<string, Series>>>()
  /** Counts of attempts by deployment and outcome. */
  readonly #attempts = new Map<string, Map<string, Count>>()
  readonly #settle: Distribution

  constructor(registry: MetricRegistry) {
    this.#registry = registry
    this.#settle = registry.histogram("tollgate_settlement_duration_seconds").labels({})
  }

  settled({ charge, deployment, priced, settlement, settling, endedAt }: SettledRequest): void {
    const series = this.#seriesOf(charge, deployment)
    const { call, firstByteAt } = charge
    series.ok.add()
    series.duration.observe((endedAt - call.startedAt) / 1_000)
    if (firstByteAt !== undefined) series.firstByte.observe((firstByteAt - call.startedAt) / 1_000)
    this.#settle.observe(settling / 1_000)
    series.charged.add(approximateCredits(settlement.charged))
    if (settlement.writtenOff > 0n) {
      series.writtenOff.add(approximateCredits(settlement.writtenOff))
    }
    series.card.add(cardCost(priced, deployment))
    for (const line of priced.cost.lines) this.#count(series, charge, deployment, line)
    this.#countAttempts(charge.attempts)
  }

  released(charge: PendingCharge): void {
    const last = lastNeeded(charge.attempts)
    const labels = {
      endpoint: this.#endpoints.of(charge.call.endpoint),
      model: this.#models.of(charge.model.id),
      provider: last === undefined ? NONE : this.#providers.of(providerOf(last.deployment)),
      outcome: this.#outcomes.of(last?.outcome ?? NONE),
    }
    this.#registry.counter("tollgate_requests_total").labels(labels).add()
    this.#countAttempts(charge.attempts)
  }

  /** Counts an error response. */
  failed(endpoint: string, kind: string): void {
    const labels = { endpoint: this.#endpoints.of(endpoint), kind: this.#outcomes.of(kind) }
    this.#registry.counter("tollgate_errors_total").labels(labels).add()
  }

  /** Counts spans that have left the queue, or were dropped because it was full. */
  spans(outcome: string, spans: number): void {
    this.#registry.counter("tollgate_spans_total").labels({ outcome }).add(spans)
  }

  #count(
    series: Series,
    charge: PendingCharge,
    deployment: Deployment,
    { class: usageClass, quantity }: CostLine,
  ): void {
    let counter = series.usage.get(usageClass)
    if (counter === undefined) {
      counter = this.#registry.counter("tollgate_usage_total").labels({
        model: this.#models.of(deployment.member?.id ?? charge.model.id),
        provider: this.#providers.of(deployment.provider),
        class: usageName(usageClass),
      })
      series.usage.set(usageClass, counter)
    }
    counter.add(quantity)
  }

  #countAttempts(attempts: readonly AttemptRecord[]): void {
    for (const { deployment, outcome } of attempts) {
      const known = this.#attempts.get(deployment)?.get(outcome)
      const counter = known ?? this.#attemptsOf(deployment, outcome)
      counter.add()
    }
  }

  #attemptsOf(deployment: string, outcome: string): Count {
    const provider = this.#providers.of(providerOf(deployment))
    const credential = this.#credentials.of(credentialIn(deployment))
    const counter = this.#registry
      .counter("tollgate_attempts_total")
      .labels({ provider, credential, outcome: this.#outcomes.of(outcome) })
    const outcomes = branchOf(this.#attempts, deployment, MAX_MODELS)
    if (outcomes && outcomes.size < MAX_OUTCOMES) outcomes.set(outcome, counter)
    return counter
  }

  #seriesOf({ call, model }: PendingCharge, deployment: Deployment): Series {
    const id = deployment.member?.id ?? model.id
    const known = this.#series.get(id)?.get(call.endpoint)?.get(deployment.provider)
    return known ?? this.#newSeriesOf(call.endpoint, id, deployment.provider)
  }

  #newSeriesOf(path: string, model: string, provider: string): Series {
    const endpoint = this.#endpoints.of(path)
    const labels = { model: this.#models.of(model), provider: this.#providers.of(provider) }
    const place = { endpoint, provider: labels.provider }
    const registry = this.#registry
    const series = {
      ok: registry
        .counter("tollgate_requests_total")
        .labels({ ...labels, endpoint, outcome: "ok" }),
      charged: registry.counter("tollgate_charged_credits_total").labels(labels),
      card: registry.counter("tollgate_list_price_credits_total").labels(labels),
      writtenOff: registry.counter("tollgate_written_off_credits_total").labels(labels),
      duration: registry.histogram("tollgate_request_duration_seconds").labels(place),
      firstByte: registry.histogram("tollgate_time_to_first_byte_seconds").labels(place),
      usage: new Map<string, Count>(),
    }
    const endpoints = branchOf(this.#series, model, MAX_MODELS)
    const providers = endpoints && branchOf(endpoints, path, MAX_ENDPOINTS)
    if (providers && providers.size < MAX_MODELS) providers.set(provider, series)
    return series
  }
}

/** Returns the branch of a name, and creates it if necessary; undefined if the limit is reached. */
function branchOf<Value>(
  branches: Map<string, Map<string, Value>>,
  name: string,
  most: number,
): Map<string, Value> | undefined {
  let branch = branches.get(name)
  if (branch === undefined && branches.size < most) branches.set(name, (branch = new Map()))
  return branch
}

/** Returns the provider of a deployment, which is named `<provider>/<model>`. */
function providerOf(deployment: string): string {
  const end = deployment.indexOf("/")
  return end === -1 ? deployment : deployment.slice(0, end)
}

/** Returns the name of a deployment's credential, if its provider has several credentials; otherwise an empty text. */
function credentialIn(deployment: string): string {
  return /#([\w-]{1,40})$/.exec(deployment)?.[1] ?? ""
}

function cardCost(priced: PricedUsage, { price }: Deployment): number {
  const cost = (price && providerCost(priced, price)) ?? costOfLines(priced.cost.lines)
  return approximateCredits(cost)
}
