import { cheapestFirst } from "../catalog/cheapest-first.ts"
import {
  type Deployment,
  type Model,
  placeOf,
  type Stage,
  type StageStrategy,
  type PreferenceReason,
} from "../catalog/model.ts"
import type { Health } from "./health.ts"
import type { Load, Loads } from "./loads.ts"

/** The key by which a vendor's cache identifies a request. */
export interface CacheKey {
  /** The source of the key: the caller's cache key, the session, or the common beginning of prompts. */
  readonly kind: "cache_key" | "session" | "prompt"
  readonly text: string
}

/** The reason for choosing the first deployment, as shown in receipts. */
export type RouteReason = CacheKey["kind"] | StageStrategy | PreferenceReason

export interface Route {
  /** Deployments in the order in which they are attempted. */
  readonly deployments: readonly Deployment[]
  /** Absent if there was no choice. */
  readonly reason?: RouteReason
}

/** Deployments of equal rank, in the order in which they are attempted. */
interface Ordered {
  readonly healthy: readonly Deployment[]
  /** Deployments whose circuit is open after failures. */
  readonly open: readonly Deployment[]
  /** The cache key, if it has determined this order. */
  readonly key: CacheKey | undefined
}

const NOWHERE: Route = { deployments: [] }
/** Number of possible hash values. */
const HASH_COUNT = 2 ** 32

/**
 * Orders the deployments of a model for one request. Healthy deployments come first, by the model's strategy,
 * followed by those with weight 0 in the order of the settings, and by those with an open circuit. No priced deployment
 * is excluded, because an uncertain attempt is better than a certain failure.
 */
export class Router {
  readonly #health: Health
  readonly #loads: Loads
  readonly #random: () => number

  /** @param random returns a number from 0 (inclusive) to 1 (exclusive). */
  constructor(health: Health, loads: Loads, random: () => number = Math.random) {
    this.#health = health
    this.#loads = loads
    this.#random = random
  }

  /**
   * Returns the deployments of a model in the order in which they are attempted.
   * @param cacheKey returns the key for a vendor's cache. It is only called if deployments have equal rank, because an
   * explicit order takes precedence.
   */
  route(model: Model, cacheKey?: () => CacheKey | undefined): Route {
    const { deployments, strategy = "weight" } = model
    if (deployments.length === 1) return deployments[0]?.price === undefined ? NOWHERE : model
    const priced = deployments.filter(({ price }) => price !== undefined)
    if (priced.length < 2) return { deployments: priced }
    if (priced[0]?.stage !== undefined) return this.#routeStages(priced, cacheKey)
    const { healthy, open, key } = this.#ordered(priced, strategy, cacheKey)
    return {
      deployments: open.length === 0 ? healthy : [...healthy, ...open],
      reason: key?.kind ?? strategy,
    }
  }

  /** Orders deployments by stage. Those with an open circuit come last, regardless of their stage. */
  #routeStages(
    priced: readonly Deployment[],
    cacheKey: (() => CacheKey | undefined) | undefined,
  ): Route {
    const healthy: Deployment[] = []
    const open: Deployment[] = []
    const reasons = new Map<number, RouteReason | undefined>()
    for (const { place, strategy, reason, isAlone, deployments } of stagesOf(priced)) {
      const ordered = this.#ordered(deployments, strategy, cacheKey)
      const usual = deployments.length > 1 ? strategy : undefined
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
    strategy: StageStrategy,
    cacheKey: (() => CacheKey | undefined) | undefined,
  ): Ordered {
    const isOrdered = strategy === "order" || strategy === "price"
    const hasEquals =
      deployments.length > 1 &&
      (!isOrdered || deployments.some(({ credential }) => credential !== undefined))
    const key = hasEquals ? cacheKey?.() : undefined
    const order = (all: readonly Deployment[]): readonly Deployment[] => {
      if (!hasEquals) return all
      const orderEquals: Order = (equals) =>
        key === undefined ? this.#chosen(equals, strategy) : byAffinity(equals, key)
      return isOrdered ? byPlace(all, orderEquals) : orderEquals(all)
    }
    // If the key only chooses between credentials of one provider, it is not the reason for the route.
    const found = isOrdered ? undefined : key
    if (this.#health.areCircuitsClosed) {
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

  /** Whether at most one of the deployments is healthy. */
  isWithoutChoice(deployments: readonly Deployment[]): boolean {
    if (deployments.length === 1) return true
    return deployments.filter(({ id }) => this.#health.isHealthy(id)).length < 2
  }

  #chosen(deployments: readonly Deployment[], strategy: StageStrategy): readonly Deployment[] {
    switch (strategy) {
      case "order":
      case "price":
      // The catalog has sorted the deployments. Only the credentials of a deployment have to be ordered.
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
          (left, right) => this.#relativeLoad(left) - this.#relativeLoad(right),
        )
    }
  }

  #relativeLoad(deployment: Deployment): number {
    return this.loadOf(deployment).busy / deployment.weight
  }

  /**
   * Draws two deployments and puts the better of the two first, so that simultaneous requests do not all choose the
   * same deployment.
   */
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

/** Returns the most probable order of a model's deployments, for estimates. */
export function likelyRoute(model: Model, health: Health): readonly Deployment[] {
  const priced = model.deployments.filter(({ price }) => price !== undefined)
  const { strategy = "weight" } = model
  const isStaged = priced[0]?.stage !== undefined
  const stages = isStaged ? stagesOf(priced) : [{ place: 0, strategy, deployments: priced }]
  const likely = stages.flatMap(({ strategy: own, isAlone, deployments }: StagedDeployments) => {
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

/** Keeps the order of deployments, but orders the credentials of each provider, which have equal rank. */
function byPlace(deployments: readonly Deployment[], order: Order): readonly Deployment[] {
  return [...Map.groupBy(deployments, placeOf).values()].flatMap(order)
}

interface StagedDeployments extends Stage {
  readonly deployments: readonly Deployment[]
}

/**
 * Groups deployments by stage, starting with the first stage. Stages with the strategy `price` are sorted here, because
 * the catalog sorts only the deployments of single models.
 */
function stagesOf(deployments: readonly Deployment[]): StagedDeployments[] {
  return [...Map.groupBy(deployments, ({ stage }) => stage?.place ?? 0)]
    .toSorted(([left], [right]) => left - right)
    .map(([place, own]) => {
      const { strategy = "weight", ...stage } = own[0]?.stage ?? {}
      return {
        ...stage,
        place,
        strategy,
        deployments: strategy === "price" ? cheapestFirst(own) : own,
      }
    })
}

/** Moves deployments with weight 0 to the end. */
function withFallbacks(deployments: readonly Deployment[], order: Order): readonly Deployment[] {
  const equals = deployments.filter(({ weight }) => weight > 0)
  if (equals.length === deployments.length) return order(equals)
  return [...order(equals), ...deployments.filter(({ weight }) => !(weight > 0))]
}

/**
 * Orders deployments by rendezvous hashing. A key keeps its order while the deployments are unchanged. Adding or
 * removing a deployment only moves the keys of that deployment. Twice the weight attracts twice as many keys.
 */
function byAffinity(deployments: readonly Deployment[], { text }: CacheKey): readonly Deployment[] {
  const seed = Bun.hash.xxHash32(text)
  const distance = ({ id, weight }: Deployment): number =>
    -Math.log((Bun.hash.xxHash32(id, seed) + 0.5) / HASH_COUNT) / weight
  return deployments
    .map((deployment) => ({ deployment, at: distance(deployment) }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ deployment }) => deployment)
}

/** Draws deployments at random without replacement. A deployment with twice the weight comes first twice as often. */
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
  // The sum is a floating-point number, so a rounding error may cause the point to exceed it.
  return deployments.length - 1
}
