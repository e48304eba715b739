import { cheapestFirst } from "../catalog/cheapest-first.ts"
import {
  type Deployment,
  type Model,
  placeOf,
  type Stage,
  type StageChoice,
  type PreferenceReason,
} from "../catalog/model.ts"
import type { Health } from "./health.ts"
import type { Load, Loads } from "./loads.ts"

/** What a vendor's cache knows a request by. */
export interface CacheKey {
  /** The caller's own key, its session, or the text that its requests begin with. */
  readonly kind: "cache_key" | "session" | "prompt"
  readonly text: string
}

/** Why a deployment was the first to be tried; receipts say it. */
export type RouteReason = CacheKey["kind"] | StageChoice | PreferenceReason

export interface Route {
  /** In the order in which they are tried. */
  readonly deployments: readonly Deployment[]
  /** Absent where there is nothing to choose. */
  readonly reason?: RouteReason
}

/** Equal deployments in the order in which they are tried. */
interface Ordered {
  readonly healthy: readonly Deployment[]
  /** Those that rest after failures. */
  readonly open: readonly Deployment[]
  /** What a vendor's cache may know the request by, where that has put them in this order. */
  readonly key: CacheKey | undefined
}

const NOWHERE: Route = { deployments: [] }
/** How many values a hash has. */
const HASHES = 2 ** 32

/**
 * The order in which the deployments of a model are tried for one request: healthy ones as the model's choice has them,
 * those with weight 0 after them in the order of the settings, and those with an open circuit last. No priced one is left
 * out, since a doubtful attempt is better than a certain refusal.
 */
export class Router {
  readonly #health: Health
  readonly #loads: Loads
  readonly #random: () => number

  /** @param random from 0 up to but not including 1. */
  constructor(health: Health, loads: Loads, random: () => number = Math.random) {
    this.#health = health
    this.#loads = loads
    this.#random = random
  }

  /**
   * @param cacheKey finds what a vendor's cache may know the request by. It is asked for only where deployments are equals:
   * who has put them in an order wants the first.
   */
  route(model: Model, cacheKey?: () => CacheKey | undefined): Route {
    const { deployments, choice = "weight" } = model
    if (deployments.length === 1) return deployments[0]?.price === undefined ? NOWHERE : model
    const priced = deployments.filter(({ price }) => price !== undefined)
    if (priced.length < 2) return { deployments: priced }
    if (priced[0]?.stage !== undefined) return this.#routeStages(priced, cacheKey)
    const { healthy, open, key } = this.#ordered(priced, choice, cacheKey)
    return {
      deployments: open.length === 0 ? healthy : [...healthy, ...open],
      reason: key?.kind ?? choice,
    }
  }

  /** Stage after stage; of all of them, those that rest after failures come last. */
  #routeStages(
    priced: readonly Deployment[],
    cacheKey: (() => CacheKey | undefined) | undefined,
  ): Route {
    const healthy: Deployment[] = []
    const open: Deployment[] = []
    const reasons = new Map<number, RouteReason | undefined>()
    for (const { place, choice, reason, isAlone, deployments } of stagesOf(priced)) {
      const ordered = this.#ordered(deployments, choice, cacheKey)
      const usual = deployments.length > 1 ? choice : undefined
      reasons.set(place, ordered.key?.kind ?? reason ?? usual)
      if (isAlone && ordered.healthy.length > 0) healthy.push(...ordered.healthy.slice(0, 1))
      else if (isAlone) open.push(...ordered.open.slice(0, 1))
      else {
        healthy.push(...ordered.healthy)
        open.push(...ordered.open)
      }
    }
    const deployments = [...healthy, ...open]
    const reason = reasons.get(deployments[0]?.stage?.place ?? 0)
    return { deployments, ...(reason !== undefined && { reason }) }
  }

  #ordered(
    deployments: readonly Deployment[],
    choice: StageChoice,
    cacheKey: (() => CacheKey | undefined) | undefined,
  ): Ordered {
    const isOrdered = choice === "order" || choice === "price"
    const hasEquals =
      deployments.length > 1 &&
      (!isOrdered || deployments.some(({ credential }) => credential !== undefined))
    const key = hasEquals ? cacheKey?.() : undefined
    const order = (all: readonly Deployment[]): readonly Deployment[] => {
      if (!hasEquals) return all
      const orderEquals: Order = (equals) =>
        key === undefined ? this.#chosen(equals, choice) : byAffinity(equals, key)
      return isOrdered ? byPlace(all, orderEquals) : orderEquals(all)
    }
    // Between credentials of one provider only: it is not why the request goes where it does.
    const found = isOrdered ? undefined : key
    if (this.#health.isAllWell) {
      return { healthy: withFallbacks(deployments, order), open: [], key: found }
    }
    const { healthy = [], open = [] } = Object.groupBy(deployments, ({ id }) =>
      this.#health.isHealthy(id) ? "healthy" : "open",
    )
    return { healthy: withFallbacks(healthy, order), open: withFallbacks(open, order), key: found }
  }

  loadOf(deployment: Deployment): Load {
    return this.#loads.of(deployment)
  }

  /** Whether at most one of some deployments is healthy. */
  isWithoutChoice(deployments: readonly Deployment[]): boolean {
    if (deployments.length === 1) return true
    return deployments.filter(({ id }) => this.#health.isHealthy(id)).length < 2
  }

  #chosen(deployments: readonly Deployment[], choice: StageChoice): readonly Deployment[] {
    switch (choice) {
      case "order":
      case "price":
      // The catalog has sorted them, and these are the credentials of one.
      case "weight":
        return draw(deployments, this.#random)
      case "latency": {
        const now = performance.now()
        return this.#betterOfTwo(deployments, (load) => load.latency(now) * (load.busy + 1))
      }
      case "throughput":
        return this.#betterOfTwo(deployments, (load) => load.secondsPerToken() * (load.busy + 1))
      case "least_busy":
        return draw(deployments, this.#random).toSorted(
          (left, right) => this.#busyness(left) - this.#busyness(right),
        )
    }
  }

  #busyness(deployment: Deployment): number {
    return this.loadOf(deployment).busy / deployment.weight
  }

  /** Of the first two that are drawn, the better one first: all that come at once do not run to the best one. */
  #betterOfTwo(
    deployments: readonly Deployment[],
    cost: (load: Load) => number,
  ): readonly Deployment[] {
    const [first, second, ...others] = draw(deployments, this.#random)
    if (first === undefined || second === undefined) return deployments
    return cost(this.loadOf(second)) < cost(this.loadOf(first))
      ? [second, first, ...others]
      : [first, second, ...others]
  }
}

/** The likeliest order of a request's deployments, for estimates. */
export function likelyRoute(model: Model, health: Health): readonly Deployment[] {
  const priced = model.deployments.filter(({ price }) => price !== undefined)
  const { choice = "weight" } = model
  const isStaged = priced[0]?.stage !== undefined
  const stages = isStaged ? stagesOf(priced) : [{ place: 0, choice, deployments: priced }]
  const likely = stages.flatMap(({ choice: own, isAlone, deployments }: StagedDeployments) => {
    const isOrdered = own === "order" || own === "price"
    const order = isOrdered
      ? deployments
      : deployments.toSorted((left, right) => right.weight - left.weight)
    if (!isAlone) return order
    const [first] = order
    const only = order.find(({ id }) => health.isHealthy(id)) ?? first
    return only === undefined ? [] : [only]
  })
  const healthy = likely.filter(({ id }) => health.isHealthy(id))
  return [...healthy, ...likely.filter((deployment) => !healthy.includes(deployment))]
}

type Order = (equals: readonly Deployment[]) => readonly Deployment[]

/** As they are, but for the credentials of one provider, which are equals. */
function byPlace(deployments: readonly Deployment[], order: Order): readonly Deployment[] {
  return [...Map.groupBy(deployments, placeOf).values()].flatMap(order)
}

interface StagedDeployments extends Stage {
  readonly deployments: readonly Deployment[]
}

/** Deployments by their stages, the first one first. The catalog has sorted none of them by price. */
function stagesOf(deployments: readonly Deployment[]): StagedDeployments[] {
  return [...Map.groupBy(deployments, ({ stage }) => stage?.place ?? 0)]
    .toSorted(([left], [right]) => left - right)
    .map(([place, own]) => {
      const { choice = "weight", ...stage } = own[0]?.stage ?? {}
      return { ...stage, place, choice, deployments: choice === "price" ? cheapestFirst(own) : own }
    })
}

/** Those of weight 0 are tried after all others. */
function withFallbacks(deployments: readonly Deployment[], order: Order): readonly Deployment[] {
  const equals = deployments.filter(({ weight }) => weight > 0)
  if (equals.length === deployments.length) return order(equals)
  return [...order(equals), ...deployments.filter(({ weight }) => !(weight > 0))]
}

/**
 * Rendezvous hashing: the same key gets the same order for as long as the deployments stay, and one that comes or goes
 * moves only the keys that it takes or had. Of twice the weight, twice the keys.
 */
function byAffinity(deployments: readonly Deployment[], { text }: CacheKey): readonly Deployment[] {
  const seed = Bun.hash.xxHash32(text)
  const distance = ({ id, weight }: Deployment): number =>
    -Math.log((Bun.hash.xxHash32(id, seed) + 0.5) / HASHES) / weight
  return deployments
    .map((deployment) => ({ deployment, at: distance(deployment) }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ deployment }) => deployment)
}

/** Draws without replacement; a deployment of twice the weight is first twice as often. */
function draw(deployments: readonly Deployment[], random: () => number): Deployment[] {
  const left = [...deployments]
  let sum = left.reduce((total, { weight }) => total + weight, 0)
  const drawn: Deployment[] = []
  while (left.length > 0) {
    const index = pick(left, random() * sum)
    const [chosen] = left.splice(index, 1)
    if (chosen === undefined) break
    sum -= chosen.weight
    drawn.push(chosen)
  }
  return drawn
}

function pick(deployments: readonly Deployment[], point: number): number {
  let passed = 0
  for (const [index, { weight }] of deployments.entries()) {
    passed += weight
    if (point < passed) return index
  }
  // The sum is a float, and the point can lie a rounding error beyond it.
  return deployments.length - 1
}
